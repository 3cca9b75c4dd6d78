// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on one AXI4-Stream port (AMBA AXI-Stream, IHI 0051, 2.2.1): once valid, a beat stays as it is until ready
// takes it; valid is low in reset; packets have Beats beats, the last one marked. A simulation stops at the first
// violation. Bound to a block, never a part of it; tkeep, tstrb and tid are not checked: no port has them.
module axi_stream_checker #(
    parameter int unsigned PayloadBits = 64,
    parameter int unsigned Beats = 292
) (
    input logic clk_i,
    input logic rst_ni,
    input logic tvalid_i,
    input logic tready_i,
    input logic tlast_i,
    input logic [PayloadBits-1:0] payload_i
);
  localparam int unsigned BeatBits = $clog2(Beats);
  localparam logic [BeatBits-1:0] LastBeat = BeatBits'(Beats - 1);

  logic [BeatBits-1:0] beat_q;
  logic held_q;  // a beat was offered and not taken in the clock before
  logic held_last_q;
  logic [PayloadBits-1:0] held_payload_q;
  bit was_reset_q;  // two states: zero before the first clock, in which nothing is known of the one before

  // Immediate assertions in the clock: concurrent ones cost several times as much in every simulated clock.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      was_reset_q <= 1'b1;
      beat_q <= '0;
      held_q <= 1'b0;
      quiet_in_reset :
      assert (!was_reset_q || !tvalid_i)
      else $error("AXI4-Stream: valid in reset");
    end else begin
      was_reset_q <= 1'b0;
      held_q <= tvalid_i && !tready_i;
      if (tvalid_i) begin
        // No reset: read only while held_q is set.
        if (!tready_i) begin
          held_last_q <= tlast_i;
          held_payload_q <= payload_i;
        end else begin
          beat_q <= tlast_i ? '0 : beat_q + 1'b1;
        end
        last_marks_the_packet :
        assert (tlast_i == (beat_q == LastBeat))
        else $error("AXI4-Stream: tlast not on the last beat of the packet");
      end
      if (held_q) begin
        valid_stays :
        assert (tvalid_i)
        else $error("AXI4-Stream: valid withdrawn before ready");
        payload_stays :
        assert (!tvalid_i || (tlast_i == held_last_q && payload_i == held_payload_q))
        else $error("AXI4-Stream: beat changed before ready");
      end
    end
  end

endmodule
