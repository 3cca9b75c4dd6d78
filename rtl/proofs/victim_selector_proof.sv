// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of victim_selector: each search that is begun ends once, with an interrupt or a failure and not both, and no
// other is begun before; an interrupt comes when superblock and count lie in memory, and after no answer with an error;
// what was asked of memory stays until it is taken. Inputs are free, but: reset comes in the first clock and not again,
// registers do not change, and memory answers what it was asked, once.
module victim_selector_proof #(
    parameter int unsigned IndexBits = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic enable_i,
    input logic [31:0] table_i,
    input logic [31:0] stride_i,
    input logic [31:0] superblocks_i,
    input logic [31:0] victim_i,
    input logic search_i,
    input logic [31:0] from_i,
    input logic ready_i,
    input logic answer_i,
    input logic error_i,
    input logic [31:0] rdata_i
);
  bit started_q = 1'b0;
  logic [127:0] settings_q;
  logic valid, write, irq, refused, failed, busy;
  logic [31:0] address, wdata, searched;

  victim_selector #(
      .IndexBits(IndexBits),
      .WordsUnderWay(2)
  ) u_selector (
      .clk_i,
      .rst_ni,
      .enable_i,
      .superblock_table_i(table_i),
      .superblock_stride_i(stride_i),
      .superblocks_i,
      .victim_i,
      .search_i,
      .search_from_i(from_i),
      .mem_valid_o(valid),
      .mem_ready_i(ready_i),
      .mem_write_o(write),
      .mem_address_o(address),
      .mem_wdata_o(wdata),
      .mem_answer_i(answer_i),
      .mem_error_i(error_i),
      .mem_rdata_i(rdata_i),
      .irq_o(irq),
      .refused_o(refused),
      .failed_o(failed),
      .busy_o(busy),
      .searched_o(searched));

  handshake_checker #(.PayloadBits(1)) u_memory_checker (
      .clk_i, .rst_ni, .valid_i(valid), .ready_i, .payload_i(write));

  logic [1:0] under_way_q;
  logic open_q;  // a search was begun and has not ended
  logic [1:0] written_q;  // words of its answer that were taken
  logic erred_q;
  logic [7:0] begun_q;
  logic begins;
  assign begins = searched[7:0] != begun_q;  // in the clock before

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    settings_q <= {table_i, stride_i, superblocks_i, victim_i};
    assume (rst_ni == started_q);
    assume (!started_q || settings_q == {table_i, stride_i, superblocks_i, victim_i});
    assume (!answer_i || (rst_ni && under_way_q != '0));
    if (!rst_ni) begin
      under_way_q <= '0;
      open_q <= 1'b0;
      written_q <= '0;
      erred_q <= 1'b0;
      begun_q <= '0;
    end else begin
      under_way_q <= under_way_q + 2'(valid && ready_i) - 2'(answer_i);
      begun_q <= searched[7:0];
      open_q <= (open_q || begins) && !irq && !failed;
      if (irq || failed) begin
        written_q <= '0;
        erred_q <= 1'b0;
      end else begin
        if (valid && ready_i && write) written_q <= written_q + 2'd1;
        if (answer_i && error_i) erred_q <= 1'b1;
      end

      two_at_a_time :
      assert (under_way_q <= 2'd2);
      ends_what_was_begun :
      assert (!(irq || failed) || open_q || begins);
      ends_one_way :
      assert (!irq || !failed);
      one_at_a_time :
      assert (!begins || !open_q);
      busy_until_the_end :
      assert (busy || !(open_q || begins));
      answer_is_in_memory :
      assert (!irq || (written_q == 2'd2 && under_way_q == '0 && !erred_q));

      a_search_ends :
      cover (irq && superblocks_i == 32'd2);
      a_search_fails :
      cover (failed);
    end
  end

endmodule
