// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a command parser of your own: the shipped one (parse.sv) behind the ports of the slot, and two counters.
// Change parse.sv, or put yours in its place. A structure or an enumeration of parse.sv is a vector here.
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_parse (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic [31:0] namespace_table_i,
    input  logic [19:0] max_blocks_i,
    input  logic [2:0] lpage_shift_i,
    input  logic cmb_i,
    input  logic [51:0] cmb_first_i,
    input  logic [19:0] cmb_pages_i,
    input  logic entry_valid_i,
    output logic entry_ready_o,
    input  logic [10:0] entry_tag_i,
    input  logic [511:0] entry_i,
    output logic mem_valid_o,
    input  logic mem_ready_i,
    output logic [31:0] mem_address_o,
    input  logic mem_answer_i,
    input  logic mem_error_i,
    input  logic [63:0] mem_rdata_i,
    output logic answer_valid_o,
    input  logic answer_ready_i,
    output logic [10:0] answer_tag_o,
    output logic [14:0] answer_status_o,
    output logic [7:0] answer_op_o,
    output logic [2:0] answer_way_o,
    output logic answer_fua_o,
    output logic [63:0] answer_first_o,
    output logic [19:0] answer_blocks_o,
    output logic [31:0] answer_lpn_o,
    output logic [17:0] answer_lpages_o,
    output logic [8:0] answer_ranges_o,
    output logic [17:0] answer_pages_o,
    output logic answer_sgl_o,
    output logic answer_hints_o,
    output logic busy_o,

    // What the block reports of itself: count_ is in result.json, too.
    output logic [31:0] count_entries_o,
    output logic [31:0] count_refused_o
);
  nvme_pkg::way_e way;
  assign answer_way_o = way;

  parse i_parse (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .namespace_table_i(namespace_table_i),
      .max_blocks_i(max_blocks_i),
      .lpage_shift_i(lpage_shift_i),
      .cmb_i(cmb_i),
      .cmb_first_i(cmb_first_i),
      .cmb_pages_i(cmb_pages_i),
      .entry_valid_i(entry_valid_i),
      .entry_ready_o(entry_ready_o),
      .entry_tag_i(entry_tag_i),
      .entry_i(entry_i),
      .mem_valid_o(mem_valid_o),
      .mem_ready_i(mem_ready_i),
      .mem_address_o(mem_address_o),
      .mem_answer_i(mem_answer_i),
      .mem_error_i(mem_error_i),
      .mem_rdata_i(mem_rdata_i),
      .answer_valid_o(answer_valid_o),
      .answer_ready_i(answer_ready_i),
      .answer_tag_o(answer_tag_o),
      .answer_status_o(answer_status_o),
      .answer_op_o(answer_op_o),
      .answer_way_o(way),
      .answer_fua_o(answer_fua_o),
      .answer_first_o(answer_first_o),
      .answer_blocks_o(answer_blocks_o),
      .answer_lpn_o(answer_lpn_o),
      .answer_lpages_o(answer_lpages_o),
      .answer_ranges_o(answer_ranges_o),
      .answer_pages_o(answer_pages_o),
      .answer_sgl_o(answer_sgl_o),
      .answer_hints_o(answer_hints_o),
      .busy_o(busy_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_entries_o <= '0;
      count_refused_o <= '0;
    end else begin
      if (entry_valid_i && entry_ready_o) count_entries_o <= count_entries_o + 32'd1;
      if (answer_valid_o && answer_ready_i && answer_status_o != '0) count_refused_o <= count_refused_o + 32'd1;
    end
  end

endmodule
