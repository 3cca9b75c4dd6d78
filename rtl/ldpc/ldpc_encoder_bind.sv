// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the encoder's streams: information in, a codeword out.
bind ldpc_encoder axi_stream_checker #(.PayloadBits(64), .Beats(InformationBeats)) u_input_checker (
    .clk_i, .rst_ni, .tvalid_i(s_axis_tvalid_i), .tready_i(s_axis_tready_o), .tlast_i(s_axis_tlast_i),
    .payload_i(s_axis_tdata_i));

bind ldpc_encoder axi_stream_checker #(.PayloadBits(64), .Beats(StreamBeats)) u_output_checker (
    .clk_i, .rst_ni, .tvalid_i(m_axis_tvalid_o), .tready_i(m_axis_tready_i), .tlast_i(m_axis_tlast_o),
    .payload_i(m_axis_tdata_o));
