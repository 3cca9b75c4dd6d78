// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"

namespace wordline::config {

/// What a first read of the drive's flash meets: bit errors of a codeword, in the worst page type of the worst layer.
struct ReadForecast {
  double fresh;       // data just written to flash without wear
  double configured;  // nand.aging as it is set, and the oldest of precondition.ages
  double capability;  // bit errors that hard decoding of a codeword corrects in half of the cases
  unsigned codeword_bits;
};

inline constexpr double kWorstBlock = 1.27;  // worst block of the mean: three standard deviations between blocks

/// By the same distributions and decoder statistics as the run's (the built-in table). The senses of nand.timing must
/// be those of a Gray code.
[[nodiscard]] ReadForecast read_forecast(const Config& config);

/// A Gray code has these numbers of senses by page type, or there are none given.
[[nodiscard]] bool is_gray_code(CellType cell, const std::vector<std::uint32_t>& senses);

}  // namespace wordline::config
