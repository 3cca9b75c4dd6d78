// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/victim_selector.h"

#include "Vvictim_selector.h"
#include "Vvictim_selector___024root.h"
#include "rtl/verilated/verilated_engine.h"
#include "rtl/verilated/victim_selector_pins.h"

namespace wordline::rtl {

struct VictimSelector::Impl : VerilatedEngine<Vvictim_selector, VictimPins> {};

VictimSelector::VictimSelector() : impl_(std::make_unique<Impl>()) {}
VictimSelector::~VictimSelector() = default;

VictimSelector::Outputs VictimSelector::outputs() const { return impl_->outputs(); }
void VictimSelector::clock(const Inputs& inputs) { impl_->clock(inputs); }

}  // namespace wordline::rtl
