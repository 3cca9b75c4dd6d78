// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_min_sum_decoder.h"

#include <fmt/format.h>

#include <stdexcept>

#include "Vldpc_min_sum_decoder.h"
#include "Vldpc_min_sum_decoder___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct LdpcMinSumDecoder::Impl : VerilatedTop<Vldpc_min_sum_decoder> {};

LdpcMinSumDecoder::LdpcMinSumDecoder() : impl_(std::make_unique<Impl>()) {
  connect(impl_->pins<Pins>());
  set_max_iterations(20);
  set_llr_table(0, {7, 7, 7, 7});
  set_llr_table(1, {2, 7, 7, 7});
  set_llr_table(2, {1, 2, 4, 7});
  set_llr_table(3, {0, 7, 7, 7});
  set_request({});
  set_abort(false);
  reset();
}

LdpcMinSumDecoder::~LdpcMinSumDecoder() = default;

void LdpcMinSumDecoder::set_max_iterations(unsigned iterations) {
  if (iterations > kMostIterations) {
    throw std::invalid_argument(fmt::format("min-sum decoder: {} iterations; the register holds 31", iterations));
  }
  impl_->top.max_iterations_i = static_cast<std::uint8_t>(iterations);
}

void LdpcMinSumDecoder::set_llr_table(unsigned profile, const LlrTable& table) {
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
  impl_->top.llr_table_i = (impl_->top.llr_table_i & ~(std::uint64_t{0xfff} << at)) | packed << at;
}

void LdpcMinSumDecoder::set_request(const Request& request) {
  if (request.profile >= kProfiles || request.soft_planes > 2) {
    throw std::invalid_argument("min-sum decoder: profiles are 0 to 3, soft planes 0 to 2");
  }
  impl_->top.s_axis_tuser_i = static_cast<std::uint16_t>(request.tag << 4 | request.profile << 2 | request.soft_planes);
}

void LdpcMinSumDecoder::set_abort(bool abort) { impl_->top.give_up_i = abort ? 1 : 0; }

std::uint8_t LdpcMinSumDecoder::tag() const { return static_cast<std::uint8_t>(impl_->top.m_axis_tuser_o >> 10); }
bool LdpcMinSumDecoder::aborted() const { return (impl_->top.m_axis_tuser_o >> 9 & 1) != 0; }
bool LdpcMinSumDecoder::success() const { return (impl_->top.m_axis_tuser_o >> 8 & 1) != 0; }
unsigned LdpcMinSumDecoder::layers() const { return impl_->top.m_axis_tuser_o & 0xff; }

void LdpcMinSumDecoder::add_status(std::vector<StatusSignal>& signals) const {
  const auto& root = *impl_->top.rootp;
  const auto ones = [](std::uint64_t word) { return static_cast<std::uint64_t>(__builtin_popcountll(word)); };
  signals.push_back({"state", 2, root.ldpc_min_sum_decoder__DOT__state_q});
  signals.push_back({"layers", 8, root.ldpc_min_sum_decoder__DOT__layers_q});
  signals.push_back({"odd_checks", 9,
                     ones(root.ldpc_min_sum_decoder__DOT__gen_lanes__BRA__0__KET____DOT__u_lanes__DOT__parity_q) +
                         ones(root.ldpc_min_sum_decoder__DOT__gen_lanes__BRA__1__KET____DOT__u_lanes__DOT__parity_q) +
                         ones(root.ldpc_min_sum_decoder__DOT__gen_lanes__BRA__2__KET____DOT__u_lanes__DOT__parity_q) +
                         ones(root.ldpc_min_sum_decoder__DOT__gen_lanes__BRA__3__KET____DOT__u_lanes__DOT__parity_q)});
}

}  // namespace wordline::rtl
