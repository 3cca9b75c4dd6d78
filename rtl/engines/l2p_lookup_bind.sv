// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the L2P lookup: every port, and the registers that it reads.
bind l2p_lookup handshake_checker #(.PayloadBits(TagBits + 50)) u_request_checker (
    .clk_i, .rst_ni, .valid_i(request_valid_i), .ready_i(request_ready_o),
    .payload_i({request_write_i, request_tag_i, request_lpn_i, request_lpages_i}));

bind l2p_lookup memory_port_checker #(.PayloadBits(65), .UnderWay(2)) u_memory_checker (
    .clk_i, .rst_ni, .valid_i(mem_valid_o), .ready_i(mem_ready_i),
    .payload_i({mem_write_o, mem_address_o, mem_write_o ? mem_wdata_o : 32'd0}), .answer_i(mem_answer_i));

bind l2p_lookup handshake_checker #(.PayloadBits(32)) u_dram_checker (
    .clk_i, .rst_ni, .valid_i(dram_valid_o), .ready_i(dram_ready_i), .payload_i(dram_address_o));

bind l2p_lookup handshake_checker #(.PayloadBits(129)) u_beat_checker (
    .clk_i, .rst_ni, .valid_i(beat_valid_i), .ready_i(beat_ready_o), .payload_i({beat_error_i, beat_i}));

bind l2p_lookup handshake_checker #(.PayloadBits(64)) u_value_checker (
    .clk_i, .rst_ni, .valid_i(value_valid_o), .ready_i(value_ready_i), .payload_i({value_address_o, value_o}));

bind l2p_lookup handshake_checker #(.PayloadBits(TagBits + 3)) u_answer_checker (
    .clk_i, .rst_ni, .valid_i(answer_valid_o), .ready_i(answer_ready_i),
    .payload_i({answer_tag_o, answer_refused_o, answer_failed_o, answer_written_o}));

bind l2p_lookup settings_checker #(.PayloadBits(129)) u_settings_checker (
    .clk_i, .rst_ni, .busy_i(busy_o),
    .settings_i({map_base_i, map_lpages_i, map_initial_i, lookups_i, lpage_states_i}));
