// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The read-retry controller: one read of one page, from the first sensing to data or to a report why there are none.
// State machine, retry table, table of optimal references, counters and APB registers. models/ecc/retry/read_retry.h says
// what it does; the registers are in models/registers/wordline.rdl, block ECC.
//
// Ports: `request` in and `result` out (ready and valid); commands to the flash channel controller and to the
// decoders (ready and valid), answered by their tag (valid only, always taken); APB4; one level interrupt.
//
// Limits: one read at a time: a channel that retries on several dies at once needs one instance for each. The data do
// not pass through here. Nothing was synthesised.
module read_retry
  import read_retry_pkg::*;
#(
    parameter int unsigned OrtGroups = 4,
    parameter int unsigned OrtLayers = 256
) (
    input logic clk,
    input logic rst_n,

    input  logic        psel,
    input  logic        penable,
    input  logic        pwrite,
    input  logic [11:0] paddr,
    input  logic [31:0] pwdata,
    input  logic [ 3:0] pstrb,
    output logic [31:0] prdata,
    output logic        pready,
    output logic        pslverr,
    output logic        irq,

    input  logic        request_valid,
    output logic        request_ready,
    input  logic [15:0] request_tag,
    input  logic [15:0] request_die,
    input  logic [31:0] request_address,
    input  logic [15:0] request_group,
    input  logic [15:0] request_layer,
    input  logic [ 7:0] request_page_type,
    input  logic        request_sensed,
    input  mask_t       request_codewords,
    input  logic        abort_read,

    output logic                       flash_valid,
    input  logic                       flash_ready,
    output tag_t                       flash_tag,
    output flash_op_t                  flash_op,
    output logic      [          15:0] flash_die,
    output logic      [          31:0] flash_address,
    output logic      [           7:0] flash_page_type,
    output step_t                      flash_step,
    output logic      [OffsetBits-1:0] flash_offsets,
    output logic      [           2:0] flash_soft_read,
    output logic      [           7:0] flash_soft_offset,  // signed
    output mask_t                      flash_codewords,

    input logic flash_answer_valid,
    input tag_t flash_answer_tag,
    input logic flash_answer_ok,

    output logic             decode_valid,
    input  logic             decode_ready,
    output tag_t             decode_tag,
    output decode_op_t       decode_op,
    output logic       [1:0] decode_level,
    output logic       [7:0] decode_max_iterations,
    output llr_t             decode_llr,
    output mask_t            decode_codewords,

    input logic                    verdict_valid,
    input tag_t                    verdict_tag,
    input logic [CodewordBits-1:0] verdict_codeword,
    input logic                    verdict_ok,
    input logic                    verdict_crc_ok,
    input logic [             7:0] verdict_iterations,
    input logic [            14:0] verdict_corrected,
    input logic [            11:0] verdict_weight,

    output logic         result_valid,
    input  logic         result_ready,
    output logic  [15:0] result_tag,
    output code_t        result_code,
    output mask_t        result_failed,
    output logic  [31:0] result_status,

    output state_t state
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
  logic [31:0] decoded_sectors, uncorrectable_sectors, retries, corrected_bits, miscorrections, stale;
  logic [31:0] codewords[4];
  logic [31:0] t1_iterations[8];
  logic [31:0] t2_iterations[8];

  assign request = '{
      tag: request_tag, die: request_die, address: request_address, group: request_group, layer: request_layer,
      page_type: request_page_type, sensed: request_sensed, codewords: request_codewords};
  assign verdict = '{
      tag: verdict_tag, codeword: verdict_codeword, ok: verdict_ok, crc_ok: verdict_crc_ok,
      iterations: verdict_iterations, corrected: verdict_corrected, weight: verdict_weight};

  read_retry_fsm fsm (
      .clk, .rst_n, .settings, .request_valid, .request_ready, .request, .abort(abort_read || apb_abort),
      .flash_valid, .flash_ready, .flash_tag, .flash_op, .flash_step, .flash_soft_read, .flash_soft_offset,
      .flash_codewords, .flash_answer_valid, .flash_answer_tag, .flash_answer_ok,
      .decode_valid, .decode_ready, .decode_tag, .decode_op, .decode_level, .decode_max_iterations, .decode_llr,
      .decode_codewords, .verdict_valid, .verdict,
      .result_valid, .result_ready, .result_code, .result_failed, .result_status(status),
      .ort_write(fsm_write), .ort_new(fsm_new), .ort_entry(fsm_entry), .current, .state, .events);

  assign flash_die = current.die;
  assign flash_address = current.address;
  assign flash_page_type = current.page_type;
  assign flash_offsets = flash_op == FLASH_SET_VREF ? table_offsets : '0;
  assign result_tag = current.tag;
  assign result_status = status;

  optimal_references #(.Groups(OrtGroups), .Layers(OrtLayers)) ort (
      .clk, .rst_n,
      .a_group(current.group), .a_layer(current.layer), .a_write(fsm_write), .a_new(fsm_new), .a_entry(fsm_entry),
      .b_group(apb_group), .b_layer(apb_layer), .b_exists(apb_exists), .b_entry(apb_entry), .b_write(apb_write),
      .b_new(apb_new), .b_clear(apb_clear), .b_clear_group(apb_clear_group), .b_ready(apb_ready));

  read_retry_counters counters (
      .clk, .rst_n, .events, .iterations(verdict_iterations), .corrected(verdict_corrected), .code(result_code),
      .requested(current.codewords), .failed(result_failed), .decoded_sectors, .uncorrectable_sectors, .retries,
      .corrected_bits, .miscorrections, .stale, .codewords, .t1_iterations, .t2_iterations);

  read_retry_registers registers (
      .clk, .rst_n, .psel, .penable, .pwrite, .paddr, .pwdata, .pstrb, .prdata, .pready, .pslverr, .irq,
      .settings, .table_step(flash_step), .table_offsets, .abort(apb_abort),
      .state, .events, .result_tag, .result_code, .result_failed, .result_status(status),
      .ort_group(apb_group), .ort_layer(apb_layer), .ort_exists(apb_exists), .ort_entry(apb_entry),
      .ort_write(apb_write), .ort_new(apb_new), .ort_clear(apb_clear), .ort_clear_group(apb_clear_group),
      .ort_ready(apb_ready),
      .decoded_sectors, .uncorrectable_sectors, .retries, .corrected_bits, .miscorrections, .stale, .codewords,
      .t1_iterations, .t2_iterations);

  // ---- protocol of every port ----

  request_has_an_entry :
  assert property (@(posedge clk) disable iff (!rst_n) request_valid |->
      32'(request_group) < OrtGroups && 32'(request_layer) < OrtLayers)
  else $error("read retry: a request without an entry in the table of optimal references");

  apb_checker #(.AddressBits(12)) apb_protocol (
      .clk, .rst_n, .psel, .penable, .pwrite, .paddr, .pwdata, .pstrb, .pready, .pslverr);

  handshake_checker #(.PayloadBits($bits(request_t))) request_protocol (
      .clk, .rst_n, .valid(request_valid), .ready(request_ready), .payload(request));

  handshake_checker #(.PayloadBits(Codewords + OffsetBits + 77)) flash_protocol (
      .clk, .rst_n, .valid(flash_valid), .ready(flash_ready),
      .payload({flash_tag, flash_op, flash_die, flash_address, flash_page_type, flash_step,
                flash_soft_read, flash_soft_offset, flash_offsets, flash_codewords}));

  handshake_checker #(.PayloadBits(Codewords + 28)) decode_protocol (
      .clk, .rst_n, .valid(decode_valid), .ready(decode_ready),
      .payload({decode_tag, decode_op, decode_level, decode_max_iterations, decode_llr, decode_codewords}));

  handshake_checker #(.PayloadBits(16 + 3 + Codewords + 32)) result_protocol (
      .clk, .rst_n, .valid(result_valid), .ready(result_ready),
      .payload({result_tag, result_code, result_failed, result_status}));

  response_checker #(.TagBits(TagBits), .Width(1)) flash_answers (
      .clk, .rst_n, .request(flash_valid && flash_ready), .request_tag(flash_tag), .request_mask(1'b1),
      .response(flash_answer_valid), .response_tag(flash_answer_tag), .response_index(1'b0));

  response_checker #(.TagBits(TagBits), .Width(Codewords)) verdicts (
      .clk, .rst_n, .request(decode_valid && decode_ready), .request_tag(decode_tag), .request_mask(decode_codewords),
      .response(verdict_valid), .response_tag(verdict_tag), .response_index(verdict_codeword));

endmodule
