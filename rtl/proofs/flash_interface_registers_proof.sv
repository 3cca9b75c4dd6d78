// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of flash_interface_registers: any register, chosen at the start, reads back what a legal write put there last,
// or its reset value; the time that it stands for is the one at the port; a transfer with an error changes nothing, and
// errors come where the page of registers says. Inputs are free, but reset comes in the first clock and not again.
module flash_interface_registers_proof
  import flash_interface_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [5:0] chosen_i,
    input logic psel_i,
    input logic penable_i,
    input logic pwrite_i,
    input logic [7:0] paddr_i,
    input logic [31:0] pwdata_i,
    input logic [3:0] pstrb_i
);
  localparam logic [5:0] Control = 6'd0;
  localparam logic [5:0] LastTime = 6'd18;

  logic [31:0] prdata;
  logic pready, pslverr;
  timing_t timing;
  flash_interface_registers u_registers (
      .clk_i,
      .rst_ni,
      .psel_i,
      .penable_i,
      .pwrite_i,
      .paddr_i,
      .pwdata_i,
      .pstrb_i,
      .prdata_o(prdata),
      .pready_o(pready),
      .pslverr_o(pslverr),
      .timing_o(timing));

  logic access, exists, hits;
  assign access = psel_i && penable_i;
  assign exists = paddr_i[7:2] <= LastTime && paddr_i[1:0] == '0;
  assign hits = access && paddr_i == {chosen_i, 2'b00};

  // Times lie in the structure from the first, highest, to the last.
  logic [$bits(timing_t)-1:0] bits;
  clocks_t time_at_port;
  assign bits = timing;
  assign time_at_port = bits[32'(LastTime - chosen_i)*TimeBits+:TimeBits];

  bit started_q = 1'b0;
  logic [5:0] chosen_q;
  clocks_t value_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    chosen_q <= chosen_i;
    assume (rst_ni == started_q);
    assume (chosen_i <= LastTime);
    assume (!started_q || chosen_i == chosen_q);
    if (!rst_ni) begin
      value_q <= chosen_i == Control ? clocks_t'(1) : '1;
    end else begin
      if (hits && pwrite_i && pstrb_i == '1) begin
        value_q <= chosen_i == Control ? clocks_t'(pwdata_i[0]) : pwdata_i[TimeBits-1:0];
      end

      never_waits :
      assert (pready);
      errors_are_said :
      assert (pslverr == (access && (!exists || (pwrite_i && pstrb_i != '1))));
      reads_back :
      assert (!(hits && !pwrite_i) || prdata == 32'(value_q));
      nothing_where_nothing_is :
      assert (!(access && !exists) || prdata == '0);
      is_at_the_port :
      assert (chosen_i == Control ? timing.sdr == value_q[0] : time_at_port == value_q);

      last_time_read_back :
      cover (hits && !pwrite_i && chosen_i == LastTime && prdata == 32'h123);
    end
  end

endmodule
