// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A model as a Verilator would make it that keeps the clock of its last evaluation under a name of its own. It must not
// compile: the falling edge would be lost (rtl/verilated/verilated_top.h).
#include "rtl/verilated/verilated_top.h"

namespace {

struct Root {
  CData a_name_that_nobody_has_seen;
};

struct Top {
  explicit Top(VerilatedContext*) {}
  void eval() {}
  void final() {}
  CData clk_i = 0;
  CData rst_ni = 0;
  Root* rootp = nullptr;
};

}  // namespace

void clock_it(Top& top) { wordline::rtl::VerilatedTop<Top>::clock(&top); }
