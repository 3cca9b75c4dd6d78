// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A wrapper that fits a block cipher nobody here wrote, aes_core of https://github.com/secworks/aes, to the slot
// stream_tap: AES-256 of each 16 bytes in XEX mode, T = E(codeword), C = E(P ^ T x^j) ^ T x^j. The core takes one block at
// a time, so a codeword of 128 blocks takes 10,000 clocks where the stream has 256: the drive shows what that costs.
//
// Limits: one key, a parameter; with a key of its own for the tweak it would be XTS.
module aes_tap #(
    parameter logic [255:0] Key = 256'h603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic [63:0] s_axis_tdata_i,
    input  logic        s_axis_tvalid_i,
    input  logic        s_axis_tlast_i,
    input  logic [33:0] s_axis_tuser_i,   // {write, half, logical page}
    output logic        s_axis_tready_o,

    output logic [63:0] m_axis_tdata_o,
    output logic        m_axis_tvalid_o,
    output logic        m_axis_tlast_o,
    input  logic        m_axis_tready_i,

    output logic busy_o,

    output logic [2:0]  status_state_o,
    output logic [31:0] count_blocks_o
);
  typedef enum logic [2:0] {Key0, KeyWait, Idle, Tweak, Load, Run, Unload} state_e;

  state_e state_q;
  logic half_q, last_q, write_q;  // half of a block; of the packet
  logic [127:0] block_q, tweak_q;
  logic [31:0] blocks_q;
  logic started_q;  // `next` was given

  logic ready, next, init, encdec;
  logic [127:0] block, result;
  assign init = state_q == Key0;
  assign next = (state_q == Tweak || state_q == Run) && !started_q;
  assign encdec = state_q == Tweak || write_q;
  assign block = state_q == Tweak ? block_q : block_q ^ tweak_q;

  aes_core u_core (
      .clk(clk_i), .reset_n(rst_ni), .encdec, .init, .next, .ready, .key(Key), .keylen(1'b1), .block, .result,
      .result_valid());

  logic core_done;
  assign core_done = started_q && ready;

  // Times x in GF(2^128), least significant byte first.
  function automatic logic [127:0] times_x(input logic [127:0] t);
    times_x = {t[126:0], 1'b0} ^ (t[127] ? 128'h87 : 128'h0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Key0;
      half_q <= 1'b0;
      last_q <= 1'b0;
      write_q <= 1'b0;
      started_q <= 1'b0;
      blocks_q <= '0;
    end else begin
      started_q <= next;
      if ((state_q == Tweak || state_q == Run) && !core_done && started_q) started_q <= 1'b1;
      unique case (state_q)
        Key0: state_q <= KeyWait;
        KeyWait: if (ready) state_q <= Idle;
        Idle: begin
          if (s_axis_tvalid_i) begin
            block_q <= 128'(s_axis_tuser_i[32:0]);
            write_q <= s_axis_tuser_i[33];
            state_q <= Tweak;
          end
        end
        Tweak: begin
          if (core_done) begin
            tweak_q <= result;
            state_q <= Load;
          end
        end
        Load: begin
          if (s_axis_tvalid_i) begin
            block_q <= {s_axis_tdata_i, block_q[127:64]};
            half_q <= ~half_q;
            last_q <= s_axis_tlast_i;
            if (half_q) state_q <= Run;
          end
        end
        Run: begin
          if (core_done) begin
            block_q <= result ^ tweak_q;
            tweak_q <= times_x(tweak_q);
            blocks_q <= blocks_q + 1'b1;
            state_q <= Unload;
          end
        end
        default: begin  // Unload
          if (m_axis_tready_i) begin
            block_q <= {64'h0, block_q[127:64]};
            half_q <= ~half_q;
            if (half_q) state_q <= last_q ? Idle : Load;
          end
        end
      endcase
    end
  end

  assign s_axis_tready_o = state_q == Load;
  assign m_axis_tdata_o = block_q[63:0];
  assign m_axis_tvalid_o = state_q == Unload;
  assign m_axis_tlast_o = last_q && half_q;
  assign busy_o = state_q != Idle;

  assign status_state_o = state_q;
  assign count_blocks_o = blocks_q;

endmodule
