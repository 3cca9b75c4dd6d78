// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a block of your own in the data stream: each beat is added to a number made of the logical page, the half
// and the beat, on its way to the flash and back: the same operation twice gives the data back. A register in the path,
// a beat a clock, so it costs a read one clock. That hides nothing from anybody: put a cipher in its place.
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_tap (
    input logic clk_i,
    input logic rst_ni,

    input  logic [63:0] s_axis_tdata_i,
    input  logic        s_axis_tvalid_i,
    input  logic        s_axis_tlast_i,
    input  logic [33:0] s_axis_tuser_i,   // {write, half, logical page}
    output logic        s_axis_tready_o,

    output logic [63:0] m_axis_tdata_o,
    output logic        m_axis_tvalid_o,
    output logic        m_axis_tlast_o,
    input  logic        m_axis_tready_i,

    output logic busy_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [7:0]  status_beat_o,
    output logic [63:0] count_written_o,
    output logic [63:0] count_read_o
);
  logic [7:0] beat_q;  // beat of the stream in
  logic [63:0] data_q, written_q, read_q;
  logic valid_q, last_q;

  function automatic logic [63:0] mask(input logic [32:0] codeword, input logic [7:0] beat);
    mask = {23'h5bd1e9, codeword, beat};
    mask ^= mask << 13;
    mask ^= mask >> 7;
    mask ^= mask << 17;
  endfunction

  logic takes;
  assign s_axis_tready_o = !valid_q || m_axis_tready_i;
  assign takes = s_axis_tvalid_i && s_axis_tready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      beat_q <= '0;
      written_q <= '0;
      read_q <= '0;
    end else begin
      if (s_axis_tready_o) valid_q <= s_axis_tvalid_i;
      if (takes) begin
        data_q <= s_axis_tdata_i ^ mask(s_axis_tuser_i[32:0], beat_q);
        last_q <= s_axis_tlast_i;
        beat_q <= s_axis_tlast_i ? '0 : beat_q + 1'b1;
        if (s_axis_tuser_i[33]) written_q <= written_q + 1'b1;
        else read_q <= read_q + 1'b1;
      end
    end
  end

  assign m_axis_tdata_o = data_q;
  assign m_axis_tvalid_o = valid_q;
  assign m_axis_tlast_o = last_q;
  assign busy_o = valid_q || beat_q != '0;

  assign status_beat_o = beat_q;
  assign count_written_o = written_q;
  assign count_read_o = read_q;

endmodule
