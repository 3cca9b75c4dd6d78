// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The times of the flash interface, as registers behind APB4: one register a time, 12 bits, in clocks. A write takes
// effect at once; while a segment is under way its times may not be written (an assertion in the state machine). Byte
// strobes are not honoured one by one: a write without all four is an error, as is an address without a register.
module flash_interface_registers
  import flash_interface_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  logic        psel_i,
    input  logic        penable_i,
    input  logic        pwrite_i,
    input  logic [ 7:0] paddr_i,
    input  logic [31:0] pwdata_i,
    input  logic [ 3:0] pstrb_i,
    output logic [31:0] prdata_o,
    output logic        pready_o,
    output logic        pslverr_o,

    output timing_t timing_o
);
  localparam int unsigned Times = 18;  // times after CONTROL

  logic sdr_d, sdr_q;
  clocks_t times_d[Times];
  clocks_t times_q[Times];

  logic [5:0] word;
  logic access, exists;
  assign word = paddr_i[7:2];
  assign access = psel_i && penable_i;
  assign exists = 32'(word) <= Times && paddr_i[1:0] == '0;
  assign pready_o = 1'b1;
  assign pslverr_o = access && (!exists || (pwrite_i && pstrb_i != '1));

  logic write;
  logic unused_data;
  assign write = access && pwrite_i && !pslverr_o;
  assign unused_data = ^pwdata_i[31:TimeBits];

  always_comb begin
    sdr_d = write && word == '0 ? pwdata_i[0] : sdr_q;
    for (int unsigned i = 0; i < Times; i++) begin
      times_d[i] = write && word == 6'(i + 1) ? pwdata_i[TimeBits-1:0] : times_q[i];
    end
  end

  always_comb begin
    prdata_o = '0;
    if (access && !pwrite_i) begin
      if (word == '0) prdata_o = {31'd0, sdr_q};
      for (int unsigned i = 0; i < Times; i++) begin
        if (word == 6'(i + 1)) prdata_o = {20'd0, times_q[i]};
      end
      if (!exists) prdata_o = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sdr_q <= 1'b1;  // the interface after power-on
      for (int unsigned i = 0; i < Times; i++) times_q[i] <= '1;  // slow, until somebody says better
    end else begin
      sdr_q <= sdr_d;
      times_q <= times_d;
    end
  end

  assign timing_o = '{
      sdr: sdr_q, setup: times_q[0], write_cycle: times_q[1], write_low: times_q[2], read_cycle: times_q[3],
      read_low: times_q[4], adl: times_q[5], ccs: times_q[6], whr: times_q[7], rhw: times_q[8], wb: times_q[9],
      rr: times_q[10], write_preamble: times_q[11], write_postamble: times_q[12], read_preamble: times_q[13],
      read_latency: times_q[14], read_postamble: times_q[15], warm_up: times_q[16], chip_high: times_q[17]};

endmodule
