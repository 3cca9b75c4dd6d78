// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// For the .cpp of a wrapper only: it sees a Verilated header.
/// A Verilated engine with the structs of its ports; Pins (*_pins.h) leads from one to the other.
#pragma once

#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

template <class Top, class Pins>
struct VerilatedEngine : VerilatedTop<Top> {
  using Base = VerilatedTop<Top>;
  using Ports = typename Pins::Ports;

  /// Held in reset for two clocks, then ready.
  VerilatedEngine() {
    Base::top.rst_ni = 0;
    clock({});
    clock({});
    Base::top.rst_ni = 1;
  }

  [[nodiscard]] typename Ports::Outputs outputs() const { return Pins::seen(Base::top); }
  void clock(const typename Ports::Inputs& inputs) {
    Pins::drive(Base::top, inputs);
    Base::top.eval();  // the checkers sample what is made of the inputs before the edge
    Base::clock(&(Base::top));
  }
};

}  // namespace wordline::rtl
