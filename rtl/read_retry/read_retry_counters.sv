// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of the read-retry controller; they wrap, and only reset clears them. A logical page is codewords 2i and 2i +
// 1; only reads that ended with data, or were given up by the decoders, count their logical pages.
module read_retry_counters
  import read_retry_pkg::*;
#(
    localparam int unsigned Bins = 8
) (
    input logic clk_i,
    input logic rst_ni,

    input event_t events_i,
    input logic [7:0] iterations_i,  // iterations of the codeword decoded
    input logic [14:0] corrected_i,
    input code_e code_i,  // code of the result
    input mask_t requested_i,
    input mask_t failed_i,

    output logic [31:0] decoded_lpages_o,
    output logic [31:0] uncorrectable_lpages_o,
    output logic [31:0] retries_o,
    output logic [31:0] corrected_bits_o,
    output logic [31:0] miscorrections_o,
    output logic [31:0] stale_o,
    output logic [31:0] codewords_o[4],
    output logic [31:0] t1_iterations_o[Bins],
    output logic [31:0] t2_iterations_o[Bins]
);
  localparam int unsigned Lpages = Codewords / 2;

  logic [31:0] decoded_lpages_q, uncorrectable_lpages_q, retries_q, corrected_bits_q, miscorrections_q, stale_q;
  logic [31:0] codewords_q[4];
  logic [31:0] t1_iterations_q[Bins];
  logic [31:0] t2_iterations_q[Bins];

  logic unused_events;  // some are for the interrupts
  assign unused_events = ^events_i;

  logic [2:0] bin;
  always_comb begin
    if (iterations_i <= 8'd1) bin = 3'd0;
    else if (iterations_i <= 8'd4) bin = 3'(iterations_i - 8'd1);
    else if (iterations_i <= 8'd6) bin = 3'd4;
    else if (iterations_i <= 8'd8) bin = 3'd5;
    else bin = iterations_i <= 8'd12 ? 3'd6 : 3'd7;
  end

  logic [Lpages-1:0] lpage_requested, lpage_failed;
  for (genvar s = 0; s < int'(Lpages); s++) begin : gen_lpage
    assign lpage_requested[s] = |requested_i[2*s+:2];
    assign lpage_failed[s] = |failed_i[2*s+:2];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      decoded_lpages_q <= '0;
      uncorrectable_lpages_q <= '0;
      retries_q <= '0;
      corrected_bits_q <= '0;
      miscorrections_q <= '0;
      stale_q <= '0;
      for (int i = 0; i < 4; i++) codewords_q[i] <= '0;
      for (int i = 0; i < int'(Bins); i++) begin
        t1_iterations_q[i] <= '0;
        t2_iterations_q[i] <= '0;
      end
    end else begin
      if (events_i.decoded) begin
        codewords_q[events_i.way] <= codewords_q[events_i.way] + 1'b1;
        corrected_bits_q <= corrected_bits_q + 32'(corrected_i);
        if (events_i.way == WayT1) t1_iterations_q[bin] <= t1_iterations_q[bin] + 1'b1;
        else t2_iterations_q[bin] <= t2_iterations_q[bin] + 1'b1;
      end
      if (events_i.miscorrected) miscorrections_q <= miscorrections_q + 1'b1;
      if (events_i.retry) retries_q <= retries_q + 1'b1;
      stale_q <= stale_q + 32'(events_i.stale[0]) + 32'(events_i.stale[1]);
      if (events_i.result && (code_i == CodeOk || code_i == CodeUncorrectable)) begin
        decoded_lpages_q <= decoded_lpages_q + $countones(lpage_requested & ~lpage_failed);
        uncorrectable_lpages_q <= uncorrectable_lpages_q + $countones(lpage_failed);
      end
    end
  end

  assign decoded_lpages_o = decoded_lpages_q;
  assign uncorrectable_lpages_o = uncorrectable_lpages_q;
  assign retries_o = retries_q;
  assign corrected_bits_o = corrected_bits_q;
  assign miscorrections_o = miscorrections_q;
  assign stale_o = stale_q;
  assign codewords_o = codewords_q;
  assign t1_iterations_o = t1_iterations_q;
  assign t2_iterations_o = t2_iterations_q;

endmodule
