// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The flash interface: sequencer and digital side of the pads of one ONFI channel. A segment (one use of the wires,
// models/onfi/commands.h) comes by `segment` (ready and valid) and starts in the first clock in which its die and
// chip may be addressed: the waits of ONFI (tWB, R/B_n, tRR, tADL, tCCS, tWHR, tRHW) are kept here, so that whoever
// asks may ask at once. Times are registers behind APB4, in clocks; for SDR and for NV-DDR2, NV-DDR3 (one transfer a
// clock). flash_interface_sequencer.sv says what happens at the pins, flash_interface_waits.sv what is waited for.
//
// Ports: `segment` in, `done` out (always taken), AXI4-Stream of page data in, and out without ready; the pins; `quiet_o`:
// with the same inputs the next clock changes nothing, so clocks may be left out. flash_interface_bind.sv has the
// checkers of the ports.
//
// Limits: no suspend (its commands wait for R/B_n as others), no queue: a segment ends before the next is taken. The
// interface does not switch its times with SET FEATURES 01h. One clock for registers and wires.
module flash_interface
  import flash_interface_pkg::*;
#(
    parameter int unsigned Chips = 8,
    parameter int unsigned Dies  = 8
) (
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

    input  logic                             segment_valid_i,
    output logic                             segment_ready_o,
    input  logic  [                     2:0] segment_chip_i,
    input  logic  [                     2:0] segment_die_i,
    input  kind_e                            segment_kind_i,
    input  logic  [                     7:0] segment_opcode_i,
    input  logic  [                     7:0] segment_confirm_i,
    input  logic  [                     2:0] segment_addresses_i,
    input  logic  [8*MaxAddresses-1:0]       segment_address_i,
    input  logic  [ByteCountBits-1:0]        segment_bytes_i,
    input  logic  [                    31:0] segment_parameters_i,

    output logic        done_o,
    output logic [31:0] done_data_o,
    output logic        done_short_o,

    input  logic [7:0] s_axis_tdata_i,
    input  logic       s_axis_tvalid_i,
    output logic       s_axis_tready_o,
    output logic [7:0] m_axis_tdata_o,
    output logic       m_axis_tvalid_o,
    output logic       m_axis_tlast_o,

    output logic [Chips-1:0] ce_no,
    output logic             cle_o,
    output logic             ale_o,
    output logic             we_no,
    output logic             re_no,
    output logic [      7:0] dq_o,
    output logic             dq_oe_o,
    output logic             dqs_o,
    output logic             dqs_oe_o,
    input  logic [      7:0] dq_i,
    input  logic             dqs_i,
    input  logic [ Dies-1:0] rb_ni,

    output logic quiet_o
);
  timing_t timing;
  segment_t offered, current;
  logic idle, may_start, start, ends, waits_quiet;

  assign offered = '{
      chip: segment_chip_i, die: segment_die_i, kind: segment_kind_i, opcode: segment_opcode_i,
      confirm: segment_confirm_i, addresses: segment_addresses_i, address: segment_address_i, bytes: segment_bytes_i,
      parameters: segment_parameters_i};

  // Page data in start with their first byte there.
  assign segment_ready_o = rst_ni && idle && may_start && (segment_kind_i != KindDataIn || s_axis_tvalid_i);
  assign start = segment_valid_i && segment_ready_o;
  assign quiet_o = idle && waits_quiet && !done_o && !m_axis_tvalid_o && !segment_valid_i && !psel_i;

  flash_interface_registers u_registers (
      .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .prdata_o, .pready_o, .pslverr_o,
      .timing_o(timing));

  flash_interface_waits #(.Chips(Chips), .Dies(Dies)) u_waits (
      .clk_i, .rst_ni, .timing_i(timing), .rb_ni, .chip_i(segment_chip_i), .die_i(segment_die_i),
      .kind_i(segment_kind_i), .may_start_o(may_start), .ends_i(ends), .segment_i(current), .quiet_o(waits_quiet));

  flash_interface_sequencer #(.Chips(Chips)) u_sequencer (
      .clk_i, .rst_ni, .timing_i(timing), .start_i(start), .start_segment_i(offered), .idle_o(idle),
      .segment_o(current), .ends_o(ends), .done_o, .done_data_o, .done_short_o,
      .s_axis_tdata_i, .s_axis_tvalid_i, .s_axis_tready_o, .m_axis_tdata_o, .m_axis_tvalid_o, .m_axis_tlast_o,
      .ce_no, .cle_o, .ale_o, .we_no, .re_no, .dq_o, .dq_oe_o, .dqs_o, .dqs_oe_o, .dq_i, .dqs_i);

endmodule
