// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// The Error Information log (Base 5.16.1.2): the last commands that ended with an error, and how many there were. It
/// outlives resets of the controller.
///
/// Known gaps: the parameter at fault is not named.
class ErrorLog {
 public:
  static constexpr std::uint32_t kEntries = 64;  // Identify ELPE + 1
  using Page = std::array<std::byte, kPageBytes>;

  /// What a command was about, as its entry says.
  struct Place {
    std::uint32_t nsid = 0;  // 0: no namespace
    std::uint64_t lba = 0;
    std::uint64_t command_specific = 0;
    std::uint8_t opcode = 0;
  };

  /// A command has ended with `status`.
  void add(std::uint16_t sq, std::uint16_t cid, Status status, const Place& place);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The log, newest entry first; entries that are not used are zeros.
  void fill(Page& page) const;

 private:
  std::deque<ErrorEntry> entries_;
  std::uint64_t count_ = 0;
};
static_assert(ErrorLog::kEntries * sizeof(ErrorEntry) == kPageBytes);

}  // namespace wordline::host::nvme
