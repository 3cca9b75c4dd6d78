// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a sequencer and digital PHY of one ONFI channel: SDR, and one transfer a clock with DQS. It is simpler
// than the shipped one and slower: after every segment it waits for the longest of all times, so that it need not know
// what the commands mean, and each step of a segment takes a clock more than it has to. No queue, no suspend.
//
// Ports, registers, and what the drive checks at the pins: docs/own_rtl.md and docs/channel_rtl.md.
module my_sequencer (
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

    input  logic        segment_valid_i,
    output logic        segment_ready_o,
    input  logic [ 2:0] segment_chip_i,
    input  logic [ 2:0] segment_die_i,
    input  logic [ 2:0] segment_kind_i,
    input  logic [ 7:0] segment_opcode_i,
    input  logic [ 7:0] segment_confirm_i,
    input  logic [ 2:0] segment_addresses_i,
    input  logic [55:0] segment_address_i,
    input  logic [16:0] segment_bytes_i,
    input  logic [31:0] segment_parameters_i,

    output logic        done_o,
    output logic [31:0] done_data_o,
    output logic        done_short_o,

    input  logic [7:0] s_axis_tdata_i,
    input  logic       s_axis_tvalid_i,
    output logic       s_axis_tready_o,
    output logic [7:0] m_axis_tdata_o,
    output logic       m_axis_tvalid_o,
    output logic       m_axis_tlast_o,

    output logic [7:0] ce_no,
    output logic       cle_o,
    output logic       ale_o,
    output logic       we_no,
    output logic       re_no,
    output logic [7:0] dq_o,
    output logic       dq_oe_o,
    output logic       dqs_o,
    output logic       dqs_oe_o,
    input  logic [7:0] dq_i,
    input  logic       dqs_i,
    input  logic [7:0] rb_ni,

    output logic quiet_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [ 2:0] status_step_o,
    output logic [31:0] count_segments_o,
    output logic [31:0] count_waits_o
);
  typedef logic [11:0] clocks_t;
  typedef enum logic [2:0] {Command, DataIn, DataOut, Status, SetFeatures, GetFeatures, FeatureOut, Reset} kind_e;
  typedef enum logic [2:0] {Idle, Setup, Cycle, Turn, Preamble, Burst, Postamble, Gap} step_e;

  // ---- times: registers in words, CONTROL first ----

  localparam int unsigned Words = 19;
  localparam int unsigned WSetup = 1, WWriteCycle = 2, WWriteLow = 3, WReadCycle = 4, WReadLow = 5, WAdl = 6, WWhr = 8,
      WRr = 11, WWritePreamble = 12, WWritePostamble = 13, WReadPreamble = 14, WReadLatency = 15, WReadPostamble = 16,
      WWarmUp = 17;
  clocks_t t[Words];
  logic sdr, access, exists, unused_data;
  assign sdr = t[0][0];
  assign access = psel_i && penable_i;
  assign exists = 32'(paddr_i[7:2]) < Words && paddr_i[1:0] == '0;
  assign pready_o = 1'b1;
  assign pslverr_o = access && (!exists || (pwrite_i && pstrb_i != '1));
  assign prdata_o = exists ? 32'(t[paddr_i[6:2]]) : '0;
  assign unused_data = ^pwdata_i[31:12];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Words; i++) begin
      if (!rst_ni) t[i] <= i == 0 ? clocks_t'(1) : '1;  // SDR and slow, until somebody says better
      else if (access && pwrite_i && !pslverr_o && 32'(paddr_i[7:2]) == i) t[i] <= pwdata_i[11:0];
    end
  end

  // tADL, tCCS, tWHR, tRHW, tWB, tRR, and the clocks that R/B_n takes to come through.
  clocks_t longest;
  always_comb begin
    longest = '0;
    for (int unsigned i = WAdl; i <= WRr; i++) if (t[i] > longest) longest = t[i];
    longest += clocks_t'(3);
  end

  // ---- R/B_n ----

  logic [7:0] rb_meta_q, ready_q;
  clocks_t steady_q;  // clocks since the last edge, up to tRR
  always_ff @(posedge clk_i) begin
    rb_meta_q <= rb_ni;
    ready_q <= rb_meta_q;
    if (!rst_ni || ready_q != rb_meta_q) steady_q <= '0;
    else if (steady_q < t[WRr]) steady_q <= steady_q + 1'b1;
  end

  // ---- the segment ----

  kind_e offered, kind_q;
  logic [2:0] chip_q, addresses_q;
  logic [7:0] opcode_q, confirm_q;
  logic [55:0] address_q;
  logic [16:0] bytes_q;
  logic [31:0] parameters_q;
  assign offered = kind_e'(segment_kind_i);

  step_e step_q;
  clocks_t left_q;  // clocks of the step, or of its cycle, that follow this one
  logic [17:0] sent_q, came_q;  // transfers begun, strobes that came
  logic in, out, page, data_only, ddr_in, ddr_out;
  assign page = kind_q == DataIn || kind_q == DataOut;
  assign data_only = page || kind_q == FeatureOut;  // no cycles before them
  assign in = kind_q == DataIn || kind_q == SetFeatures;
  assign out = kind_q == DataOut || kind_q == FeatureOut || kind_q == Status;
  assign ddr_in = in && !sdr;
  assign ddr_out = out && !sdr;

  logic start, starts_with_data;
  assign starts_with_data = offered == DataIn || offered == DataOut || offered == FeatureOut;
  assign segment_ready_o = rst_ni && step_q == Idle && (offered == Status || offered == Reset || ready_q[segment_die_i]) &&
      (!starts_with_data || steady_q >= t[WRr]) && (offered != DataIn || s_axis_tvalid_i);
  assign start = segment_valid_i && segment_ready_o;

  // Page data have warm-up transfers before them and come in pairs; other bytes go on both edges of DQS.
  logic [17:0] warm_up, transfers;
  assign warm_up = page && !sdr ? 18'(t[WWarmUp]) : '0;
  always_comb begin
    transfers = sdr ? 18'd4 : 18'd8;
    if (page) transfers = warm_up + 18'(bytes_q) + (sdr ? '0 : 18'(bytes_q[0]));
    if (kind_q == Status) transfers = sdr ? 18'd1 : 18'd2;
  end
  clocks_t unit, unit_low;
  assign unit = !sdr ? clocks_t'(1) : in ? t[WWriteCycle] : t[WReadCycle];
  assign unit_low = in ? t[WWriteLow] : t[WReadLow];

  // ---- transfers ----

  logic ends, transfer, is_byte, strobe, is_byte_out;
  logic [17:0] byte_in, byte_out;  // its number
  logic [7:0] dq_q;
  logic dqs_q, dqs_before_q, re_q;
  assign ends = left_q == '0;
  assign byte_in = sent_q - warm_up;
  assign is_byte = sent_q >= warm_up && byte_in < 18'(bytes_q);
  assign transfer = step_q == Burst && ends && sent_q != transfers &&
      (kind_q != DataIn || !is_byte || s_axis_tvalid_i);
  assign s_axis_tready_o = transfer && kind_q == DataIn && is_byte;
  // A byte out: an edge of DQS, which was low before the first; SDR: what the die drives in the last clock of RE_n low.
  assign strobe = out && (sdr ? step_q == Burst && sent_q != '0 && left_q == unit - unit_low :
      (step_q == Burst || step_q == Postamble) && dqs_i != dqs_before_q);
  assign byte_out = came_q - warm_up;
  assign is_byte_out = strobe && came_q >= warm_up && byte_out < 18'(bytes_q);

  logic [1:0] parameter_in, parameter_out;  // P1 to P4
  assign parameter_in = sdr ? sent_q[1:0] : sent_q[2:1];
  assign parameter_out = sdr ? came_q[1:0] : came_q[2:1];

  logic m_valid_q, m_last_q, done_q, short_q;
  logic [7:0] m_data_q;
  logic [31:0] result_q, segments_q, waits_q;
  logic [3:0] cycles, cycle_q;  // cycles of command and address; the one at the pins
  assign cycles = 4'd1 + 4'(addresses_q) + 4'(confirm_q != 8'h00);

  always_ff @(posedge clk_i) begin
    if (step_q != Idle && left_q != '0) left_q <= left_q - 1'b1;
    done_q <= 1'b0;
    m_valid_q <= kind_q == DataOut && is_byte_out;
    m_last_q <= byte_out == 18'(bytes_q) - 1'b1;
    m_data_q <= dq_i;
    dqs_before_q <= (step_q == Burst || step_q == Postamble) && dqs_i;
    if (strobe) begin
      came_q <= came_q + 1'b1;
      if (!page && (sdr || !came_q[0])) result_q[8*parameter_out+:8] <= dq_i;
    end
    if (transfer) begin
      sent_q <= sent_q + 1'b1;
      left_q <= unit - 1'b1;
      if (ddr_in) dqs_q <= !dqs_q;
      if (ddr_out) re_q <= !re_q;
      dq_q <= kind_q == SetFeatures ? parameters_q[8*parameter_in+:8] : is_byte ? s_axis_tdata_i : '0;
    end
    if (segment_valid_i && !start && step_q == Idle) waits_q <= waits_q + 1'b1;
    unique case (step_q)
      Idle:
      if (start) begin
        kind_q <= offered;
        chip_q <= segment_chip_i;
        opcode_q <= segment_opcode_i;
        confirm_q <= segment_confirm_i;
        addresses_q <= segment_addresses_i;
        address_q <= segment_address_i;
        bytes_q <= segment_bytes_i;
        parameters_q <= segment_parameters_i;
        {sent_q, came_q, cycle_q, result_q, dqs_q} <= '0;
        re_q <= 1'b1;
        step_q <= Setup;
        left_q <= t[WSetup];
        segments_q <= segments_q + 1'b1;
      end
      Setup:
      if (ends) begin
        step_q <= data_only ? Preamble : Cycle;
        left_q <= t[WWriteCycle] - 1'b1;
        if (data_only) begin
          left_q <= in ? t[WWritePreamble] : t[WReadPreamble];
          if (ddr_out && t[WReadPreamble] != '0) re_q <= 1'b0;
        end
      end
      Cycle:
      if (ends) begin
        cycle_q <= cycle_q + 1'b1;
        left_q <= t[WWriteCycle] - 1'b1;
        if (cycle_q == cycles - 1'b1) begin
          step_q <= in || out ? Turn : Postamble;
          left_q <= kind_q == Status ? t[WWhr] : in ? t[WAdl] : '0;
        end
      end
      Turn:
      if (ends) begin
        step_q <= Preamble;
        left_q <= in ? t[WWritePreamble] : t[WReadPreamble];
        if (ddr_out && t[WReadPreamble] != '0) re_q <= 1'b0;
      end
      Preamble: if (ends) step_q <= Burst;
      Burst:
      if (ends && sent_q == transfers) begin
        step_q <= Postamble;
        left_q <= ddr_in ? t[WWritePostamble] : ddr_out ? t[WReadLatency] + t[WReadPostamble] : '0;
      end
      Postamble:
      if (ends) begin
        step_q <= Gap;
        left_q <= longest;
        done_q <= 1'b1;
        short_q <= out && came_q + 18'(strobe) < transfers;
      end
      Gap: if (ends) step_q <= Idle;
    endcase
    if (!rst_ni) begin
      step_q <= Idle;
      {segments_q, waits_q} <= '0;
      {m_valid_q, done_q} <= '0;
    end
  end

  // ---- pins ----

  logic selected, burst_low, first, last;
  assign selected = step_q != Idle && step_q != Gap;
  assign first = cycle_q == '0;
  assign last = confirm_q != 8'h00 && cycle_q == cycles - 1'b1;
  assign burst_low = sdr && step_q == Burst && sent_q != '0 && left_q >= unit - unit_low;
  assign ce_no = selected ? ~(8'd1 << chip_q) : '1;
  assign cle_o = (step_q == Setup && !data_only) || (step_q == Cycle && (first || last));
  assign ale_o = step_q == Cycle && !cle_o;
  assign we_no = !(step_q == Cycle && left_q >= t[WWriteCycle] - t[WWriteLow]) && !(in && burst_low);
  assign re_no = !(out && burst_low) && (re_q || !selected);
  assign dqs_oe_o = ddr_in && (step_q == Preamble || step_q == Burst || step_q == Postamble);
  assign dqs_o = dqs_q;
  assign dq_oe_o = step_q == Cycle || dqs_oe_o || (in && step_q == Burst);
  assign dq_o = step_q != Cycle ? dq_q : first ? opcode_q : last ? confirm_q : address_q[8*3'(cycle_q-4'd1)+:8];

  assign done_o = done_q;
  assign done_data_o = result_q;
  assign done_short_o = short_q;
  assign m_axis_tvalid_o = m_valid_q;
  assign m_axis_tlast_o = m_last_q;
  assign m_axis_tdata_o = m_data_q;
  assign quiet_o = rst_ni && step_q == Idle && !segment_valid_i && !psel_i && rb_meta_q == rb_ni && ready_q == rb_meta_q &&
      steady_q >= t[WRr] && !done_q && !m_valid_q;

  assign status_step_o = step_q;
  assign count_segments_o = segments_q;
  assign count_waits_o = waits_q;

endmodule
