// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_bit_flip_decoder.h"

#include "Vldpc_bit_flip_decoder.h"
#include "Vldpc_bit_flip_decoder___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct LdpcBitFlipDecoder::Impl : VerilatedTop<Vldpc_bit_flip_decoder> {};

LdpcBitFlipDecoder::LdpcBitFlipDecoder() : impl_(std::make_unique<Impl>()) {
  connect(impl_->pins<Pins>());
  set_max_iterations(20);
  reset();
}

LdpcBitFlipDecoder::~LdpcBitFlipDecoder() = default;

void LdpcBitFlipDecoder::set_max_iterations(std::uint8_t iterations) { impl_->top.max_iterations_i = iterations; }

std::uint32_t LdpcBitFlipDecoder::result() const { return impl_->top.m_axis_tuser_o; }

void LdpcBitFlipDecoder::add_status(std::vector<StatusSignal>& signals) const {
  const auto& root = *impl_->top.rootp;
  const unsigned bank = root.ldpc_bit_flip_decoder__DOT__decode_bank_q;
  std::uint64_t weight = 0;
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned word = 0; word < 4; ++word) {
      weight +=
          static_cast<unsigned>(__builtin_popcountll(root.ldpc_bit_flip_decoder__DOT__syndrome_q[bank][row][word]));
    }
  }
  signals.push_back({"decoding", 1, root.ldpc_bit_flip_decoder__DOT__bank_state_q[bank] == 1});
  signals.push_back({"iterations", 8, root.ldpc_bit_flip_decoder__DOT__iterations_q});
  signals.push_back({"column", 7, root.ldpc_bit_flip_decoder__DOT__column_q});
  signals.push_back({"syndrome_weight", 12, weight});
}

}  // namespace wordline::rtl
