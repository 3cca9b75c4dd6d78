// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Checkers of a channel's streams and of its verdicts. The streams between the tiers have those of the decoders.
bind ldpc_decoder_channel axi_stream_checker #(
    .PayloadBits(64 + $bits(s_axis_tuser_i)), .Beats(StreamBeats)
) u_input_checker (
    .clk_i, .rst_ni, .tvalid_i(s_axis_tvalid_i), .tready_i(s_axis_tready_o), .tlast_i(s_axis_tlast_i),
    .payload_i({s_axis_tuser_i, s_axis_tdata_i}));

bind ldpc_decoder_channel axi_stream_checker #(
    .PayloadBits(64 + $bits(m_axis_tuser_o)), .Beats(StreamBeats)
) u_output_checker (
    .clk_i, .rst_ni, .tvalid_i(m_axis_tvalid_o), .tready_i(m_axis_tready_i), .tlast_i(m_axis_tlast_o),
    .payload_i({m_axis_tuser_o, m_axis_tdata_o}));

bind ldpc_decoder_channel handshake_checker #(.PayloadBits(15 + $bits(verdict_o))) u_verdict_checker (
    .clk_i, .rst_ni, .valid_i(verdict_valid_o), .ready_i(verdict_ready_i),
    .payload_i({verdict_o, verdict_corrected_o}));
