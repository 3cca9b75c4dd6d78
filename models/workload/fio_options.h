// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wordline::workload {

enum class FioOption : std::uint8_t {
  kUnknown,
  kUnsupported,  // fio has it and it would change the result, but it is not implemented
  kNoEffect,
  kRw,
  kBs,
  kIodepth,
  kNumjobs,
  kSize,
  kIoSize,
  kOffset,
  kOffsetIncrement,
  kNumberIos,
  kRuntime,
  kRampTime,
  kTimeBased,
  kRwmixread,
  kRwmixwrite,
  kRandomDistribution,
  kRandseed,
  kNorandommap,
  kName,
};

/// Kind of an option by its fio name or alias.
[[nodiscard]] FioOption fio_option(std::string_view name);
/// The nearest option that is accepted, by edit distance; empty when nothing is near.
[[nodiscard]] std::string nearest_fio_option(std::string_view name);

}  // namespace wordline::workload
