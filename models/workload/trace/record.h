// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "models/workload/request.h"

namespace wordline::workload {

/// A request as the trace has it, before it is fitted to a drive.
struct TraceRecord {
  std::uint64_t ticks = 0;  // ticks of the format, from any origin
  std::uint64_t lba = 0;    // blocks of 512 bytes
  std::uint64_t nlb = 0;    // 0 for FLUSH only
  Op op = Op::kRead;
  bool fua = false;       // on the medium before it completes
  bool preflush = false;  // what was written before is on the medium before it begins: a FLUSH of its own
  std::uint16_t device = 0;
};

/// Numbers the devices of a trace by first appearance.
class DeviceNumbers {
 public:
  /// Nothing when the trace has more devices than there are numbers.
  [[nodiscard]] std::optional<std::uint16_t> of(std::string_view name);
  [[nodiscard]] std::size_t count() const { return numbers_.size(); }

 private:
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
  std::string last_name_;  // most requests are of the device of the one before
  std::uint16_t last_ = 0;
};

/// What a trace has besides requests, and how often: "action G", "requests of 0 bytes".
using LeftOut = std::map<std::string, std::uint64_t>;

}  // namespace wordline::workload
