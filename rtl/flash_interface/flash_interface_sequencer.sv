// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// One segment at a time at the pins: set-up, command and address cycles, the turn to data, preamble, transfers,
// postamble. models/onfi/timing.h says how long each is; a time of 0 clocks is left out. Chip enable is low from the
// first clock of a segment to its last, and high for `chip_high` clocks (at least one) between two.
//
// Pins come from registers. With DQS a transfer takes one clock: DQ and an edge of DQS (in) or of RE_n (out) change
// together, and the quarter of a period between them is the matter of the pads' delay lines. SDR: `write_cycle` and
// `read_cycle` clocks a byte; WE_n and RE_n are low first; a byte in is taken with the rising edge of RE_n.
//
// Page data in come by `s_axis`, a byte a transfer; when none is there the burst pauses (no edge). Page data out leave
// by `m_axis` without ready: who asks for a page must take a byte a clock. `done_o` comes with the clock after the
// segment; `done_short_o` then says that not all strobes of an output arrived (none drives DQS, or a wrong latency).
module flash_interface_sequencer
  import flash_interface_pkg::*;
#(
    parameter int unsigned Chips = 8
) (
    input logic clk_i,
    input logic rst_ni,

    input timing_t timing_i,

    input  logic     start_i,  // with `idle_o` only
    input  segment_t start_segment_i,
    output logic     idle_o,   // the wires are free and chip enable was high long enough
    output segment_t segment_o,
    output logic     ends_o,   // its last clock

    output logic        done_o,
    output logic [31:0] done_data_o,  // status; P1 to P4
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
    output logic       [7:0] dq_o,
    output logic             dq_oe_o,
    output logic             dqs_o,
    output logic             dqs_oe_o,
    input  logic       [7:0] dq_i,
    input  logic             dqs_i
);
  // In the order in which a segment goes through them.
  typedef enum logic [2:0] {
    StIdle  = 3'd0,
    StSetup = 3'd1,
    StCycle = 3'd2,
    StTurn  = 3'd3,
    StPre   = 3'd4,
    StBurst = 3'd5,
    StPost  = 3'd6,
    StGap   = 3'd7
  } state_e;

  localparam int unsigned CountBits = ByteCountBits + 1;
  typedef logic [CountBits-1:0] count_t;

  state_e state_d, state_q;
  clocks_t left_d, left_q;  // clocks of the state, or of its cycle, that follow this one
  count_t units_d, units_q;  // cycles or transfers of the state that follow this one
  segment_t segment_d, segment_q;

  // ---- what the segment consists of ----

  // The segment that starts, in the clock before its first one.
  segment_t of;
  assign of = state_q == StIdle ? start_segment_i : segment_q;

  logic dqs_in, dqs_out, page;
  assign dqs_in = is_input(of.kind) && !timing_i.sdr;
  assign dqs_out = is_output(of.kind) && !timing_i.sdr;
  assign page = of.kind == KindDataIn || of.kind == KindDataOut;

  logic [3:0] cycles;
  count_t transfers;
  clocks_t setup, turn, pre, post, unit;
  assign cycles = 4'd1 + {1'b0, of.addresses} + {3'd0, of.confirm != 8'h00};

  always_comb begin
    // Bytes that are not page data go on both edges of DQS, page data in pairs.
    unique case (of.kind)
      KindDataIn, KindDataOut: begin
        transfers = timing_i.sdr ? {1'b0, of.bytes} :
            count_t'(timing_i.warm_up) + {1'b0, of.bytes} + count_t'(of.bytes[0]);
      end
      KindStatus: transfers = timing_i.sdr ? count_t'(1) : count_t'(2);
      default: transfers = timing_i.sdr ? count_t'(4) : count_t'(8);
    endcase
    if (!is_input(of.kind) && !is_output(of.kind)) transfers = '0;
  end

  assign setup = has_cycles(of.kind) || timing_i.sdr ? timing_i.setup : '0;
  assign turn = of.kind == KindStatus ? timing_i.whr : of.kind == KindSetFeatures ? timing_i.adl : '0;
  assign pre = dqs_in ? timing_i.write_preamble : dqs_out ? timing_i.read_preamble : '0;
  assign post = dqs_in ? timing_i.write_postamble : dqs_out ? timing_i.read_latency + timing_i.read_postamble : '0;
  assign unit = !timing_i.sdr ? clocks_t'(1) : is_input(of.kind) ? timing_i.write_cycle : timing_i.read_cycle;

  // ---- states ----

  // The first state after `from` that takes time.
  function automatic state_e next_state(input state_e from, input logic is_setup, input logic is_cycle,
                                        input logic is_turn, input logic is_pre, input logic is_burst,
                                        input logic is_post);
    if (from < StSetup && is_setup) next_state = StSetup;
    else if (from < StCycle && is_cycle) next_state = StCycle;
    else if (from < StTurn && is_turn) next_state = StTurn;
    else if (from < StPre && is_pre) next_state = StPre;
    else if (from < StBurst && is_burst) next_state = StBurst;
    else if (from < StPost && is_post) next_state = StPost;
    else next_state = StIdle;
  endfunction

  logic unit_ends, step_ends, stalled, enters, starts_unit;
  count_t bytes, bytes_d, bytes_q;  // bytes of the data, still to come
  clocks_t warm, warm_d, warm_q;  // transfers still to come before them
  assign unit_ends = left_q == '0;
  assign stalled = state_q == StBurst && segment_q.kind == KindDataIn && unit_ends && units_q != '0 &&
      warm == '0 && bytes != '0 && !s_axis_tvalid_i;
  assign step_ends = unit_ends && units_q == '0;
  assign enters = state_q == StIdle ? start_i : step_ends;  // another state begins with the next clock
  assign starts_unit = unit_ends && units_q != '0 && !stalled;  // another cycle or transfer of this one does

  assign idle_o = state_q == StIdle;
  assign ends_o = state_q != StIdle && state_q != StGap && (state_d == StIdle || state_d == StGap);
  assign segment_o = segment_q;

  always_comb begin
    state_d = state_q;
    left_d = unit_ends ? '0 : left_q - 1'b1;
    units_d = units_q;
    segment_d = of;
    if (enters) begin
      state_d = state_q == StGap ? StIdle :
          next_state(state_q, setup != '0, has_cycles(of.kind), turn != '0, pre != '0, transfers != '0, post != '0);
      if (state_d == StIdle && state_q != StGap && timing_i.chip_high > clocks_t'(1)) state_d = StGap;
      units_d = '0;
      unique case (state_d)
        StSetup: left_d = setup - 1'b1;
        StCycle: begin
          left_d = timing_i.write_cycle - 1'b1;
          units_d = count_t'(cycles) - 1'b1;
        end
        StTurn: left_d = turn - 1'b1;
        StPre: left_d = pre - 1'b1;
        StBurst: begin
          left_d = unit - 1'b1;
          units_d = transfers - 1'b1;
        end
        StPost: left_d = post - 1'b1;
        StGap: left_d = timing_i.chip_high - clocks_t'(2);  // the clock that starts a segment is one, too
        default: left_d = '0;
      endcase
    end else if (starts_unit) begin
      units_d = units_q - 1'b1;
      left_d = state_q == StCycle ? timing_i.write_cycle - 1'b1 : unit - 1'b1;
    end
  end

  // ---- data ----

  logic transfer;  // begins with the next clock
  logic takes;  // a byte of page data
  logic listens;  // bytes may come
  logic receives;  // a byte is at the pins
  logic dqs_last_d, dqs_last_q;
  logic re_nd, re_nq;
  logic [31:0] result_d, result_q;
  count_t earlier;  // transfers of a feature before this one
  logic [1:0] feature_byte;  // which of P1 to P4 it carries
  logic unused_earlier;
  assign transfer = state_d == StBurst && (enters || starts_unit);
  assign takes = transfer && of.kind == KindDataIn && warm == '0 && bytes != '0;
  assign s_axis_tready_o = takes;
  // Nobody drives DQS before the preamble, which the die ends with DQS low.
  assign listens = is_output(segment_q.kind) && (state_q == StBurst || state_q == StPost);
  assign receives = listens && (timing_i.sdr ? !re_nq && re_nd : dqs_i != dqs_last_q);
  assign dqs_last_d = listens && dqs_i;
  assign earlier = is_input(of.kind) ? transfers - 1'b1 - units_d : transfers - bytes;
  assign feature_byte = of.kind == KindStatus ? 2'd0 : timing_i.sdr ? earlier[1:0] : earlier[2:1];
  assign unused_earlier = ^earlier[CountBits-1:3];

  logic expected;  // strobes that are expected: not one too many
  assign expected = receives && warm == '0 && bytes != '0;

  always_comb begin
    warm = warm_q;
    bytes = bytes_q;
    if (state_q == StIdle) begin
      warm = page && !timing_i.sdr ? timing_i.warm_up : '0;
      bytes = page ? {1'b0, of.bytes} : of.kind == KindStatus ? count_t'(1) : transfers;
    end
  end

  always_comb begin
    warm_d = warm;
    bytes_d = bytes;
    result_d = state_q == StIdle ? '0 : result_q;
    if ((transfer && of.kind == KindDataIn) || receives) begin
      if (warm != '0) warm_d = warm - 1'b1;
      else if (bytes != '0) bytes_d = bytes - 1'b1;
    end
    if (expected && !page) result_d[8*feature_byte+:8] = dq_i;
  end

  logic m_valid_d, m_valid_q, m_last_d, m_last_q;
  logic [7:0] m_data_d, m_data_q;
  assign m_valid_d = expected && page;
  assign m_last_d = m_valid_d && bytes == count_t'(1);
  assign m_data_d = m_valid_d ? dq_i : m_data_q;
  assign m_axis_tvalid_o = m_valid_q;
  assign m_axis_tdata_o = m_data_q;
  assign m_axis_tlast_o = m_last_q;

  logic done_q, short_d, short_q;
  assign short_d = ends_o && is_output(segment_q.kind) && bytes_d != '0;
  assign done_o = done_q;
  assign done_data_o = result_q;
  assign done_short_o = short_q;

  // ---- pins ----

  logic [Chips-1:0] ce_nd, ce_nq;
  logic cle_d, cle_q, ale_d, ale_q, we_nd, we_nq, dq_oe_d, dq_oe_q, dqs_d, dqs_q, dqs_oe_d, dqs_oe_q;
  logic [7:0] dq_d, dq_q;
  count_t cycle;  // the cycle of the next clock, from 0
  logic first, last;
  assign cycle = count_t'(cycles) - 1'b1 - units_d;
  assign first = cycle == '0;
  assign last = of.confirm != 8'h00 && units_d == '0;

  always_comb begin
    ce_nd = '1;
    cle_d = 1'b0;
    ale_d = 1'b0;
    we_nd = 1'b1;
    re_nd = 1'b1;
    dq_d = '0;
    dq_oe_d = 1'b0;
    dqs_d = 1'b0;
    dqs_oe_d = 1'b0;
    if (state_d != StIdle && state_d != StGap) begin
      for (int unsigned chip = 0; chip < Chips; chip++) ce_nd[chip] = 32'(of.chip) != chip;
    end
    unique case (state_d)
      StSetup: cle_d = has_cycles(of.kind);
      StCycle: begin
        cle_d = first || last;
        ale_d = !cle_d;
        dq_oe_d = 1'b1;
        dq_d = first ? of.opcode : last ? of.confirm : of.address[8*(cycle-1)+:8];
        we_nd = timing_i.write_cycle - 1'b1 - left_d >= timing_i.write_low;
      end
      StPre: begin
        dq_oe_d = dqs_in;
        dqs_oe_d = dqs_in;
        re_nd = dqs_in;
      end
      StBurst: begin
        if (is_input(of.kind)) begin
          dq_oe_d = 1'b1;
          dqs_oe_d = !timing_i.sdr;
          dqs_d = dqs_q ^ (transfer && !timing_i.sdr);
          dq_d = !transfer ? dq_q : takes ? s_axis_tdata_i : '0;
          if (of.kind == KindSetFeatures) dq_d = of.parameters[8*feature_byte+:8];
          we_nd = !timing_i.sdr || timing_i.write_cycle - 1'b1 - left_d >= timing_i.write_low;
        end else begin
          re_nd = timing_i.sdr ? timing_i.read_cycle - 1'b1 - left_d >= timing_i.read_low : !re_nq;
        end
      end
      StPost: begin
        dq_oe_d = dqs_in;
        dqs_oe_d = dqs_in;
        dqs_d = dqs_q;
        re_nd = dqs_in ? 1'b1 : re_nq;
      end
      default: ;
    endcase
  end

  // Chip enable, WE_n, RE_n, the strobe's driver and what counts have a reset: a die must see no cycle in it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      left_q <= '0;
      units_q <= '0;
      ce_nq <= '1;
      cle_q <= 1'b0;
      ale_q <= 1'b0;
      we_nq <= 1'b1;
      re_nq <= 1'b1;
      dq_oe_q <= 1'b0;
      dqs_oe_q <= 1'b0;
      dqs_q <= 1'b0;
      m_valid_q <= 1'b0;
      done_q <= 1'b0;
      short_q <= 1'b0;
      warm_q <= '0;
      bytes_q <= '0;
    end else begin
      state_q <= state_d;
      left_q <= left_d;
      units_q <= units_d;
      ce_nq <= ce_nd;
      cle_q <= cle_d;
      ale_q <= ale_d;
      we_nq <= we_nd;
      re_nq <= re_nd;
      dq_oe_q <= dq_oe_d;
      dqs_oe_q <= dqs_oe_d;
      dqs_q <= dqs_d;
      m_valid_q <= m_valid_d;
      done_q <= ends_o;
      short_q <= short_d;
      warm_q <= warm_d;
      bytes_q <= bytes_d;
    end
  end

  // No reset: read only with a segment, a valid or a strobe of theirs.
  always_ff @(posedge clk_i) begin
    segment_q <= segment_d;
    dqs_last_q <= dqs_last_d;
    result_q <= result_d;
    m_data_q <= m_data_d;
    m_last_q <= m_last_d;
    dq_q <= dq_d;
  end

  assign ce_no = ce_nq;
  assign cle_o = cle_q;
  assign ale_o = ale_q;
  assign we_no = we_nq;
  assign re_no = re_nq;
  assign dq_o = dq_q;
  assign dq_oe_o = dq_oe_q;
  assign dqs_o = dqs_q;
  assign dqs_oe_o = dqs_oe_q;

  // Immediate assertions in the clock, which the prover reads, too (scripts/formal).
  timing_t held_timing_q;
  bit was_busy_q;
  always_ff @(posedge clk_i) begin
    was_busy_q <= rst_ni && !idle_o;
    held_timing_q <= timing_i;
    if (rst_ni) begin
      starts_when_idle :
      assert (!start_i || idle_o)
      else $error("flash interface: a segment starts within another");

      page_data_have_bytes :
      assert (!(start_i && (start_segment_i.kind == KindDataIn || start_segment_i.kind == KindDataOut)) ||
              start_segment_i.bytes != '0)
      else $error("flash interface: page data of no bytes");

      times_stay :
      assert (idle_o || !was_busy_q || timing_i == held_timing_q)
      else $error("flash interface: a time was written within a segment");

      one_chip_at_most :
      assert ($onehot0(~ce_nq))
      else $error("flash interface: two chip enables");

      one_driver :
      assert (!(dq_oe_q && !re_nq))
      else $error("flash interface: DQ is driven while RE_n is low");
    end
  end

endmodule
