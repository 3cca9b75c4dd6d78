// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of the streams of the tier-2 decoder, wherever it is instantiated.
bind ldpc_min_sum_decoder axi_stream_checker #(.PayloadBits(76), .Beats(StreamBeats)) u_input_checker (
    .clk_i, .rst_ni, .tvalid_i(s_axis_tvalid_i), .tready_i(s_axis_tready_o), .tlast_i(s_axis_tlast_i),
    .payload_i({s_axis_tuser_i, s_axis_tdata_i}));

bind ldpc_min_sum_decoder axi_stream_checker #(.PayloadBits(82), .Beats(StreamBeats)) u_output_checker (
    .clk_i, .rst_ni, .tvalid_i(m_axis_tvalid_o), .tready_i(m_axis_tready_i), .tlast_i(m_axis_tlast_o),
    .payload_i({m_axis_tuser_o, m_axis_tdata_o}));
