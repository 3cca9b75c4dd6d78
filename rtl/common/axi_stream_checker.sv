// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on one AXI4-Stream port (AMBA AXI-Stream, IHI 0051, 2.2.1): once valid, a beat stays as it is until ready
// takes it; valid is low in reset; packets have Beats beats, the last one marked. A simulation stops at the first
// violation.
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
  logic held;  // a beat was offered and not taken in the clock before
  logic held_last;
  logic [PayloadBits-1:0] held_payload;
  logic was_reset;

  // Immediate assertions in the clock: concurrent ones cost several times as much in every simulated clock.
  always_ff @(posedge clk) begin
    was_reset <= !rst_n;
    held <= tvalid && !tready;
    if (tvalid) begin
      if (!tready) begin
        held_last <= tlast;
        held_payload <= payload;
      end else begin
        beat <= tlast ? '0 : beat + 1'b1;
      end
      if (rst_n) begin
        last_marks_the_packet :
        assert (tlast == (beat == LastBeat))
        else $error("AXI4-Stream: tlast not on the last beat of the packet");
      end
    end
    if (held && rst_n) begin
      valid_stays :
      assert (tvalid)
      else $error("AXI4-Stream: valid withdrawn before ready");
      payload_stays :
      assert (!tvalid || (tlast == held_last && payload == held_payload))
      else $error("AXI4-Stream: beat changed before ready");
    end
    if (!rst_n) begin
      quiet_in_reset :
      assert (!was_reset || !tvalid)
      else $error("AXI4-Stream: valid in reset");
      beat <= '0;
      held <= 1'b0;
    end
  end

endmodule
