// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#include "rtl/verilated/axi_stream_block.h"

/// For the .cpp of a wrapper only: it sees a Verilated header.
namespace wordline::rtl {

/// A Verilated top with its own context, and its stream's pins.
template <class Top>
struct VerilatedTop {
  VerilatedTop() = default;
  // The model unregisters its scopes at the thread's current context, which would be that of the last block made, gone or not.
  ~VerilatedTop() {
    top.final();
    Verilated::threadContextp(&context);
  }
  VerilatedTop(const VerilatedTop&) = delete;
  VerilatedTop& operator=(const VerilatedTop&) = delete;

  template <class Pins>
  Pins pins() {
    return {&top.clk,           &top.rst_n,         &top.s_axis_tdata,  &top.s_axis_tvalid,
            &top.s_axis_tlast,  &top.s_axis_tready, &top.m_axis_tdata,  &top.m_axis_tvalid,
            &top.m_axis_tlast,  &top.m_axis_tready, &top.busy,          [](void* t) { static_cast<Top*>(t)->eval(); },
            &top};
  }

 private:
  struct LeaveContext {
    ~LeaveContext() { Verilated::threadContextp(Verilated::defaultContextp()); }
  } leave_context;

 public:
  VerilatedContext context;
  Top top{&context};
};

}  // namespace wordline::rtl
