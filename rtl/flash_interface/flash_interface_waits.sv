// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The waits between segments, which leave the wires to others: for each die one counter (tWB, tADL, tCCS, tWHR, tRR)
// and its R/B_n, for each chip enable one more (tRHW). `may_start_o` says of the segment offered whether its waits are
// over. A wait of n clocks from an end in clock m lets the next segment begin in clock m + n.
//
// One counter is enough for a die: what a new command asks for never ends before what the last one asked for (the
// larger of both is kept). R/B_n is not looked at before it had tWB to fall and SyncStages clocks to come through.
module flash_interface_waits
  import flash_interface_pkg::*;
#(
    parameter int unsigned Chips = 8,
    parameter int unsigned Dies  = 8
) (
    input logic clk_i,
    input logic rst_ni,

    input timing_t         timing_i,
    input logic [Dies-1:0] rb_ni,

    input  logic [2:0] chip_i,
    input  logic [2:0] die_i,
    input  kind_e      kind_i,
    output logic       may_start_o,

    input logic     ends_i,    // the segment under way has its last clock
    input segment_t segment_i,

    output logic quiet_o  // nothing is counted, no edge of R/B_n is on its way
);
  // The parts of the segment and of the times that other waits use.
  logic unused_segment, unused_times;
  assign unused_times = ^timing_i;
  assign unused_segment = ^{segment_i.address, segment_i.bytes, segment_i.parameters};

  clocks_t wait_d[Dies];
  clocks_t wait_q[Dies];
  logic [Dies-1:0] all_d, all_q;  // the wait holds whatever comes, not only data
  clocks_t rhw_d[Chips];
  clocks_t rhw_q[Chips];

  // ---- R/B_n ----

  logic [Dies-1:0] rb_meta_q, ready_q, ready_before_q, rises;
  assign rises = ready_q & ~ready_before_q;

  // No reset: with R/B_n high for three clocks they hold what they should. Reset lasts as long.
  always_ff @(posedge clk_i) begin
    rb_meta_q <= rb_ni;
    ready_q <= rb_meta_q;
    ready_before_q <= ready_q;
  end

  // ---- what the command that ends asks for ----

  logic [7:0] code;
  after_e after;
  clocks_t after_clocks;
  assign code = segment_i.confirm != 8'h00 ? segment_i.confirm : segment_i.opcode;

  always_comb begin
    after = AfterNothing;
    after_clocks = '0;
    if (has_cycles(segment_i.kind) && segment_i.kind != KindStatus) begin
      unique case (code)
        // Of pages, units and blocks; of planes; features; RESET.
        8'h30, 8'h35, 8'h31, 8'h3f, 8'h15, 8'h10, 8'hd0, 8'h32, 8'h11, 8'h1a, 8'hd1, 8'hef, 8'hee, 8'hd5, 8'hd4,
        8'hff, 8'hfc, 8'hfa: begin
          after = AfterBusy;
          after_clocks = timing_i.wb + TimeBits'(SyncStages);
        end
        8'h80: begin
          after = AfterData;
          after_clocks = timing_i.adl;
        end
        8'h85: begin
          after = AfterData;
          after_clocks = segment_i.addresses > 3'd2 ? timing_i.adl : timing_i.ccs;
        end
        8'he0, 8'hc0: begin
          after = AfterData;
          after_clocks = timing_i.ccs;
        end
        8'h00: begin
          after = AfterReturn;
          after_clocks = timing_i.whr;
        end
        default: ;
      endcase
    end
  end

  // ---- counters ----

  function automatic clocks_t less_one(input clocks_t clocks);
    less_one = clocks == '0 ? '0 : clocks - 1'b1;
  endfunction

  function automatic clocks_t larger(input clocks_t one, input clocks_t other);
    larger = one > other ? one : other;
  endfunction

  always_comb begin
    for (int unsigned die = 0; die < Dies; die++) begin
      wait_d[die] = less_one(wait_q[die]);
      all_d[die] = all_q[die] && wait_d[die] != '0;
      if (rises[die]) wait_d[die] = larger(wait_d[die], less_one(timing_i.rr));
      if (ends_i && 32'(segment_i.die) == die && after != AfterNothing) begin
        wait_d[die] = larger(wait_d[die], less_one(after_clocks));
        all_d[die] = all_d[die] || (after == AfterBusy && wait_d[die] != '0);
      end
    end
    for (int unsigned chip = 0; chip < Chips; chip++) begin
      rhw_d[chip] = less_one(rhw_q[chip]);
      if (ends_i && 32'(segment_i.chip) == chip && is_output(segment_i.kind)) rhw_d[chip] = less_one(timing_i.rhw);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned die = 0; die < Dies; die++) wait_q[die] <= '0;
      for (int unsigned chip = 0; chip < Chips; chip++) rhw_q[chip] <= '0;
      all_q <= '0;
    end else begin
      wait_q <= wait_d;
      rhw_q <= rhw_d;
      all_q <= all_d;
    end
  end

  // ---- the segment offered ----

  logic data, output_only;
  assign data = kind_i == KindDataIn || output_only;
  assign output_only = kind_i == KindDataOut || kind_i == KindFeatureOut;

  assign may_start_o = (wait_q[die_i] == '0 || (!all_q[die_i] && !data)) &&
      (output_only || rhw_q[chip_i] == '0) &&
      (kind_i == KindStatus || kind_i == KindReset || ready_q[die_i]) &&
      !(data && rises[die_i]);

  always_comb begin
    quiet_o = rb_meta_q == rb_ni && ready_q == rb_meta_q && ready_before_q == ready_q;
    for (int unsigned die = 0; die < Dies; die++) quiet_o &= wait_q[die] == '0;
    for (int unsigned chip = 0; chip < Chips; chip++) quiet_o &= rhw_q[chip] == '0;
  end

endmodule
