// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/firmware/contract/contract.h"

namespace wordline::flash {

/// Which logical pages of reads that are XORed into their slots (WL_FLASH_SUM) are there already. A page is transferred
/// again when another job joins its read, or a retry reads what failed: each logical page may be added once. By job and
/// not by slot, since reads of several dies go to the same slots at a time.
class SumReads {
 public:
  [[nodiscard]] static bool is_one(const wl_flash_job& read) { return (read.flags & WL_FLASH_SUM) != 0; }

  /// The job comes to the channel, by itself or as an attempt to read the rest.
  void begin(const wl_flash_job& read) {
    if ((read.control & WL_RETRY_REST) == 0) by_job_[read.id].assign(read.count, kNothing);
  }
  /// Whether what is read for `slot` is to be added: the first time.
  [[nodiscard]] bool takes(const wl_flash_job& read, std::uint32_t slot) {
    return std::exchange(page(read, slot), kAdded) != kAdded;
  }
  /// `lacks`: codewords without data, as bits.
  void lose(const wl_flash_job& read, std::uint32_t slot, unsigned lacks) {
    page(read, slot) = static_cast<std::uint16_t>(lacks);
  }
  /// 0: no attempt before said that it lacks any.
  [[nodiscard]] unsigned lacks(const wl_flash_job& read, std::uint32_t slot) {
    const std::uint16_t state = page(read, slot);
    return state == kNothing ? 0U : state;
  }

 private:
  static constexpr std::uint16_t kAdded = 0, kNothing = 0xffff;  // others: codewords that it lacks
  std::uint16_t& page(const wl_flash_job& read, std::uint32_t slot) { return by_job_[read.id].at(slot - read.slot); }
  std::unordered_map<std::uint32_t, std::vector<std::uint16_t>> by_job_;
};

}  // namespace wordline::flash
