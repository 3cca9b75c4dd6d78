// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on answers by tag: a request awaits one answer for each bit of its mask, and no answer comes that is not
// awaited. A tag that is used again forgets what it awaited: those answers were lost. A simulation stops at the first
// violation.
module response_checker #(
    parameter int unsigned TagBits = 4,
    parameter int unsigned Width = 1,
    localparam int unsigned IndexBits = Width == 1 ? 1 : $clog2(Width)
) (
    input logic clk,
    input logic rst_n,
    input logic request,
    input logic [TagBits-1:0] request_tag,
    input logic [Width-1:0] request_mask,
    input logic response,
    input logic [TagBits-1:0] response_tag,
    input logic [IndexBits-1:0] response_index
);
  logic [Width-1:0] awaited[2**TagBits];
  logic legal;
  if (Width == 1) begin : gen_one
    assign legal = awaited[response_tag][0] && !response_index[0];
  end else begin : gen_many
    assign legal = awaited[response_tag][response_index];
  end

  always_ff @(posedge clk) begin
    if (response) awaited[response_tag][response_index] <= 1'b0;
    if (request) awaited[request_tag] <= request_mask;
    if (!rst_n) begin
      for (int tag = 0; tag < 2 ** int'(TagBits); tag++) awaited[tag] <= '0;
    end
  end

  no_answer_without_request :
  assert property (@(posedge clk) disable iff (!rst_n) response |-> legal)
  else $error("answer that nothing waits for");

endmodule
