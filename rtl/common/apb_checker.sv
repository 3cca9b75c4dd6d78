// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on one APB4 port (AMBA APB, IHI 0024, chapter 4): a transfer is one setup clock, then access clocks
// until pready; address, direction, data and strobes stay; reads have no strobes; pslverr only in the clock that ends
// a transfer. A simulation stops at the first violation.
module apb_checker #(
    parameter int unsigned AddressBits = 12
) (
    input logic clk,
    input logic rst_n,
    input logic psel,
    input logic penable,
    input logic pwrite,
    input logic [AddressBits-1:0] paddr,
    input logic [31:0] pwdata,
    input logic [3:0] pstrb,
    input logic pready,
    input logic pslverr
);
  setup_comes_first :
  assert property (@(posedge clk) disable iff (!rst_n) !psel |=> !penable)
  else $error("APB: access without setup");

  enable_needs_select :
  assert property (@(posedge clk) disable iff (!rst_n) penable |-> psel)
  else $error("APB: penable without psel");

  access_follows_setup :
  assert property (@(posedge clk) disable iff (!rst_n) psel && !penable |=> psel && penable)
  else $error("APB: setup without access");

  access_lasts_until_ready :
  assert property (@(posedge clk) disable iff (!rst_n) psel && penable && !pready |=> psel && penable)
  else $error("APB: access withdrawn before pready");

  transfer_ends :
  assert property (@(posedge clk) disable iff (!rst_n) psel && penable && pready |=> !penable)
  else $error("APB: penable after the end of a transfer");

  transfer_stays :
  assert property (@(posedge clk) disable iff (!rst_n) psel && !(penable && pready) |=>
      $stable(pwrite) && $stable(paddr) && $stable(pwdata) && $stable(pstrb))
  else $error("APB: transfer changed before its end");

  reads_have_no_strobes :
  assert property (@(posedge clk) disable iff (!rst_n) psel && !pwrite |-> pstrb == '0)
  else $error("APB: strobes in a read");

  error_ends_a_transfer :
  assert property (@(posedge clk) disable iff (!rst_n) pslverr |-> psel && penable && pready)
  else $error("APB: pslverr outside the end of a transfer");

endmodule
