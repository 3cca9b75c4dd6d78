// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/ldpc_encoder.h"

#include "Vldpc_encoder.h"
#include "Vldpc_encoder___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct LdpcEncoder::Impl : VerilatedTop<Vldpc_encoder> {};

LdpcEncoder::LdpcEncoder() : impl_(std::make_unique<Impl>()) {
  connect(impl_->pins<Pins>());
  reset();
}

LdpcEncoder::~LdpcEncoder() = default;

void LdpcEncoder::add_status(std::vector<StatusSignal>& signals) const {
  const auto& root = *impl_->top.rootp;
  signals.push_back({"state", 2, root.ldpc_encoder__DOT__state_q});
  signals.push_back({"beat", 9, root.ldpc_encoder__DOT__beat_q});
}

}  // namespace wordline::rtl
