// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/host/mover/host_command.h"
#include "tlm/host/mover/reports.h"

namespace wordline::host {

/// Until when reads take data out of each slot of the write buffer. Firmware that gives such a slot to new data early
/// would pass in this model, whose contents move at one instant, but would corrupt data in hardware: so it is reported.
/// Slots behind the write buffer (read buffer, GC) are not watched.
class SlotWatch {
 public:
  SlotWatch(std::size_t slots, const Reports& reports) : leaving_(slots), reports_(reports) {}

  /// The data of `job` pass from `from` to `end`.
  void pass(const wl_host_job& job, const HostCommand& command, Picoseconds from, Picoseconds end) {
    if (job.op == WL_JOB_ZERO_OUT) return;
    for (std::uint32_t i = 0; i < job.count && job.slot + i < leaving_.size(); ++i) {
      Picoseconds& leaving = leaving_[job.slot + i];
      if (job.op == WL_JOB_DMA_OUT) {
        leaving = std::max(leaving, end);
        continue;
      }
      const bool fresh = (job.flags & WL_JOB_ZERO_REST) != 0 || command.covers(job.sector + i);
      if (!fresh || from >= leaving) continue;
      reports_.error("slot {} is given to new data by tag {} while a read takes the old ones to the host until {} ps",
                     job.slot + i, job.tag, leaving.count());
      return;
    }
  }

 private:
  std::vector<Picoseconds> leaving_;  // by slot: its data have left for the host by then
  const Reports& reports_;
};

}  // namespace wordline::host
