// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of parse: one answer an entry, with its tag, and three doublewords of the table at most; a command with an
// opcode that is not known, or a fused one, is never good; what is offered at a port stays until it is taken. Inputs
// are free, but: reset comes in the first clock and not again, and memory answers what it was asked, once.
module parse_proof
  import nvme_pkg::*;
#(
    parameter int unsigned TagBits = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic entry_valid_i,
    input logic [TagBits-1:0] entry_tag_i,
    input entry_t entry_i,
    input logic mem_ready_i,
    input logic mem_answer_i,
    input logic mem_error_i,
    input logic [63:0] mem_rdata_i,
    input logic answer_ready_i
);
  bit started_q = 1'b0;
  logic entry_ready, mem_valid, answer_valid, fua, sgl, hints, busy;
  logic [31:0] mem_address, lpn;
  logic [TagBits-1:0] tag;
  status_t status;
  logic [7:0] op;
  way_e way;
  logic [63:0] first;
  logic [19:0] blocks;
  logic [17:0] lpages, pages;
  logic [8:0] ranges;

  parse #(
      .TagBits(TagBits)
  ) u_parse (
      .clk_i,
      .rst_ni,
      .namespace_table_i(32'h2000_0000),
      .max_blocks_i(20'd256),
      .lpage_shift_i(3'd3),
      .cmb_i(1'b0),
      .cmb_first_i('0),
      .cmb_pages_i('0),
      .entry_valid_i,
      .entry_ready_o(entry_ready),
      .entry_tag_i,
      .entry_i,
      .mem_valid_o(mem_valid),
      .mem_ready_i,
      .mem_address_o(mem_address),
      .mem_answer_i,
      .mem_error_i,
      .mem_rdata_i,
      .answer_valid_o(answer_valid),
      .answer_ready_i,
      .answer_tag_o(tag),
      .answer_status_o(status),
      .answer_op_o(op),
      .answer_way_o(way),
      .answer_fua_o(fua),
      .answer_first_o(first),
      .answer_blocks_o(blocks),
      .answer_lpn_o(lpn),
      .answer_lpages_o(lpages),
      .answer_ranges_o(ranges),
      .answer_pages_o(pages),
      .answer_sgl_o(sgl),
      .answer_hints_o(hints),
      .busy_o(busy));

  handshake_checker #(.PayloadBits(32)) u_memory_checker (
      .clk_i, .rst_ni, .valid_i(mem_valid), .ready_i(mem_ready_i), .payload_i(mem_address));
  handshake_checker #(.PayloadBits(TagBits + 15)) u_answer_checker (
      .clk_i, .rst_ni, .valid_i(answer_valid), .ready_i(answer_ready_i), .payload_i({tag, status}));

  logic [1:0] under_way_q, asked_q;
  logic open_q, good_q;
  logic [TagBits-1:0] tag_q;
  logic takes, gives;
  assign takes = entry_valid_i && entry_ready;
  assign gives = answer_valid && answer_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (rst_ni == started_q);
    assume (!mem_answer_i || (rst_ni && under_way_q != '0));
    if (!rst_ni) begin
      under_way_q <= '0;
      asked_q <= '0;
      open_q <= 1'b0;
    end else begin
      under_way_q <= under_way_q + 2'(mem_valid && mem_ready_i) - 2'(mem_answer_i);
      asked_q <= takes ? '0 : asked_q + 2'(mem_valid && mem_ready_i);
      open_q <= takes || (open_q && !gives);
      if (takes) begin
        tag_q <= entry_tag_i;
        good_q <= entry_i.opcode < 8'h1a && entry_i.fuse == '0 && entry_i.psdt != 2'b11;
      end

      one_at_a_time :
      assert (!takes || !open_q);
      answers_what_was_asked :
      assert (!answer_valid || (open_q && tag == tag_q));
      three_doublewords :
      assert (!mem_valid || (open_q && asked_q != 2'd3));
      none_left_behind :
      assert (!answer_valid || under_way_q == '0);
      no_bad_one_is_good :
      assert (!answer_valid || status != Success || good_q);
      refused_for_good :
      assert (!answer_valid || (status == Success) == !status[14]);

      a_read :
      cover (gives && status == Success && op == OpRead && pages == 18'd2);
      refused :
      cover (gives && status == (LbaOutOfRange | DoNotRetry));
    end
  end

endmodule
