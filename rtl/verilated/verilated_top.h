// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// For the .cpp of a wrapper only: it sees a Verilated header.
/// A Verilated model with its context, its clock and the pins of its stream. No SystemC, no waveform of the inside.
#pragma once

#include <verilated.h>

#include <type_traits>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

/// A Verilated top with its own context, and its stream's pins.
template <class Top>
struct VerilatedTop {
  VerilatedTop() = default;
  // The model unregisters its scopes at the thread's current context, which would be that of the last block made, gone
  // or not.
  ~VerilatedTop() {
    top.final();
    Verilated::threadContextp(&context);
  }
  VerilatedTop(const VerilatedTop&) = delete;
  VerilatedTop& operator=(const VerilatedTop&) = delete;

  template <class Pins>
  Pins pins() {
    return {&top.rst_ni,
            &top.s_axis_tdata_i,
            &top.s_axis_tvalid_i,
            &top.s_axis_tlast_i,
            &top.s_axis_tready_o,
            &top.m_axis_tdata_o,
            &top.m_axis_tvalid_o,
            &top.m_axis_tlast_o,
            &top.m_axis_tready_i,
            &top.busy_o,
            &clock,
            &top};
  }

 private:
  /// The falling edge, which no block acts on: evaluated, or only noted where the model keeps the clock of its last
  /// evaluation.
  template <class T, class = void>
  struct Fall {
    static void of(T& top) {
      top.clk_i = 0;
      top.eval();
    }
  };
  template <class T>
  struct Fall<T, std::void_t<decltype(std::declval<T&>().rootp->__Vtrigrprev__TOP__clk_i)>> {
    static void of(T& top) { top.rootp->__Vtrigrprev__TOP__clk_i = 0; }
  };

 public:
  static void clock(void* top) {
    Top& t = *static_cast<Top*>(top);
    Fall<Top>::of(t);
    t.clk_i = 1;
    t.eval();
  }

  struct LeaveContext {
    ~LeaveContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
  } leave_context;

 public:
  VerilatedContext context;
  Top top{&context};
};

}  // namespace wordline::rtl
