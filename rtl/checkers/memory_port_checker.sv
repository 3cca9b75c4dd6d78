// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on a port to memory: requests with valid and ready, and one answer for each, in their order, not before
// the clock after it was taken; at most UnderWay of them are without. A simulation stops at the first violation. Bound
// to a block, never a part of it. How long the memory takes is not checked.
module memory_port_checker #(
    parameter int unsigned PayloadBits = 32,
    parameter int unsigned UnderWay = 4
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic ready_i,
    input logic [PayloadBits-1:0] payload_i,
    input logic answer_i
);
  localparam int unsigned CountBits = $clog2(UnderWay + 2);
  logic [CountBits-1:0] under_way_q;

  handshake_checker #(
      .PayloadBits(PayloadBits)
  ) u_request_checker (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_i,
      .payload_i
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      under_way_q <= '0;
    end else begin
      under_way_q <= under_way_q + CountBits'(valid_i && ready_i) - CountBits'(answer_i);
      answer_of_a_request :
      assert (!answer_i || under_way_q != '0)
      else $error("memory port: answer without a request");
      no_more_under_way :
      assert (under_way_q <= CountBits'(UnderWay))
      else $error("memory port: more requests under way than the block says");
    end
  end

endmodule
