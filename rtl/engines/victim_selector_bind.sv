// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the victim selector: its port to memory, and the registers that it reads.
bind victim_selector memory_port_checker #(.PayloadBits(65), .UnderWay(WordsUnderWay)) u_memory_checker (
    .clk_i, .rst_ni, .valid_i(mem_valid_o), .ready_i(mem_ready_i),
    .payload_i({mem_write_o, mem_address_o, mem_write_o ? mem_wdata_o : 32'd0}), .answer_i(mem_answer_i));

bind victim_selector settings_checker #(.PayloadBits(128)) u_settings_checker (
    .clk_i, .rst_ni, .busy_i(busy_o),
    .settings_i({superblock_table_i, superblock_stride_i, superblocks_i, victim_i}));
