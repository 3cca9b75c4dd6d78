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
  valid_stays :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_i |=> valid_i)
  else $error("handshake: valid withdrawn before ready");

  payload_stays :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_i |=> $stable(payload_i))
  else $error("handshake: payload changed before ready");

  bit clocked_q;  // two states: zero in the first clock, of which there is no past
  always_ff @(posedge clk_i) clocked_q <= 1'b1;

  quiet_in_reset :
  assert property (@(posedge clk_i) disable iff (!clocked_q) !rst_ni |=> !valid_i || rst_ni)
  else $error("handshake: valid in reset");

endmodule
