// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/l2p_lookup.h"

#include "Vl2p_lookup.h"
#include "Vl2p_lookup___024root.h"
#include "rtl/verilated/l2p_lookup_pins.h"
#include "rtl/verilated/verilated_engine.h"

namespace wordline::rtl {

struct L2pLookup::Impl : VerilatedEngine<Vl2p_lookup, L2pPins> {};

L2pLookup::L2pLookup() : impl_(std::make_unique<Impl>()) {}
L2pLookup::~L2pLookup() = default;

L2pLookup::Outputs L2pLookup::outputs() const { return impl_->outputs(); }
void L2pLookup::clock(const Inputs& inputs) { impl_->clock(inputs); }

}  // namespace wordline::rtl
