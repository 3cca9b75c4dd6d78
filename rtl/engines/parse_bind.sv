// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the command parser: every port, and its settings.
bind parse handshake_checker #(.PayloadBits(TagBits + 512)) u_entry_checker (
    .clk_i, .rst_ni, .valid_i(entry_valid_i), .ready_i(entry_ready_o), .payload_i({entry_tag_i, entry_i}));

bind parse memory_port_checker #(.PayloadBits(32), .UnderWay(3)) u_memory_checker (
    .clk_i, .rst_ni, .valid_i(mem_valid_o), .ready_i(mem_ready_i), .payload_i(mem_address_o),
    .answer_i(mem_answer_i));

bind parse handshake_checker #(.PayloadBits(TagBits + 190)) u_answer_checker (
    .clk_i, .rst_ni, .valid_i(answer_valid_o), .ready_i(answer_ready_i),
    .payload_i({answer_tag_o, answer_status_o, answer_op_o, answer_way_o, answer_fua_o, answer_first_o,
                answer_blocks_o, answer_lpn_o, answer_lpages_o, answer_ranges_o, answer_pages_o, answer_sgl_o,
                answer_hints_o}));

bind parse settings_checker #(.PayloadBits(128)) u_settings_checker (
    .clk_i, .rst_ni, .busy_i(busy_o),
    .settings_i({namespace_table_i, max_blocks_i, lpage_shift_i, cmb_i, cmb_first_i, cmb_pages_i}));
