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
    input logic clk_i,

    // One of the three commands, or none.
    input logic load_i,
    input logic gather_i,
    input logic update_i,

    // The column to read (of value_sign: the other one) and to write.
    input logic [6:0] column_i,
    input logic [6:0] sign_column_i,

    // Loading: one word of a plane.
    input word_t      load_data_i,
    input logic [1:0] load_plane_i,
    input logic       load_last_plane_i,
    input llr_table_t llr_i,
    input word_t      known_i,  // lanes that hold shortened bits

    // A layer.
    input logic       first_i,            // circulant of the row
    input logic       last_i,
    input logic       first_iteration_i,  // there are no messages yet
    input logic [8:0] step_i,             // circulant of the schedule
    input logic [2:0] row_i,

    // The column read, turned to the circulant's order.
    input word_t sign_i,
    input word_t m4_i,
    input word_t m3_i,
    input word_t m2_i,
    input word_t m1_i,
    input word_t m0_i,

    output word_t sign_o,
    output word_t value4_o,
    output word_t value3_o,
    output word_t value2_o,
    output word_t value1_o,
    output word_t value0_o,

    // Lanes whose check was not satisfied in the last layer, and lanes in which it changed a bit.
    output word_t parity_o,
    output word_t changed_o
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
  word_t low5_q;
  word_t low4_q;
  word_t low3_q;
  word_t low2_q;
  word_t low1_q;
  word_t next5_q;
  word_t next4_q;
  word_t next3_q;
  word_t next2_q;
  word_t next1_q;
  word_t sign_product_q;
  word_t parity_q;
  word_t changed_q;

  assign sign_o = value_sign[sign_column_i];
  assign value4_o = value4[column_i];
  assign value3_o = value3[column_i];
  assign value2_o = value2[column_i];
  assign value1_o = value1[column_i];
  assign value0_o = value0[column_i];
  assign parity_o = parity_q;
  assign changed_o = changed_q;

  // One process, not next state and registers: as module signals, its forty intermediate words would go through memory
  // in every simulated clock. No reset: loading a codeword, or the first circulant of a row, writes all before it is
  // read.
  always_ff @(posedge clk_i) begin
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

    if (load_i) begin
      hard = load_plane_i == '0 ? load_data_i : kept[column_i];
      rel0 = load_plane_i == '0 ? '0 : load_plane_i == 2'd1 ? load_data_i : value0_o;
      rel1 = load_plane_i == 2'd2 ? load_data_i : '0;
      for (int symbol = 0; symbol < 4; symbol++) begin
        is_it = (rel1 ^ {64{!symbol[1]}}) & (rel0 ^ {64{!symbol[0]}});
        w2 |= is_it & {64{llr_i[symbol][2]}};
        w1 |= is_it & {64{llr_i[symbol][1]}};
        w0 |= is_it & {64{llr_i[symbol][0]}};
      end
      w_sign = hard & (w2 | w1 | w0) & ~known_i;
      w4 = known_i;
      w3 = known_i;
      w2 |= known_i;
      w1 |= known_i;
      w0 = load_last_plane_i ? w0 | known_i : load_data_i;
      w_kept = load_data_i;
      write = load_last_plane_i;
      write_value0 = load_last_plane_i || load_plane_i == 2'd1;
      write_kept = load_plane_i == '0;
    end

    if (gather_i || update_i) begin

      // The adder's second operand is what it is for in this phase: L - R, or Q + R.
      if (gather_i) begin
        differ = ~(sign_i ^ message_sign[step_i]);
        second = message_second[step_i];
      end else begin
        differ = sign_product_q;
        scaled_levels(m4_i, m3_i, m2_i, m1_i, m0_i, t5, t4, t3, t2, t1);
        second = ~((t5 ^ low5_q) | (t4 ^ low4_q) | (t3 ^ low3_q) | (t2 ^ low2_q) | (t1 ^ low1_q));
      end
      r2 = smallest2[row_i] ^ (second & (smallest2[row_i] ^ second2[row_i]));
      r1 = smallest1[row_i] ^ (second & (smallest1[row_i] ^ second1[row_i]));
      r0 = smallest0[row_i] ^ (second & (smallest0[row_i] ^ second0[row_i]));
      if (gather_i && first_iteration_i) begin
        r2 = '0;
        r1 = '0;
        r0 = '0;
      end
      add_clipped(sign_i, m4_i, m3_i, m2_i, m1_i, m0_i, differ, r2, r1, r0, w_sign, w4, w3, w2, w1, w0);
      write = 1'b1;
      write_value0 = 1'b1;
      write_kept = gather_i;
      w_kept = sign_i;

      if (gather_i) begin
        scaled_levels(w4, w3, w2, w1, w0, t5, t4, t3, t2, t1);
        if (first_i) begin
          n5 = '1;
          n4 = '1;
          n3 = '1;
          n2 = '1;
          n1 = '1;
          sign_product_q <= w_sign;
          parity_q <= sign_i;
          changed_q <= '0;
        end else begin
          // The second smallest reaches a level when at most one magnitude so far does not.
          n5 = next5_q & (low5_q | t5);
          n4 = next4_q & (low4_q | t4);
          n3 = next3_q & (low3_q | t3);
          n2 = next2_q & (low2_q | t2);
          n1 = next1_q & (low1_q | t1);
          t5 &= low5_q;
          t4 &= low4_q;
          t3 &= low3_q;
          t2 &= low2_q;
          t1 &= low1_q;
          sign_product_q <= sign_product_q ^ w_sign;
          parity_q <= parity_q ^ sign_i;
        end
        next5_q <= n5;
        next4_q <= n4;
        next3_q <= n3;
        next2_q <= n2;
        next1_q <= n1;
        low5_q <= t5;
        low4_q <= t4;
        low3_q <= t3;
        low2_q <= t2;
        low1_q <= t1;
        if (last_i) begin
          smallest2[row_i] <= t4;
          smallest1[row_i] <= t2 & ~t4;
          smallest0[row_i] <= (t1 & ~t2) | (t3 & ~t4) | t5;
          second2[row_i] <= n4;
          second1[row_i] <= n2 & ~n4;
          second0[row_i] <= (n1 & ~n2) | (n3 & ~n4) | n5;
        end
      end else begin
        message_sign[step_i] <= sign_product_q ^ sign_i;
        message_second[step_i] <= second;
        changed_q <= changed_q | (kept[column_i] ^ w_sign);
      end
    end

    if (write) begin
      value_sign[column_i] <= w_sign;
      value4[column_i] <= w4;
      value3[column_i] <= w3;
      value2[column_i] <= w2;
      value1[column_i] <= w1;
    end
    if (write_value0) value0[column_i] <= w0;
    if (write_kept) kept[column_i] <= w_kept;
  end

endmodule
