// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The read-retry controller: one read of one page, from the first sensing to data or to a report why there are none.
// State machine, retry table, table of optimal references, counters and APB registers. models/ecc/retry/read_retry.h
// says what it does; the registers are in models/registers/wordline.rdl, block ECC.
//
// Ports: `request` in and `result` out (ready and valid); commands to the flash channel controller and to the
// decoders (ready and valid), answered by their tag (valid only, always taken); APB4; one level interrupt.
// read_retry_bind.sv has the checkers of these ports.
//
// Limits: one read at a time: a channel that retries on several dies at once needs one instance for each. The data do
// not pass through here. Not synthesised for a clock.
module read_retry
  import read_retry_pkg::*;
#(
    parameter int unsigned OrtGroups = 4,
    parameter int unsigned OrtLayers = 256
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic        psel_i,
    input  logic        penable_i,
    input  logic        pwrite_i,
    input  logic [11:0] paddr_i,
    input  logic [31:0] pwdata_i,
    input  logic [ 3:0] pstrb_i,
    output logic [31:0] prdata_o,
    output logic        pready_o,
    output logic        pslverr_o,
    output logic        irq_o,

    input  logic        request_valid_i,
    output logic        request_ready_o,
    input  logic [15:0] request_tag_i,
    input  logic [15:0] request_die_i,
    input  logic [31:0] request_address_i,
    input  logic [15:0] request_group_i,
    input  logic [15:0] request_layer_i,
    input  logic [ 7:0] request_page_type_i,
    input  logic        request_sensed_i,
    input  mask_t       request_codewords_i,
    input  logic        abort_read_i,

    output logic                       flash_valid_o,
    input  logic                       flash_ready_i,
    output tag_t                       flash_tag_o,
    output flash_op_e                  flash_op_o,
    output logic      [          15:0] flash_die_o,
    output logic      [          31:0] flash_address_o,
    output logic      [           7:0] flash_page_type_o,
    output step_t                      flash_step_o,
    output logic      [OffsetBits-1:0] flash_offsets_o,
    output logic      [           2:0] flash_soft_read_o,
    output logic      [           7:0] flash_soft_offset_o,  // signed
    output mask_t                      flash_codewords_o,

    input logic flash_answer_valid_i,
    input tag_t flash_answer_tag_i,
    input logic flash_answer_ok_i,

    output logic             decode_valid_o,
    input  logic             decode_ready_i,
    output tag_t             decode_tag_o,
    output decode_op_e       decode_op_o,
    output logic       [1:0] decode_level_o,
    output logic       [7:0] decode_max_iterations_o,
    output llr_t             decode_llr_o,
    output mask_t            decode_codewords_o,

    input logic                    verdict_valid_i,
    input tag_t                    verdict_tag_i,
    input logic [CodewordBits-1:0] verdict_codeword_i,
    input logic                    verdict_ok_i,
    input logic                    verdict_crc_ok_i,
    input logic [             7:0] verdict_iterations_i,
    input logic [            14:0] verdict_corrected_i,
    input logic [            11:0] verdict_weight_i,

    output logic         result_valid_o,
    input  logic         result_ready_i,
    output logic  [15:0] result_tag_o,
    output code_e        result_code_o,
    output mask_t        result_failed_o,
    output logic  [31:0] result_status_o,

    output state_e state_o
);
  settings_t settings;
  request_t request, current;
  verdict_t verdict;
  status_t status;
  event_t events;
  ort_entry_t fsm_entry, fsm_new, apb_entry, apb_new;
  logic fsm_write, apb_exists, apb_write, apb_clear, apb_ready, apb_abort;
  logic [15:0] apb_group, apb_layer, apb_clear_group;
  logic [OffsetBits-1:0] table_offsets;
  logic [31:0] decoded_lpages, uncorrectable_lpages, retries, corrected_bits, miscorrections, stale;
  logic [31:0] codewords[4];
  logic [31:0] t1_iterations[8];
  logic [31:0] t2_iterations[8];

  assign request = '{
      tag: request_tag_i, die: request_die_i, address: request_address_i, group: request_group_i,
      layer: request_layer_i, page_type: request_page_type_i, sensed: request_sensed_i,
      codewords: request_codewords_i};
  assign verdict = '{
      tag: verdict_tag_i, codeword: verdict_codeword_i, ok: verdict_ok_i, crc_ok: verdict_crc_ok_i,
      iterations: verdict_iterations_i, corrected: verdict_corrected_i, weight: verdict_weight_i};

  read_retry_fsm u_fsm (
      .clk_i, .rst_ni, .settings_i(settings),
      .request_valid_i, .request_ready_o, .request_i(request), .abort_i(abort_read_i || apb_abort),
      .flash_valid_o, .flash_ready_i, .flash_tag_o, .flash_op_o, .flash_step_o, .flash_soft_read_o,
      .flash_soft_offset_o, .flash_codewords_o, .flash_answer_valid_i, .flash_answer_tag_i, .flash_answer_ok_i,
      .decode_valid_o, .decode_ready_i, .decode_tag_o, .decode_op_o, .decode_level_o, .decode_max_iterations_o,
      .decode_llr_o, .decode_codewords_o, .verdict_valid_i, .verdict_i(verdict),
      .result_valid_o, .result_ready_i, .result_code_o, .result_failed_o, .result_status_o(status),
      .ort_write_o(fsm_write), .ort_new_o(fsm_new), .ort_entry_i(fsm_entry),
      .current_o(current), .state_o, .events_o(events));

  // One structure holds a whole request, of which each reader needs a part.
  logic unused_current;
  assign unused_current = ^current;

  assign flash_die_o = current.die;
  assign flash_address_o = current.address;
  assign flash_page_type_o = current.page_type;
  assign flash_offsets_o = flash_op_o == FlashOpSetVref ? table_offsets : '0;
  assign result_tag_o = current.tag;
  assign result_status_o = status;

  optimal_references #(.Groups(OrtGroups), .Layers(OrtLayers)) u_ort (
      .clk_i, .rst_ni,
      .a_group_i(current.group), .a_layer_i(current.layer), .a_write_i(fsm_write), .a_new_i(fsm_new),
      .a_entry_o(fsm_entry),
      .b_group_i(apb_group), .b_layer_i(apb_layer), .b_exists_o(apb_exists), .b_entry_o(apb_entry),
      .b_write_i(apb_write), .b_new_i(apb_new), .b_clear_i(apb_clear), .b_clear_group_i(apb_clear_group),
      .b_ready_o(apb_ready));

  read_retry_counters u_counters (
      .clk_i, .rst_ni, .events_i(events), .iterations_i(verdict_iterations_i), .corrected_i(verdict_corrected_i),
      .code_i(result_code_o), .requested_i(current.codewords), .failed_i(result_failed_o),
      .decoded_lpages_o(decoded_lpages), .uncorrectable_lpages_o(uncorrectable_lpages), .retries_o(retries),
      .corrected_bits_o(corrected_bits), .miscorrections_o(miscorrections), .stale_o(stale), .codewords_o(codewords),
      .t1_iterations_o(t1_iterations), .t2_iterations_o(t2_iterations));

  read_retry_registers u_registers (
      .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .prdata_o, .pready_o, .pslverr_o,
      .irq_o, .settings_o(settings), .table_step_i(flash_step_o), .table_offsets_o(table_offsets), .abort_o(apb_abort),
      .state_i(state_o), .events_i(events), .result_tag_i(result_tag_o), .result_code_i(result_code_o),
      .result_failed_i(result_failed_o), .result_status_i(status),
      .ort_group_o(apb_group), .ort_layer_o(apb_layer), .ort_exists_i(apb_exists), .ort_entry_i(apb_entry),
      .ort_write_o(apb_write), .ort_new_o(apb_new), .ort_clear_o(apb_clear), .ort_clear_group_o(apb_clear_group),
      .ort_ready_i(apb_ready),
      .decoded_lpages_i(decoded_lpages), .uncorrectable_lpages_i(uncorrectable_lpages), .retries_i(retries),
      .corrected_bits_i(corrected_bits), .miscorrections_i(miscorrections), .stale_i(stale), .codewords_i(codewords),
      .t1_iterations_i(t1_iterations), .t2_iterations_i(t2_iterations));

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      request_has_an_entry :
      assert (!request_valid_i || (32'(request_group_i) < OrtGroups && 32'(request_layer_i) < OrtLayers))
      else $error("read retry: a request without an entry in the table of optimal references");
    end
  end

endmodule
