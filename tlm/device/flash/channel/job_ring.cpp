// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/job_ring.h"

#include <fmt/core.h>

#include <algorithm>

#include "registers/wordline_regs.hpp"

namespace wordline::flash {

namespace regs = registers::channel;

bool JobRing::read_register(std::uint32_t offset, std::uint32_t outstanding, std::uint32_t& value) const {
  switch (offset) {
    case regs::job_ring_base:
      value = base_;
      return true;
    case regs::job_ring_size:
      value = size_;
      return true;
    case regs::job_doorbell:
      value = 0;  // write only
      return true;
    case regs::status:
      value = std::min(outstanding, regs::status_outstanding_mask);
      return true;
    default:
      return false;
  }
}

bool JobRing::write_register(std::uint32_t offset, std::uint32_t value, Picoseconds at) {
  switch (offset) {
    case regs::job_ring_base:
      base_ = value;
      ring_.close();
      return true;
    case regs::job_ring_size:
      size_ = value;
      ring_.close();
      return true;
    case regs::job_doorbell:
      doorbells_.add(at, value);
      return true;
    case regs::status:
      return true;  // read only: the write has no effect
    default:
      return false;
  }
}

bool JobRing::open() {
  if (ring_.is_open()) return true;
  if (!tlm_if::is_ring_size(size_)) {
    SC_REPORT_ERROR("wordline/flash", fmt::format("{}: doorbell with a job ring of {} entries: write a power of two to "
                                                  "JOB_RING_SIZE first",
                                                  owner_, size_)
                                          .c_str());
    return false;
  }
  return ring_.open(*memory_[0], base_, size_);  // false has been reported by the memory
}

void JobRing::report_overflow(std::uint32_t produced) const {
  SC_REPORT_ERROR("wordline/flash",
                  fmt::format("{}: doorbell {} with {} jobs taken overflows the ring of {} entries: the "
                              "firmware must not have more jobs outstanding",
                              owner_, produced, ring_.consumed(), size_)
                      .c_str());
}

}  // namespace wordline::flash
