// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on one AXI4-Stream port (AMBA AXI-Stream, IHI 0051, 2.2.1): once valid, a beat stays as it is until ready
// takes it; valid is low in reset; packets have Beats beats, the last one marked. A simulation stops at the first violation.
module axi_stream_checker #(
    parameter int unsigned PayloadBits = 64,
    parameter int unsigned Beats = 292
) (
    input logic clk,
    input logic rst_n,
    input logic tvalid,
    input logic tready,
    input logic tlast,
    input logic [PayloadBits-1:0] payload
);
  localparam int unsigned BeatBits = $clog2(Beats);
  localparam logic [BeatBits-1:0] LastBeat = BeatBits'(Beats - 1);

  logic [BeatBits-1:0] beat;

  always_ff @(posedge clk) begin
    if (!rst_n) beat <= '0;
    else if (tvalid && tready) beat <= beat == LastBeat ? '0 : beat + 1'b1;
  end

  valid_stays :
  assert property (@(posedge clk) disable iff (!rst_n) tvalid && !tready |=> tvalid)
  else $error("AXI4-Stream: valid withdrawn before ready");

  payload_stays :
  assert property (@(posedge clk) disable iff (!rst_n) tvalid && !tready |=> $stable(payload) && $stable(tlast))
  else $error("AXI4-Stream: beat changed before ready");

  last_marks_the_packet :
  assert property (@(posedge clk) disable iff (!rst_n) tvalid |-> tlast == (beat == LastBeat))
  else $error("AXI4-Stream: tlast not on the last beat of the packet");

  quiet_in_reset :
  assert property (@(posedge clk) !rst_n |=> !tvalid || rst_n)
  else $error("AXI4-Stream: valid in reset");

endmodule
