// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// 256 lanes as four words of 64 bits, and what a barrel shifter does to them. Lane p is bit p % 64 of word p / 64.
// In gates this is only an order of wires; simulated, words of 64 bits are several times faster than vectors of 256.
//
// Two more rules for a fast simulation by Verilator, which keep intermediate values in registers of the processor: what
// is not inlined by Verilator is by the compiler (no_inline_task), and automatic variables get a value at the top of a
// block.
package bit_plane_pkg;

  typedef logic [63:0] word_t;

  // Word of a plane rotated right by b lanes, b < 64: its lanes are lanes b, b + 1, ... of {high, low}.
  function automatic word_t funnel_right(input word_t high, input word_t low, input logic [5:0] b);
    /* verilator no_inline_task */
    funnel_right = (low >> b) | ((high << 1) << (6'd63 - b));
  endfunction

  // Word of a plane rotated left by b lanes, b < 64: the upper half of {high, low} << b.
  function automatic word_t funnel_left(input word_t high, input word_t low, input logic [5:0] b);
    /* verilator no_inline_task */
    funnel_left = (high << b) | ((low >> 1) >> (6'd63 - b));
  endfunction

endpackage
