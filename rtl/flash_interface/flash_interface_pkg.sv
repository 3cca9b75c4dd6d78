// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Shapes of the flash interface: what one use of the wires is, and the times it keeps, in clocks. The kinds are
// those of models/onfi/commands.h, in the same order; the registers are in docs/channel_rtl.md.
package flash_interface_pkg;

  localparam int unsigned TimeBits = 12;
  localparam int unsigned ByteCountBits = 17;  // bits of the byte count of a page with its spare area
  localparam int unsigned MaxAddresses = 7;
  localparam int unsigned SyncStages = 2;  // flip-flops between R/B_n and whoever acts on it

  typedef logic [TimeBits-1:0] clocks_t;

  typedef enum logic [2:0] {
    KindCommand     = 3'd0,
    KindDataIn      = 3'd1,
    KindDataOut     = 3'd2,
    KindStatus      = 3'd3,
    KindSetFeatures = 3'd4,
    KindGetFeatures = 3'd5,
    KindFeatureOut  = 3'd6,
    KindReset       = 3'd7
  } kind_e;

  typedef struct packed {
    logic [2:0] chip;  // chip enable
    logic [2:0] die;  // whose R/B_n and waits count
    kind_e kind;
    logic [7:0] opcode;
    logic [7:0] confirm;  // 00h: there is no second command cycle
    logic [2:0] addresses;
    logic [8*MaxAddresses-1:0] address;  // the first cycle lowest
    logic [ByteCountBits-1:0] bytes;  // bytes of page data
    logic [31:0] parameters;  // P1 lowest
  } segment_t;

  typedef struct packed {
    logic sdr;
    clocks_t setup;  // chip enable and latch enable, once
    clocks_t write_cycle;
    clocks_t write_low;  // WE_n
    clocks_t read_cycle;
    clocks_t read_low;  // RE_n
    clocks_t adl;
    clocks_t ccs;
    clocks_t whr;
    clocks_t rhw;
    clocks_t wb;
    clocks_t rr;
    clocks_t write_preamble;
    clocks_t write_postamble;
    clocks_t read_preamble;
    clocks_t read_latency;
    clocks_t read_postamble;
    clocks_t warm_up;  // transfers before page data
    clocks_t chip_high;  // chip high between two segments
  } timing_t;

  // What a command asks of the segments that follow to its die.
  typedef enum logic [1:0] {
    AfterNothing = 2'd0,
    AfterBusy    = 2'd1,  // tWB, then R/B_n
    AfterData    = 2'd2,  // a time before data
    AfterReturn  = 2'd3   // tWHR before data
  } after_e;

  function automatic logic is_input(input kind_e kind);
    is_input = kind == KindDataIn || kind == KindSetFeatures;
  endfunction

  function automatic logic is_output(input kind_e kind);
    is_output = kind == KindDataOut || kind == KindFeatureOut || kind == KindStatus;
  endfunction

  function automatic logic has_cycles(input kind_e kind);
    has_cycles = kind != KindDataIn && kind != KindDataOut && kind != KindFeatureOut;
  endfunction

endpackage
