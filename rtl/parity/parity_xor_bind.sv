// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the streams of the XOR unit. Units may have any length.
bind parity_xor handshake_checker #(.PayloadBits(DataBits + 1)) u_unit_checker (
    .clk_i, .rst_ni, .valid_i(unit_tvalid_i), .ready_i(unit_tready_o), .payload_i({unit_tlast_i, unit_tdata_i}));

bind parity_xor handshake_checker #(.PayloadBits(DataBits + 1)) u_sum_checker (
    .clk_i, .rst_ni, .valid_i(sum_tvalid_i), .ready_i(sum_tready_o), .payload_i({sum_tlast_i, sum_tdata_i}));

bind parity_xor handshake_checker #(.PayloadBits(DataBits + 1)) u_output_checker (
    .clk_i, .rst_ni, .valid_i(m_axis_tvalid_o), .ready_i(m_axis_tready_i),
    .payload_i({m_axis_tlast_o, m_axis_tdata_o}));
