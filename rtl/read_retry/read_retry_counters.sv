// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Counters of the read-retry controller; they wrap, and only reset clears them. A sector is codewords 2i and 2i + 1;
// only reads that ended with data, or were given up by the decoders, count their sectors.
module read_retry_counters
  import read_retry_pkg::*;
#(
    localparam int unsigned Bins = 8
) (
    input logic clk,
    input logic rst_n,

    input event_t events,
    input logic [7:0] iterations,  // of the codeword decoded
    input logic [14:0] corrected,
    input code_t code,  // of the result
    input mask_t requested,
    input mask_t failed,

    output logic [31:0] decoded_sectors,
    output logic [31:0] uncorrectable_sectors,
    output logic [31:0] retries,
    output logic [31:0] corrected_bits,
    output logic [31:0] miscorrections,
    output logic [31:0] stale,
    output logic [31:0] codewords[4],
    output logic [31:0] t1_iterations[Bins],
    output logic [31:0] t2_iterations[Bins]
);
  localparam int unsigned Sectors = Codewords / 2;

  logic [2:0] bin;
  always_comb begin
    if (iterations <= 8'd1) bin = 3'd0;
    else if (iterations <= 8'd4) bin = 3'(iterations - 8'd1);
    else if (iterations <= 8'd6) bin = 3'd4;
    else if (iterations <= 8'd8) bin = 3'd5;
    else bin = iterations <= 8'd12 ? 3'd6 : 3'd7;
  end

  logic [Sectors-1:0] sector_requested, sector_failed;
  for (genvar s = 0; s < int'(Sectors); s++) begin : gen_sector
    assign sector_requested[s] = |requested[2*s+:2];
    assign sector_failed[s] = |failed[2*s+:2];
  end

  always_ff @(posedge clk) begin
    if (events.decoded) begin
      codewords[events.way] <= codewords[events.way] + 1'b1;
      corrected_bits <= corrected_bits + 32'(corrected);
      if (events.way == WAY_T1) t1_iterations[bin] <= t1_iterations[bin] + 1'b1;
      else t2_iterations[bin] <= t2_iterations[bin] + 1'b1;
    end
    if (events.miscorrected) miscorrections <= miscorrections + 1'b1;
    if (events.retry) retries <= retries + 1'b1;
    stale <= stale + 32'(events.stale[0]) + 32'(events.stale[1]);
    if (events.result && (code == CODE_OK || code == CODE_UNCORRECTABLE)) begin
      decoded_sectors <= decoded_sectors + 32'($countones(sector_requested & ~sector_failed));
      uncorrectable_sectors <= uncorrectable_sectors + 32'($countones(sector_failed));
    end
    if (!rst_n) begin
      decoded_sectors <= '0;
      uncorrectable_sectors <= '0;
      retries <= '0;
      corrected_bits <= '0;
      miscorrections <= '0;
      stale <= '0;
      for (int i = 0; i < 4; i++) codewords[i] <= '0;
      for (int i = 0; i < int'(Bins); i++) begin
        t1_iterations[i] <= '0;
        t2_iterations[i] <= '0;
      end
    end
  end
endmodule
