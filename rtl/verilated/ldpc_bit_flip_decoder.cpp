// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_bit_flip_decoder.h"

#include <verilated.h>

#include "Vldpc_bit_flip_decoder.h"

namespace wordline::rtl {

struct LdpcBitFlipDecoder::Impl {
  VerilatedContext context;
  Vldpc_bit_flip_decoder top{&context};
};

LdpcBitFlipDecoder::LdpcBitFlipDecoder() : impl_(std::make_unique<Impl>()) {
  impl_->top.max_iterations = 20;
  reset();
}

LdpcBitFlipDecoder::~LdpcBitFlipDecoder() { impl_->top.final(); }

void LdpcBitFlipDecoder::set_max_iterations(std::uint8_t iterations) { impl_->top.max_iterations = iterations; }

void LdpcBitFlipDecoder::offer(std::uint64_t data, bool last) {
  impl_->top.s_axis_tvalid = 1;
  impl_->top.s_axis_tdata = data;
  impl_->top.s_axis_tlast = last ? 1 : 0;
}

void LdpcBitFlipDecoder::nothing_offered() {
  impl_->top.s_axis_tvalid = 0;
  impl_->top.s_axis_tlast = 0;
}

bool LdpcBitFlipDecoder::input_ready() const { return impl_->top.s_axis_tready != 0; }

void LdpcBitFlipDecoder::set_output_ready(bool ready) { impl_->top.m_axis_tready = ready ? 1 : 0; }
bool LdpcBitFlipDecoder::output_valid() const { return impl_->top.m_axis_tvalid != 0; }
std::uint64_t LdpcBitFlipDecoder::output_data() const { return impl_->top.m_axis_tdata; }
bool LdpcBitFlipDecoder::output_last() const { return impl_->top.m_axis_tlast != 0; }
bool LdpcBitFlipDecoder::success() const { return ((impl_->top.m_axis_tuser >> 8) & 1) != 0; }
unsigned LdpcBitFlipDecoder::iterations() const { return impl_->top.m_axis_tuser & 0xff; }
bool LdpcBitFlipDecoder::busy() const { return impl_->top.busy != 0; }

void LdpcBitFlipDecoder::clock() {
  // The falling edge first: an edge is seen only by a model that was evaluated at the level before it.
  impl_->top.clk = 0;
  impl_->top.eval();
  impl_->top.clk = 1;
  impl_->top.eval();
}

void LdpcBitFlipDecoder::reset() {
  nothing_offered();
  set_output_ready(false);
  impl_->top.rst_n = 0;
  clock();
  clock();
  impl_->top.rst_n = 1;
}

}  // namespace wordline::rtl
