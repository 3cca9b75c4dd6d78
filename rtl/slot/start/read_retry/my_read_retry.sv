// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a read-retry controller of your own: the shipped one, whose sources are beside this file, behind the ports
// of the slot, and two counters. Change its state machine (read_retry_fsm.sv), or put a module of your own in its place.
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_read_retry (
    input  logic clk_i,
    input  logic         rst_ni,
    input  logic         psel_i,
    input  logic         penable_i,
    input  logic         pwrite_i,
    input  logic [11:0]  paddr_i,
    input  logic [31:0]  pwdata_i,
    input  logic [3:0]   pstrb_i,
    output logic [31:0]  prdata_o,
    output logic         pready_o,
    output logic         pslverr_o,
    output logic         irq_o,
    input  logic         request_valid_i,
    output logic         request_ready_o,
    input  logic [15:0]  request_tag_i,
    input  logic [15:0]  request_die_i,
    input  logic [31:0]  request_address_i,
    input  logic [15:0]  request_group_i,
    input  logic [15:0]  request_layer_i,
    input  logic [7:0]   request_page_type_i,
    input  logic         request_sensed_i,
    input  logic [127:0] request_codewords_i,
    input  logic         abort_read_i,
    output logic         flash_valid_o,
    input  logic         flash_ready_i,
    output logic [3:0]   flash_tag_o,
    output logic [1:0]   flash_op_o,
    output logic [15:0]  flash_die_o,
    output logic [31:0]  flash_address_o,
    output logic [7:0]   flash_page_type_o,
    output logic [3:0]   flash_step_o,
    output logic [127:0] flash_offsets_o,
    output logic [2:0]   flash_soft_read_o,
    output logic [7:0]   flash_soft_offset_o,
    output logic [127:0] flash_codewords_o,
    input  logic         flash_answer_valid_i,
    input  logic [3:0]   flash_answer_tag_i,
    input  logic         flash_answer_ok_i,
    output logic         decode_valid_o,
    input  logic         decode_ready_i,
    output logic [3:0]   decode_tag_o,
    output logic [1:0]   decode_op_o,
    output logic [1:0]   decode_level_o,
    output logic [7:0]   decode_max_iterations_o,
    output logic [11:0]  decode_llr_o,
    output logic [127:0] decode_codewords_o,
    input  logic         verdict_valid_i,
    input  logic [3:0]   verdict_tag_i,
    input  logic [6:0]   verdict_codeword_i,
    input  logic         verdict_ok_i,
    input  logic         verdict_crc_ok_i,
    input  logic [7:0]   verdict_iterations_i,
    input  logic [14:0]  verdict_corrected_i,
    input  logic [11:0]  verdict_weight_i,
    output logic         result_valid_o,
    input  logic         result_ready_i,
    output logic [15:0]  result_tag_o,
    output logic [2:0]   result_code_o,
    output logic [127:0] result_failed_o,
    output logic [31:0]  result_status_o,
    output logic [4:0]   state_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [31:0] count_reads_o,
    output logic [31:0] count_commands_o
);
  read_retry u_controller (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .psel_i(psel_i),
      .penable_i(penable_i),
      .pwrite_i(pwrite_i),
      .paddr_i(paddr_i),
      .pwdata_i(pwdata_i),
      .pstrb_i(pstrb_i),
      .prdata_o(prdata_o),
      .pready_o(pready_o),
      .pslverr_o(pslverr_o),
      .irq_o(irq_o),
      .request_valid_i(request_valid_i),
      .request_ready_o(request_ready_o),
      .request_tag_i(request_tag_i),
      .request_die_i(request_die_i),
      .request_address_i(request_address_i),
      .request_group_i(request_group_i),
      .request_layer_i(request_layer_i),
      .request_page_type_i(request_page_type_i),
      .request_sensed_i(request_sensed_i),
      .request_codewords_i(request_codewords_i),
      .abort_read_i(abort_read_i),
      .flash_valid_o(flash_valid_o),
      .flash_ready_i(flash_ready_i),
      .flash_tag_o(flash_tag_o),
      .flash_op_o(flash_op_o),
      .flash_die_o(flash_die_o),
      .flash_address_o(flash_address_o),
      .flash_page_type_o(flash_page_type_o),
      .flash_step_o(flash_step_o),
      .flash_offsets_o(flash_offsets_o),
      .flash_soft_read_o(flash_soft_read_o),
      .flash_soft_offset_o(flash_soft_offset_o),
      .flash_codewords_o(flash_codewords_o),
      .flash_answer_valid_i(flash_answer_valid_i),
      .flash_answer_tag_i(flash_answer_tag_i),
      .flash_answer_ok_i(flash_answer_ok_i),
      .decode_valid_o(decode_valid_o),
      .decode_ready_i(decode_ready_i),
      .decode_tag_o(decode_tag_o),
      .decode_op_o(decode_op_o),
      .decode_level_o(decode_level_o),
      .decode_max_iterations_o(decode_max_iterations_o),
      .decode_llr_o(decode_llr_o),
      .decode_codewords_o(decode_codewords_o),
      .verdict_valid_i(verdict_valid_i),
      .verdict_tag_i(verdict_tag_i),
      .verdict_codeword_i(verdict_codeword_i),
      .verdict_ok_i(verdict_ok_i),
      .verdict_crc_ok_i(verdict_crc_ok_i),
      .verdict_iterations_i(verdict_iterations_i),
      .verdict_corrected_i(verdict_corrected_i),
      .verdict_weight_i(verdict_weight_i),
      .result_valid_o(result_valid_o),
      .result_ready_i(result_ready_i),
      .result_tag_o(result_tag_o),
      .result_code_o(result_code_o),
      .result_failed_o(result_failed_o),
      .result_status_o(result_status_o),
      .state_o(state_o)
  );

  logic [31:0] reads_q, commands_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reads_q <= '0;
      commands_q <= '0;
    end else begin
      if (request_valid_i && request_ready_o) reads_q <= reads_q + 1'b1;
      if (flash_valid_o && flash_ready_i) commands_q <= commands_q + 1'b1;
    end
  end

  assign count_reads_o = reads_q;
  assign count_commands_o = commands_q;

endmodule
