// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Assertions on one APB4 port (AMBA APB, IHI 0024, chapter 4): a transfer is one setup clock, then access clocks
// until pready; address, direction, data and strobes stay; reads have no strobes; pslverr only in the clock that ends
// a transfer. A simulation stops at the first violation. Bound to a block, never a part of it. Known gap: pprot is not
// checked: no port has it.
module apb_checker #(
    parameter int unsigned AddressBits = 12
) (
    input logic clk_i,
    input logic rst_ni,
    input logic psel_i,
    input logic penable_i,
    input logic pwrite_i,
    input logic [AddressBits-1:0] paddr_i,
    input logic [31:0] pwdata_i,
    input logic [3:0] pstrb_i,
    input logic pready_i,
    input logic pslverr_i
);
  typedef struct packed {
    logic write;
    logic [AddressBits-1:0] address;
    logic [31:0] data;
    logic [3:0] strobes;
  } transfer_t;

  transfer_t transfer, held_q;
  assign transfer = '{write: pwrite_i, address: paddr_i, data: pwdata_i, strobes: pstrb_i};

  // What the clock before was, out of reset.
  bit idle_q, setup_q, waits_q, ended_q;

  // Immediate assertions in the clock, which the prover reads, too (scripts/formal).
  always_ff @(posedge clk_i) begin
    idle_q <= rst_ni && !psel_i;
    setup_q <= rst_ni && psel_i && !penable_i;
    waits_q <= rst_ni && psel_i && penable_i && !pready_i;
    ended_q <= rst_ni && psel_i && penable_i && pready_i;
    held_q <= transfer;
    if (rst_ni) begin
      setup_comes_first :
      assert (!idle_q || !penable_i)
      else $error("APB: access without setup");

      enable_needs_select :
      assert (!penable_i || psel_i)
      else $error("APB: penable without psel");

      access_follows_setup :
      assert (!setup_q || (psel_i && penable_i))
      else $error("APB: setup without access");

      access_lasts_until_ready :
      assert (!waits_q || (psel_i && penable_i))
      else $error("APB: access withdrawn before pready");

      transfer_ends :
      assert (!ended_q || !penable_i)
      else $error("APB: penable after the end of a transfer");

      transfer_stays :
      assert (!(setup_q || waits_q) || transfer == held_q)
      else $error("APB: transfer changed before its end");

      reads_have_no_strobes :
      assert (!psel_i || pwrite_i || pstrb_i == '0)
      else $error("APB: strobes in a read");

      error_ends_a_transfer :
      assert (!pslverr_i || (psel_i && penable_i && pready_i))
      else $error("APB: pslverr outside the end of a transfer");
    end
  end

endmodule
