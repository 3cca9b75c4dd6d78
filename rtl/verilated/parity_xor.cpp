// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/parity_xor.h"

#include "Vparity_xor.h"
#include "Vparity_xor___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct ParityXor::Impl : VerilatedTop<Vparity_xor> {};

ParityXor::ParityXor() : impl_(std::make_unique<Impl>()) {
  no_unit();
  no_sum();
  set_output_ready(false);
  set_first(false);
  impl_->top.rst_ni = 0;
  clock();
  clock();
  impl_->top.rst_ni = 1;
}

ParityXor::~ParityXor() = default;

void ParityXor::clock() {
  impl_->top.eval();  // the checkers sample what is made of the inputs before the edge
  Impl::clock(&impl_->top);
}
void ParityXor::set_first(bool first) { impl_->top.first_i = first ? 1 : 0; }

void ParityXor::offer_unit(const Beat& beat) {
  for (unsigned i = 0; i < kWords; ++i) impl_->top.unit_tdata_i[i] = beat.word[i];
  impl_->top.unit_tlast_i = beat.last ? 1 : 0;
  impl_->top.unit_tvalid_i = 1;
}
void ParityXor::no_unit() { impl_->top.unit_tvalid_i = 0; }
bool ParityXor::unit_ready() const { return impl_->top.unit_tready_o != 0; }

void ParityXor::offer_sum(const Beat& beat) {
  for (unsigned i = 0; i < kWords; ++i) impl_->top.sum_tdata_i[i] = beat.word[i];
  impl_->top.sum_tlast_i = beat.last ? 1 : 0;
  impl_->top.sum_tvalid_i = 1;
}
void ParityXor::no_sum() { impl_->top.sum_tvalid_i = 0; }
bool ParityXor::sum_ready() const { return impl_->top.sum_tready_o != 0; }

void ParityXor::set_output_ready(bool ready) { impl_->top.m_axis_tready_i = ready ? 1 : 0; }
bool ParityXor::output_valid() const { return impl_->top.m_axis_tvalid_o != 0; }
ParityXor::Beat ParityXor::output() const {
  Beat beat;
  for (unsigned i = 0; i < kWords; ++i) beat.word[i] = impl_->top.m_axis_tdata_o[i];
  beat.last = impl_->top.m_axis_tlast_o != 0;
  return beat;
}

}  // namespace wordline::rtl
