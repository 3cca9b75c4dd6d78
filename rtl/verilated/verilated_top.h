// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// For the .cpp of a wrapper only: it sees a Verilated header.
/// A Verilated model with its context, its clock and the pins of its stream. No SystemC, no waveform of the inside.
#pragma once

#include <verilated.h>

#include <type_traits>
#include <utility>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

/// A context that begins with the values of start_values.h.
struct StartContext : VerilatedContext {
  StartContext();
};

/// With WORDLINE_RTL_COVERAGE: the counts of a block that ends are added to those of the program, which writes them, in
/// Verilator's format, to the file that the variable WORDLINE_RTL_COVERAGE of its environment names.
void keep_coverage(VerilatedContext& context);

/// A Verilated top with its own context, and its stream's pins.
template <class Top>
struct VerilatedTop {
  // Evaluated once with the clock low: a model takes the first level that it sees for the one before, so the first
  // rising edge would be lost.
  VerilatedTop() {
    top.rst_ni = 0;
    top.clk_i = 0;
    top.eval();
  }
  // The model unregisters its scopes at the thread's current context, which would be that of the last block made, gone
  // or not.
  ~VerilatedTop() {
    top.final();
#if VM_COVERAGE
    keep_coverage(context);
#endif
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
  /// The falling edge, which no block acts on, is not evaluated: it is noted where the model keeps the clock of its
  /// last evaluation. That saves half of the evaluations, and needs a member that is Verilator's own affair: a version
  /// that names it otherwise does not compile. Then find the name in the generated ...___024root.h, or build with
  /// -DWORDLINE_EVALUATE_BOTH_EDGES=ON: slower, and the same in all else.
  template <class Root, class = void>
  struct OneName : std::false_type {};
  template <class Root>
  struct OneName<Root, std::void_t<decltype(std::declval<Root&>().__Vtrigrprev__TOP__clk_i)>> : std::true_type {
    static CData& of(Root& root) { return root.__Vtrigrprev__TOP__clk_i; }  // 5.006
  };
  template <class Root, class = void>
  struct OtherName : std::false_type {};
  template <class Root>
  struct OtherName<Root, std::void_t<decltype(std::declval<Root&>().__Vtrigprevexpr___TOP__clk_i__0)>>
      : std::true_type {
    static CData& of(Root& root) { return root.__Vtrigprevexpr___TOP__clk_i__0; }  // 5.048
  };

  template <class T>
  static void fall(T& top) {
#ifdef WORDLINE_EVALUATE_BOTH_EDGES
    top.clk_i = 0;
    top.eval();
#else
    using Root = std::remove_reference_t<decltype(*top.rootp)>;
    static_assert(OneName<Root>::value || OtherName<Root>::value,
                  "rtl/verilated does not know where this Verilator keeps the clock of the last evaluation: see "
                  "VerilatedTop::fall, or configure with -DWORDLINE_EVALUATE_BOTH_EDGES=ON");
    std::conditional_t<OneName<Root>::value, OneName<Root>, OtherName<Root>>::of(*top.rootp) = 0;
#endif
  }

 public:
  static void clock(void* top) {
    Top& t = *static_cast<Top*>(top);
    fall(t);
    t.clk_i = 1;
    t.eval();
  }

  struct LeaveContext {
    ~LeaveContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
  } leave_context;

 public:
  StartContext context;
  Top top{&context};
};

}  // namespace wordline::rtl
