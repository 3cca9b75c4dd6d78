// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic of the min-sum decoder on 64 lanes at a time, one word per bit of the number ("bit planes"). Numbers are a
// sign and a magnitude, zero always positive, so that -31..31 is all there is and clipping is symmetric by nature.
package min_sum_pkg;
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;

  localparam int unsigned LayerBits = 8;
  localparam int unsigned TagBits = 8;

  // With every beat of a codeword's planes. The profile picks one of four tables of channel magnitudes.
  typedef struct packed {
    logic [TagBits-1:0] tag;
    logic [1:0]         profile;
    logic [1:0]         soft_planes;  // packets after the hard bits: 0, 1 or 2
  } min_sum_request_t;

  // With every beat of a decoded codeword.
  typedef struct packed {
    logic [TagBits-1:0]   tag;
    logic                 aborted;
    logic                 success;
    logic [LayerBits-1:0] layers;  // taken
  } min_sum_result_t;

  // Magnitudes of the symbols {rel1, rel0} = 3, 2, 1, 0.
  typedef logic [3:0][2:0] llr_table_t;

  // One circulant of the schedule: rows 0 to 7, rising columns in a row.
  typedef struct packed {
    logic       last;  // the last one of its row
    logic [6:0] column;
    logic [7:0] shift;
  } step_t;

  function automatic step_t step_of(input int unsigned k);
    automatic logic last = 1'b0;
    for (int unsigned r = 1; r <= BlockRows; r++) last |= RowStart[r] == k + 1;
    step_of = {last, CirculantColumn[k][6:0], CirculantShift[k][7:0]};
  endfunction

  function automatic word_t majority(input word_t a, input word_t b, input word_t c);
    /* verilator no_inline_task */
    majority = ((a ^ b) & (c ^ a)) ^ a;
  endfunction

  // Sum of a number and one of magnitude {r2, r1, r0}, clipped to -31..31. `differ`: where the signs are not the same.
  task automatic add_clipped(
      input word_t sign, input word_t m4, input word_t m3, input word_t m2, input word_t m1, input word_t m0,
      input word_t differ, input word_t r2, input word_t r1, input word_t r0,
      output word_t out_sign, output word_t o4, output word_t o3, output word_t o2, output word_t o1,
      output word_t o0);
    /* verilator no_inline_task */
    automatic word_t c;
    automatic word_t s4;
    automatic word_t s3;
    automatic word_t s2;
    automatic word_t s1;
    automatic word_t s0;
    automatic word_t below;  // the difference is negative: at most 5 in magnitude
    automatic word_t above;  // the sum is more than 31
    // m + r, or m - r as m + ~r + 1.
    s0 = m0 ^ r0;
    c = majority(m0, r0 ^ differ, differ);
    s1 = m1 ^ r1 ^ differ ^ c;
    c = majority(m1, r1 ^ differ, c);
    s2 = m2 ^ r2 ^ differ ^ c;
    c = majority(m2, r2 ^ differ, c);
    s3 = m3 ^ differ ^ c;
    c = majority(m3, differ, c);
    s4 = m4 ^ differ ^ c;
    c = majority(m4, differ, c);
    below = differ & ~c;
    above = c & ~differ;
    o0 = s0 | above;
    o1 = (s1 ^ (below & s0)) | above;
    o2 = (s2 ^ (below & (s1 | s0))) | above;
    o3 = (s3 & ~below) | above;
    o4 = (s4 & ~below) | above;
    out_sign = (sign ^ below) & (o4 | o3 | o2 | o1 | o0);
  endtask

  // min(m, 7) scaled by 0.75, halves down: (3 m + 1) >> 2 is the number of these that hold: m > 0, 2, 3, 4, 6. Scaling
  // keeps the order, so minima may be taken, and compared, after it.
  task automatic scaled_levels(
      input word_t m4, input word_t m3, input word_t m2, input word_t m1, input word_t m0,
      output word_t t5, output word_t t4, output word_t t3, output word_t t2, output word_t t1);
    /* verilator no_inline_task */
    automatic word_t big;
    big = m4 | m3;
    t5 = big | (m2 & m1 & m0);
    t4 = big | (m2 & (m1 | m0));
    t3 = big | m2;
    t2 = t3 | (m1 & m0);
    t1 = t3 | m1 | m0;
  endtask

endpackage
