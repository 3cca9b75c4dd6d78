// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of axi_stream_register: no beat is lost, none comes twice, order and payload stay; what is offered stays until
// it is taken; it holds up to two beats and says so. Inputs are free, but reset comes in the first clock and not again.
// One beat, any of them, is marked, and followed.
module axi_stream_register_proof #(
    parameter int unsigned PayloadBits = 4
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [PayloadBits-1:0] payload_i,
    input logic valid_i,
    input logic ready_i,
    input logic mark_i
);
  logic [PayloadBits-1:0] out;
  logic in_ready, out_valid;
  axi_stream_register #(
      .PayloadBits(PayloadBits)
  ) u_register (
      .clk_i,
      .rst_ni,
      .in_payload_i(payload_i),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .out_payload_o(out),
      .out_valid_o(out_valid),
      .out_ready_i(ready_i));

  handshake_checker #(.PayloadBits(PayloadBits)) u_output_checker (
      .clk_i, .rst_ni, .valid_i(out_valid), .ready_i, .payload_i(out));

  logic takes, gives;
  assign takes = valid_i && in_ready;
  assign gives = out_valid && ready_i;

  bit started_q = 1'b0;
  logic [1:0] inside_q;
  logic marked_q, gone_q;
  logic [1:0] ahead_q;  // beats that leave before the marked one
  logic [PayloadBits-1:0] held_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (rst_ni == started_q);
    if (!rst_ni) begin
      inside_q <= '0;
      marked_q <= 1'b0;
      gone_q <= 1'b0;
    end else begin
      inside_q <= inside_q + 2'(takes) - 2'(gives);
      if (!marked_q && takes && mark_i) begin
        marked_q <= 1'b1;
        held_q <= payload_i;
        ahead_q <= inside_q - 2'(gives);
      end else if (marked_q && gives) begin
        ahead_q <= ahead_q - 1'b1;
        gone_q <= gone_q || ahead_q == '0;
      end

      holds_two :
      assert (inside_q <= 2'd2);
      says_when_full :
      assert (in_ready == (inside_q != 2'd2));
      says_when_empty :
      assert (out_valid == (inside_q != '0));
      order_and_payload :
      assert (!(marked_q && !gone_q && ahead_q == '0) || (out_valid && out == held_q));

      marked_behind_another :
      cover (marked_q && gone_q && inside_q == 2'd2);
    end
  end

endmodule
