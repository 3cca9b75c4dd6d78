// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A register on an AXI4-Stream with room for two beats: ready and valid both come from flip-flops, at one beat a clock.
// It does not merge, drop or reorder beats, and does not read the payload: tlast and tuser are part of it.
module axi_stream_register #(
    parameter int unsigned PayloadBits = 64
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic [PayloadBits-1:0] in_payload_i,
    input  logic                   in_valid_i,
    output logic                   in_ready_o,

    output logic [PayloadBits-1:0] out_payload_o,
    output logic                   out_valid_o,
    input  logic                   out_ready_i
);
  logic [PayloadBits-1:0] out_payload_q, spare_q;
  logic out_valid_d, out_valid_q;
  logic spare_valid_d, spare_valid_q;
  logic load_out, load_spare;

  assign load_out = !out_valid_q || out_ready_i;
  assign load_spare = !load_out && in_valid_i && !spare_valid_q;

  always_comb begin
    out_valid_d = out_valid_q;
    spare_valid_d = spare_valid_q;
    if (load_out) begin
      out_valid_d = spare_valid_q || in_valid_i;
      spare_valid_d = 1'b0;
    end else if (load_spare) begin
      spare_valid_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      spare_valid_q <= 1'b0;
    end else begin
      out_valid_q <= out_valid_d;
      spare_valid_q <= spare_valid_d;
    end
  end

  // No reset: a payload is read only while its valid bit is set.
  always_ff @(posedge clk_i) begin
    if (load_out) out_payload_q <= spare_valid_q ? spare_q : in_payload_i;
    if (load_spare) spare_q <= in_payload_i;
  end

  assign in_ready_o = !spare_valid_q;
  assign out_payload_o = out_payload_q;
  assign out_valid_o = out_valid_q;

endmodule
