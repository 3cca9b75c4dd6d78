// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on answers by tag: a request awaits one answer for each bit of its mask, and no answer comes that is not
// awaited. A tag that is used again forgets what it awaited: those answers were lost. A simulation stops at the first
// violation. Bound to a block, never a part of it. Answers may come late or never: time-outs are the block's.
module response_checker #(
    parameter int unsigned TagBits = 4,
    parameter int unsigned Width = 1,
    localparam int unsigned IndexBits = Width == 1 ? 1 : $clog2(Width)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic request_i,
    input logic [TagBits-1:0] request_tag_i,
    input logic [Width-1:0] request_mask_i,
    input logic response_i,
    input logic [TagBits-1:0] response_tag_i,
    input logic [IndexBits-1:0] response_index_i
);
  logic [Width-1:0] awaited_q[2**TagBits];
  logic legal;
  if (Width == 1) begin : gen_one
    assign legal = awaited_q[response_tag_i][0] && !response_index_i[0];
  end else begin : gen_many
    assign legal = awaited_q[response_tag_i][response_index_i];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int tag = 0; tag < 2 ** int'(TagBits); tag++) awaited_q[tag] <= '0;
    end else begin
      no_answer_without_request :
      assert (!response_i || legal)
      else $error("answer that nothing waits for");
      if (response_i) awaited_q[response_tag_i][response_index_i] <= 1'b0;
      if (request_i) awaited_q[request_tag_i] <= request_mask_i;
    end
  end

endmodule
