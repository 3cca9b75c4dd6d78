// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/testbed.h"

#include "tlm/device/initial_content.h"

namespace wordline::host {

Testbed::Testbed(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
                 device::Drive& drive, const TestbedEnvironment& environment)
    : sc_module(name),
      oracle(layout.user_lpages, device::is_preconditioned(config, environment.state), layout.lpage),
      cores(config.host),
      driver("driver", environment.context, config, layout.user_lpages, environment.source,
             environment.request_statistics, oracle, memory, cores, environment.recorder,
             {environment.verify_all, environment.promises, environment.shut_down,
              cores.pairs() > 1 ? &by_queue : nullptr, environment.client}),
      end_(make_host_end({environment.context, config, layout.user_lpages, memory, cores, drive.link, *drive.host})) {
  if (const precondition::InitialState* state = environment.state; state != nullptr && !state->is_full()) {
    oracle.start_with([state](std::uint64_t lpage) { return state->is_mapped(static_cast<std::uint32_t>(lpage)); });
  }
  if (environment.image != nullptr)
    oracle.start_with(precondition::contents_of(*environment.image), environment.image->newest_version());
  by_queue.open(cores.pairs(), [this](std::uint32_t pair) -> results::QueueResults::Counts {
    const HostPathIf::PairCounts counts = end_->path().counts(pair);
    return {counts.fetched, counts.interrupts, counts.completion_queue};
  });
  driver.stage_clock.bind(drive.stage_clock);
  driver.path.bind(end_->path());
  drive.host->mover.host_memory.bind(memory);
}

Testbed::~Testbed() = default;

}  // namespace wordline::host
