// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a block of your own behind registers: it counts clocks down and raises its interrupt. No wait states.
//
//   0x000 COUNT   write: count so many clocks down, then raise the interrupt; read: clocks left
//   0x004 DONE    read: 1 when it has come to an end; write 1: the interrupt falls
//   0x008 ROUNDS  how often it came to an end
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_block (
    input logic clk_i,
    input logic rst_ni,

    input  logic        psel_i,
    input  logic        penable_i,
    input  logic        pwrite_i,
    input  logic [11:0] paddr_i,
    input  logic [31:0] pwdata_i,
    input  logic [3:0]  pstrb_i,
    output logic [31:0] prdata_o,
    output logic        pready_o,
    output logic        pslverr_o,

    output logic irq_o,
    output logic busy_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [31:0] status_left_o,
    output logic [31:0] count_rounds_o
);
  localparam logic [11:0] Count = 12'h000, Done = 12'h004, Rounds = 12'h008;

  logic [31:0] left_q, rounds_q;
  logic done_q;

  logic access, writes, exists;
  assign access = psel_i && penable_i;
  assign writes = access && pwrite_i && pstrb_i == '1 && !pslverr_o;
  assign exists = paddr_i == Count || paddr_i == Done || paddr_i == Rounds;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= '0;
      rounds_q <= '0;
      done_q <= 1'b0;
    end else begin
      if (left_q != '0) left_q <= left_q - 1'b1;
      if (left_q == 32'd1) begin
        done_q <= 1'b1;
        rounds_q <= rounds_q + 1'b1;
      end
      if (writes && paddr_i == Count) left_q <= pwdata_i;
      if (writes && paddr_i == Done && pwdata_i[0]) done_q <= 1'b0;
    end
  end

  always_comb begin
    unique case (paddr_i)
      Count: prdata_o = left_q;
      Done: prdata_o = 32'(done_q);
      Rounds: prdata_o = rounds_q;
      default: prdata_o = '0;
    endcase
  end
  assign pready_o = access;
  assign pslverr_o = access && (!exists || (pwrite_i && paddr_i == Rounds));

  assign irq_o = done_q;
  assign busy_o = left_q != '0;

  assign status_left_o = left_q;
  assign count_rounds_o = rounds_q;

endmodule
