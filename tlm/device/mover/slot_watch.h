// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/device/mover/reports.h"

namespace wordline::host {

/// Until when data pass out of each slot of the write buffer, and into it. A slot is never written while a read takes
/// data from it, nor the other way round: in this model, whose contents move at one instant, such a read would find the
/// old data or the new ones, but in hardware a mixture. So it is reported. Slots behind the write buffer (read buffer,
/// GC) are not watched.
class SlotWatch {
 public:
  SlotWatch(std::size_t slots, const Reports& reports) : slots_(slots), reports_(reports) {}

  /// The data of `job` pass from `from` to `end`.
  void pass(const wl_host_job& job, Picoseconds from, Picoseconds end) {
    if (job.op == WL_JOB_DMA_IN) {
      arrive(job, from, end);
    } else if (job.op == WL_JOB_DMA_OUT) {
      leave(job, job.slot, from, end);
    }
  }
  /// As pass(), of a copy job.
  void copy(const wl_host_job& job, Picoseconds from, Picoseconds end) {
    leave(job, job.lpage, from, end);
    arrive(job, from, end);
  }

 private:
  struct Slot {
    Picoseconds left, arrived;  // all that pass out, and in, have done so by then
  };

  void arrive(const wl_host_job& job, Picoseconds from, Picoseconds end) {
    for (std::uint32_t i = job.slot; i < job.slot + job.count && i < slots_.size(); ++i) {
      slots_[i].arrived = std::max(slots_[i].arrived, end);
      if (from >= slots_[i].left) continue;
      reports_.error("slot {} is given to new data by tag {} while a read takes the old ones from it until {} ps", i,
                     job.tag, slots_[i].left.count());
      return;
    }
  }
  void leave(const wl_host_job& job, std::uint32_t first, Picoseconds from, Picoseconds end) {
    for (std::uint32_t i = first; i < first + job.count && i < slots_.size(); ++i) {
      slots_[i].left = std::max(slots_[i].left, end);
      if (from >= slots_[i].arrived) continue;
      reports_.error("slot {} is read by tag {} while new data come into it until {} ps", i, job.tag,
                     slots_[i].arrived.count());
      return;
    }
  }

  std::vector<Slot> slots_;
  const Reports& reports_;
};

}  // namespace wordline::host
