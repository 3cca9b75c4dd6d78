// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the ports of the flash interface. Bound, so that the design is what would be synthesised.
bind flash_interface apb_checker #(.AddressBits(8)) u_apb_checker (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i,
    .pready_i(pready_o), .pslverr_i(pslverr_o));

bind flash_interface handshake_checker #(.PayloadBits($bits(offered))) u_segment_checker (
    .clk_i, .rst_ni, .valid_i(segment_valid_i), .ready_i(segment_ready_o), .payload_i(offered));

bind flash_interface handshake_checker #(.PayloadBits(8)) u_data_in_checker (
    .clk_i, .rst_ni, .valid_i(s_axis_tvalid_i), .ready_i(s_axis_tready_o), .payload_i(s_axis_tdata_i));
