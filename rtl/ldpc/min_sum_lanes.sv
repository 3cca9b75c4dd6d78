// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// 64 of the 256 lanes of the min-sum decoder: their share of the memories, and one adder that serves both phases.
//
// value: six planes of a posteriori values L, or of Q between the phases of a layer. A column stays in the order of the
// circulant that used it last. kept: the sign of L before the layer; while a codeword is loaded, its hard bits.
// message: a sign, and whether the magnitude is the row's smallest or second smallest; these two are stored by row.
module min_sum_lanes
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import min_sum_pkg::*;
(
    input logic clk,

    // One of the three, or none.
    input logic load,
    input logic gather,
    input logic update,

    // The column to read (of value_sign: the other one) and to write.
    input logic [6:0] column,
    input logic [6:0] sign_column,

    // Loading: one word of a plane.
    input word_t      load_data,
    input logic [1:0] load_plane,
    input logic       load_last_plane,
    input llr_table_t llr,
    input word_t      known,  // lanes that hold shortened bits

    // A layer.
    input logic       first,            // circulant of the row
    input logic       last,
    input logic       first_iteration,  // there are no messages yet
    input logic [8:0] step,             // circulant of the schedule
    input logic [2:0] row,

    // The column read, turned to the circulant's order.
    input word_t sign,
    input word_t m4,
    input word_t m3,
    input word_t m2,
    input word_t m1,
    input word_t m0,

    output word_t sign_out,
    output word_t value4_out,
    output word_t value3_out,
    output word_t value2_out,
    output word_t value1_out,
    output word_t value0_out,

    // Lanes whose check was not satisfied in the last layer, and lanes in which it changed a bit.
    output word_t parity,
    output word_t changed
);
  word_t value_sign[BlockColumns];
  word_t value4[BlockColumns];
  word_t value3[BlockColumns];
  word_t value2[BlockColumns];
  word_t value1[BlockColumns];
  word_t value0[BlockColumns];
  word_t kept[BlockColumns];
  word_t message_sign[Circulants];
  word_t message_second[Circulants];
  word_t smallest2[BlockRows];
  word_t smallest1[BlockRows];
  word_t smallest0[BlockRows];
  word_t second2[BlockRows];
  word_t second1[BlockRows];
  word_t second0[BlockRows];

  // Levels of the smallest scaled magnitude of the row so far, and of the second smallest.
  word_t low5;
  word_t low4;
  word_t low3;
  word_t low2;
  word_t low1;
  word_t next5;
  word_t next4;
  word_t next3;
  word_t next2;
  word_t next1;
  word_t sign_product;

  assign sign_out = value_sign[sign_column];
  assign value4_out = value4[column];
  assign value3_out = value3[column];
  assign value2_out = value2[column];
  assign value1_out = value1[column];
  assign value0_out = value0[column];

  always_ff @(posedge clk) begin
    automatic logic write = 1'b0;
    automatic logic write_value0 = 1'b0;
    automatic logic write_kept = 1'b0;
    automatic word_t w_sign = '0;
    automatic word_t w4 = '0;
    automatic word_t w3 = '0;
    automatic word_t w2 = '0;
    automatic word_t w1 = '0;
    automatic word_t w0 = '0;
    automatic word_t w_kept = '0;
    automatic word_t hard = '0;
    automatic word_t rel0 = '0;
    automatic word_t rel1 = '0;
    automatic word_t is_it = '0;
    automatic word_t differ = '0;
    automatic word_t r2 = '0;
    automatic word_t r1 = '0;
    automatic word_t r0 = '0;
    automatic word_t t5 = '0;
    automatic word_t t4 = '0;
    automatic word_t t3 = '0;
    automatic word_t t2 = '0;
    automatic word_t t1 = '0;
    automatic word_t second = '0;
    automatic word_t n5 = '0;
    automatic word_t n4 = '0;
    automatic word_t n3 = '0;
    automatic word_t n2 = '0;
    automatic word_t n1 = '0;

    if (load) begin
      hard = load_plane == '0 ? load_data : kept[column];
      rel0 = load_plane == '0 ? '0 : load_plane == 2'd1 ? load_data : value0_out;
      rel1 = load_plane == 2'd2 ? load_data : '0;
      for (int symbol = 0; symbol < 4; symbol++) begin
        is_it = (rel1 ^ {64{!symbol[1]}}) & (rel0 ^ {64{!symbol[0]}});
        w2 |= is_it & {64{llr[symbol][2]}};
        w1 |= is_it & {64{llr[symbol][1]}};
        w0 |= is_it & {64{llr[symbol][0]}};
      end
      w_sign = hard & (w2 | w1 | w0) & ~known;
      w4 = known;
      w3 = known;
      w2 |= known;
      w1 |= known;
      w0 = load_last_plane ? w0 | known : load_data;
      w_kept = load_data;
      write = load_last_plane;
      write_value0 = load_last_plane || load_plane == 2'd1;
      write_kept = load_plane == '0;
    end

    if (gather || update) begin

      // The adder's second operand is what it is for in this phase: L - R, or Q + R.
      if (gather) begin
        differ = ~(sign ^ message_sign[step]);
        second = message_second[step];
      end else begin
        differ = sign_product;
        scaled_levels(m4, m3, m2, m1, m0, t5, t4, t3, t2, t1);
        second = ~((t5 ^ low5) | (t4 ^ low4) | (t3 ^ low3) | (t2 ^ low2) | (t1 ^ low1));
      end
      r2 = smallest2[row] ^ (second & (smallest2[row] ^ second2[row]));
      r1 = smallest1[row] ^ (second & (smallest1[row] ^ second1[row]));
      r0 = smallest0[row] ^ (second & (smallest0[row] ^ second0[row]));
      if (gather && first_iteration) begin
        r2 = '0;
        r1 = '0;
        r0 = '0;
      end
      add_clipped(sign, m4, m3, m2, m1, m0, differ, r2, r1, r0, w_sign, w4, w3, w2, w1, w0);
      write = 1'b1;
      write_value0 = 1'b1;
      write_kept = gather;
      w_kept = sign;

      if (gather) begin
        scaled_levels(w4, w3, w2, w1, w0, t5, t4, t3, t2, t1);
        if (first) begin
          n5 = '1;
          n4 = '1;
          n3 = '1;
          n2 = '1;
          n1 = '1;
          sign_product <= w_sign;
          parity <= sign;
          changed <= '0;
        end else begin
          // The second smallest reaches a level when at most one magnitude so far does not.
          n5 = next5 & (low5 | t5);
          n4 = next4 & (low4 | t4);
          n3 = next3 & (low3 | t3);
          n2 = next2 & (low2 | t2);
          n1 = next1 & (low1 | t1);
          t5 &= low5;
          t4 &= low4;
          t3 &= low3;
          t2 &= low2;
          t1 &= low1;
          sign_product <= sign_product ^ w_sign;
          parity <= parity ^ sign;
        end
        next5 <= n5;
        next4 <= n4;
        next3 <= n3;
        next2 <= n2;
        next1 <= n1;
        low5 <= t5;
        low4 <= t4;
        low3 <= t3;
        low2 <= t2;
        low1 <= t1;
        if (last) begin
          smallest2[row] <= t4;
          smallest1[row] <= t2 & ~t4;
          smallest0[row] <= (t1 & ~t2) | (t3 & ~t4) | t5;
          second2[row] <= n4;
          second1[row] <= n2 & ~n4;
          second0[row] <= (n1 & ~n2) | (n3 & ~n4) | n5;
        end
      end else begin
        message_sign[step] <= sign_product ^ sign;
        message_second[step] <= second;
        changed <= changed | (kept[column] ^ w_sign);
      end
    end

    if (write) begin
      value_sign[column] <= w_sign;
      value4[column] <= w4;
      value3[column] <= w3;
      value2[column] <= w2;
      value1[column] <= w1;
    end
    if (write_value0) value0[column] <= w0;
    if (write_kept) kept[column] <= w_kept;
  end

endmodule
