// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_encoder.h"

#include <verilated.h>

#include "Vldpc_encoder.h"

namespace wordline::rtl {

struct LdpcEncoder::Impl {
  VerilatedContext context;
  Vldpc_encoder top{&context};
};

LdpcEncoder::LdpcEncoder() : impl_(std::make_unique<Impl>()) { reset(); }

LdpcEncoder::~LdpcEncoder() { impl_->top.final(); }

void LdpcEncoder::offer(std::uint64_t data, bool last) {
  impl_->top.s_axis_tvalid = 1;
  impl_->top.s_axis_tdata = data;
  impl_->top.s_axis_tlast = last ? 1 : 0;
}

void LdpcEncoder::nothing_offered() {
  impl_->top.s_axis_tvalid = 0;
  impl_->top.s_axis_tlast = 0;
}

bool LdpcEncoder::input_ready() const { return impl_->top.s_axis_tready != 0; }
void LdpcEncoder::set_output_ready(bool ready) { impl_->top.m_axis_tready = ready ? 1 : 0; }
bool LdpcEncoder::output_valid() const { return impl_->top.m_axis_tvalid != 0; }
std::uint64_t LdpcEncoder::output_data() const { return impl_->top.m_axis_tdata; }
bool LdpcEncoder::output_last() const { return impl_->top.m_axis_tlast != 0; }
bool LdpcEncoder::busy() const { return impl_->top.busy != 0; }

void LdpcEncoder::clock() {
  // The falling edge first: an edge is seen only by a model that was evaluated at the level before it.
  impl_->top.clk = 0;
  impl_->top.eval();
  impl_->top.clk = 1;
  impl_->top.eval();
}

void LdpcEncoder::reset() {
  nothing_offered();
  set_output_ready(false);
  impl_->top.rst_n = 0;
  clock();
  clock();
  impl_->top.rst_n = 1;
}

}  // namespace wordline::rtl
