// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/parse.h"

#include "Vparse.h"
#include "Vparse___024root.h"
#include "rtl/verilated/parse_pins.h"
#include "rtl/verilated/verilated_engine.h"

namespace wordline::rtl {

struct Parse::Impl : VerilatedEngine<Vparse, ParsePins> {};

Parse::Parse() : impl_(std::make_unique<Impl>()) {}
Parse::~Parse() = default;

Parse::Outputs Parse::outputs() const { return impl_->outputs(); }
void Parse::clock(const Inputs& inputs) { impl_->clock(inputs); }

}  // namespace wordline::rtl
