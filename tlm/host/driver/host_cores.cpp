// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/host_cores.h"

namespace wordline::host {

void HostCores::register_resources(results::Resources& resources) const {
  if (!completions_cost() && config_.submission_cost == Picoseconds(0)) return;
  const results::ResourceGroup group{"host_cores", "host core", results::ResourceKind::kServer, false,
                                     "Cores of the host: submissions, interrupts and completions, with "
                                     "host.submission_cost, interrupt_cost and completion_cost; looks of a core that "
                                     "polls and finds nothing are not counted. The busiest one."};
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    resources.add(group, [this, core] { return cores_[core].busy; });
  }
}

}  // namespace wordline::host
