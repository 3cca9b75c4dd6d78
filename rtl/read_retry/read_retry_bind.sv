// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of every port of the read-retry controller. Bound, so that the design is what would be synthesised and a
// simulation that wants no checkers leaves out this file.
bind read_retry apb_checker #(.AddressBits(12)) u_apb_checker (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i,
    .pready_i(pready_o), .pslverr_i(pslverr_o));

bind read_retry handshake_checker #(.PayloadBits($bits(request))) u_request_checker (
    .clk_i, .rst_ni, .valid_i(request_valid_i), .ready_i(request_ready_o), .payload_i(request));

bind read_retry handshake_checker #(.PayloadBits(read_retry_pkg::Codewords + OffsetBits + 77)) u_flash_checker (
    .clk_i, .rst_ni, .valid_i(flash_valid_o), .ready_i(flash_ready_i),
    .payload_i({flash_tag_o, flash_op_o, flash_die_o, flash_address_o, flash_page_type_o, flash_step_o,
                flash_soft_read_o, flash_soft_offset_o, flash_offsets_o, flash_codewords_o}));

bind read_retry handshake_checker #(.PayloadBits(read_retry_pkg::Codewords + 28)) u_decode_checker (
    .clk_i, .rst_ni, .valid_i(decode_valid_o), .ready_i(decode_ready_i),
    .payload_i({decode_tag_o, decode_op_o, decode_level_o, decode_max_iterations_o, decode_llr_o,
                decode_codewords_o}));

bind read_retry handshake_checker #(.PayloadBits(16 + 3 + read_retry_pkg::Codewords + 32)) u_result_checker (
    .clk_i, .rst_ni, .valid_i(result_valid_o), .ready_i(result_ready_i),
    .payload_i({result_tag_o, result_code_o, result_failed_o, result_status_o}));

bind read_retry response_checker #(.TagBits(read_retry_pkg::TagBits), .Width(1)) u_flash_answer_checker (
    .clk_i, .rst_ni, .request_i(flash_valid_o && flash_ready_i), .request_tag_i(flash_tag_o), .request_mask_i(1'b1),
    .response_i(flash_answer_valid_i), .response_tag_i(flash_answer_tag_i), .response_index_i(1'b0));

bind read_retry response_checker #(.TagBits(read_retry_pkg::TagBits), .Width(read_retry_pkg::Codewords)) u_verdict_checker (
    .clk_i, .rst_ni, .request_i(decode_valid_o && decode_ready_i), .request_tag_i(decode_tag_o),
    .request_mask_i(decode_codewords_o), .response_i(verdict_valid_i), .response_tag_i(verdict_tag_i),
    .response_index_i(verdict_codeword_i));
