// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A register on an AXI4-Stream with room for two beats: ready and valid both come from flip-flops, at one beat a clock.
module axi_stream_register #(
    parameter int unsigned PayloadBits = 64
) (
    input logic clk,
    input logic rst_n,

    input  logic [PayloadBits-1:0] in_payload,
    input  logic                   in_valid,
    output logic                   in_ready,

    output logic [PayloadBits-1:0] out_payload,
    output logic                   out_valid,
    input  logic                   out_ready
);
  logic [PayloadBits-1:0] spare;
  logic spare_valid;

  assign in_ready = !spare_valid;

  always_ff @(posedge clk) begin
    if (!out_valid || out_ready) begin
      out_payload <= spare_valid ? spare : in_payload;
      out_valid <= spare_valid || in_valid;
      spare_valid <= 1'b0;
    end else if (in_valid && !spare_valid) begin
      spare <= in_payload;
      spare_valid <= 1'b1;
    end
    if (!rst_n) begin
      out_valid <= 1'b0;
      spare_valid <= 1'b0;
    end
  end

endmodule
