// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/waits.h"

#include <string>

#include "models/results/histogram.h"

namespace wordline::results {

std::uint64_t WaitSums::total(Op op, std::size_t cause) const {
  return saturated(sums_[static_cast<std::size_t>(op)].of(cause));
}

void WaitSums::register_statistics(Registry& registry) const {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    for (std::size_t cause = 0; cause < kWaitCauses; ++cause) {
      registry.add({"waits.OP.total_ps.CAUSE", {workload::op_name(op), std::string(wait_cause_name(cause))}}, "ps",
                   "Time that requests waited behind the cause, summed over all requests of the operation; the causes "
                   "sum to its waiting stages (`stages.OP.total_ps`, those called queue_...).",
                   [this, op, cause] { return total(op, cause); });
    }
  }
}

}  // namespace wordline::results
