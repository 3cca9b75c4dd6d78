// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_min_sum_decoder.h"

#include "Vldpc_min_sum_decoder.h"
#include "Vldpc_min_sum_decoder___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct LdpcMinSumDecoder::Impl : VerilatedTop<Vldpc_min_sum_decoder> {};

LdpcMinSumDecoder::LdpcMinSumDecoder() : impl_(std::make_unique<Impl>()) {
  connect(impl_->pins<Pins>());
  set_defaults();
  reset();
}

LdpcMinSumDecoder::~LdpcMinSumDecoder() = default;

void LdpcMinSumDecoder::drive(Pin pin, std::uint64_t value) {
  switch (pin) {
    case Pin::kMaxIterations:
      impl_->top.max_iterations_i = static_cast<std::uint8_t>(value);
      break;
    case Pin::kLlrTable:
      impl_->top.llr_table_i = value;
      break;
    case Pin::kGiveUp:
      impl_->top.give_up_i = static_cast<std::uint8_t>(value);
      break;
    case Pin::kRequest:
      impl_->top.s_axis_tuser_i = static_cast<std::uint16_t>(value);
      break;
  }
}

std::uint32_t LdpcMinSumDecoder::result() const { return impl_->top.m_axis_tuser_o; }

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
