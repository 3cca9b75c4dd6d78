// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on a port with valid and ready: once valid, it stays valid and its payload stays until ready takes it;
// nothing is valid in the clock after reset. A simulation stops at the first violation.
module handshake_checker #(
    parameter int unsigned PayloadBits = 32
) (
    input logic clk,
    input logic rst_n,
    input logic valid,
    input logic ready,
    input logic [PayloadBits-1:0] payload
);
  valid_stays :
  assert property (@(posedge clk) disable iff (!rst_n) valid && !ready |=> valid)
  else $error("handshake: valid withdrawn before ready");

  payload_stays :
  assert property (@(posedge clk) disable iff (!rst_n) valid && !ready |=> $stable(payload))
  else $error("handshake: payload changed before ready");

  quiet_in_reset :
  assert property (@(posedge clk) !rst_n |=> !valid || rst_n)
  else $error("handshake: valid in reset");

endmodule
