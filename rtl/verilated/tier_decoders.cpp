// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/tier_decoders.h"

#include <fmt/format.h>

#include <stdexcept>

namespace wordline::rtl {

void Tier2Decoder::set_defaults() {
  set_max_iterations(20);
  set_llr_table(0, {7, 7, 7, 7});
  set_llr_table(1, {2, 7, 7, 7});
  set_llr_table(2, {1, 2, 4, 7});
  set_llr_table(3, {0, 7, 7, 7});
  set_request({});
  set_abort(false);
}

void Tier2Decoder::set_max_iterations(unsigned iterations) {
  if (iterations > kMostIterations) {
    throw std::invalid_argument(fmt::format("min-sum decoder: {} iterations; the register holds 31", iterations));
  }
  drive(Pin::kMaxIterations, iterations);
}

void Tier2Decoder::set_llr_table(unsigned profile, const LlrTable& table) {
  if (profile >= kProfiles) throw std::invalid_argument(fmt::format("min-sum decoder: profile {}; 0 to 3", profile));
  std::uint64_t packed = 0;
  for (unsigned symbol = 0; symbol < table.size(); ++symbol) {
    if (table[symbol] > 7) {
      throw std::invalid_argument(
          fmt::format("min-sum decoder: a channel magnitude of {}; the table holds 0 to 7", table[symbol]));
    }
    packed |= std::uint64_t{table[symbol]} << (3 * symbol);
  }
  const unsigned at = 12 * profile;
  llr_tables_ = (llr_tables_ & ~(std::uint64_t{0xfff} << at)) | packed << at;
  drive(Pin::kLlrTable, llr_tables_);
}

void Tier2Decoder::set_request(const Request& request) {
  if (request.profile >= kProfiles || request.soft_planes > 2) {
    throw std::invalid_argument("min-sum decoder: profiles are 0 to 3, soft planes 0 to 2");
  }
  drive(Pin::kRequest, static_cast<std::uint64_t>(request.tag << 4 | request.profile << 2 | request.soft_planes));
}

}  // namespace wordline::rtl
