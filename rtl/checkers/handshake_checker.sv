// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on a port with valid and ready: once valid, it stays valid and its payload stays until ready takes it;
// nothing is valid in the clock after reset. A simulation stops at the first violation. Bound to a block, never a part
// of it. How long a port may wait is not checked.
module handshake_checker #(
    parameter int unsigned PayloadBits = 32
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic ready_i,
    input logic [PayloadBits-1:0] payload_i
);
  bit held_q;  // offered and not taken in the clock before
  logic [PayloadBits-1:0] held_payload_q;
  bit was_reset_q;  // two states: zero in the first clock, of which there is no past

  // Immediate assertions in the clock, which the prover reads, too (scripts/formal).
  always_ff @(posedge clk_i) begin
    was_reset_q <= !rst_ni;
    held_q <= rst_ni && valid_i && !ready_i;
    held_payload_q <= payload_i;
    if (!rst_ni) begin
      quiet_in_reset :
      assert (!was_reset_q || !valid_i)
      else $error("handshake: valid in reset");
    end else if (held_q) begin
      valid_stays :
      assert (valid_i)
      else $error("handshake: valid withdrawn before ready");
      payload_stays :
      assert (payload_i == held_payload_q)
      else $error("handshake: payload changed before ready");
    end
  end

endmodule
