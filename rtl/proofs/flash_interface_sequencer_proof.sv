// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of flash_interface_sequencer: whatever the segments, the times and the die do, one chip at most is enabled, and
// stays so within a segment; nobody drives against RE_n; latch enables are not both high; WE_n and RE_n are low under a
// chip enable alone; between two segments all chips are off; and each segment that starts is done once. Inputs are
// free, but: reset comes in the first clock and not again, segments start when the wires are idle and have bytes, and
// times stay, with WE_n and RE_n low for a part of their cycles.
module flash_interface_sequencer_proof
  import flash_interface_pkg::*;
#(
    parameter int unsigned Chips = 8
) (
    input logic clk_i,
    input logic rst_ni,
    input timing_t timing_i,
    input logic start_i,
    input segment_t start_segment_i,
    input logic [7:0] s_axis_tdata_i,
    input logic s_axis_tvalid_i,
    input logic [7:0] dq_i,
    input logic dqs_i
);
  logic idle, ends, done, short_data, s_ready, m_valid, m_last;
  segment_t segment;
  logic [31:0] done_data;
  logic [7:0] m_data;
  logic [Chips-1:0] ce_n;
  logic cle, ale, we_n, re_n, dq_oe, dqs, dqs_oe;
  logic [7:0] dq;

  flash_interface_sequencer #(
      .Chips(Chips)
  ) u_sequencer (
      .clk_i, .rst_ni, .timing_i, .start_i, .start_segment_i, .idle_o(idle), .segment_o(segment), .ends_o(ends),
      .done_o(done), .done_data_o(done_data), .done_short_o(short_data), .s_axis_tdata_i, .s_axis_tvalid_i,
      .s_axis_tready_o(s_ready), .m_axis_tdata_o(m_data), .m_axis_tvalid_o(m_valid), .m_axis_tlast_o(m_last),
      .ce_no(ce_n), .cle_o(cle), .ale_o(ale), .we_no(we_n), .re_no(re_n), .dq_o(dq), .dq_oe_o(dq_oe), .dqs_o(dqs),
      .dqs_oe_o(dqs_oe), .dq_i, .dqs_i);

  bit started_q = 1'b0;
  timing_t timing_q;
  logic under_way_q;  // a segment has started and is not done
  logic [Chips-1:0] held_ce_nq;
  logic was_idle_q;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    timing_q <= timing_i;
    assume (rst_ni == started_q);
    assume (!started_q || timing_i == timing_q);
    assume (timing_i.write_low < timing_i.write_cycle && timing_i.read_low < timing_i.read_cycle);
    assume (!start_i || idle);
    assume (!start_i || start_segment_i.bytes != '0);
    if (!rst_ni) begin
      under_way_q <= 1'b0;
      held_ce_nq <= '1;
      was_idle_q <= 1'b1;
    end else begin
      under_way_q <= start_i || (under_way_q && !done);
      held_ce_nq <= ce_n;
      was_idle_q <= idle;

      done_once :
      assert (!done || under_way_q);
      idle_has_done_all :
      assert (!(idle && under_way_q) || done);
      chip_stays :
      assert (ce_n == '1 || held_ce_nq == '1 || ce_n == held_ce_nq);
      chips_are_off_between :
      assert (!was_idle_q || !idle || ce_n == '1);
      one_latch :
      assert (!(cle && ale));
      cycles_have_a_chip :
      assert ((we_n && re_n) || ce_n != '1);
      strobe_with_data :
      assert (!dqs_oe || dq_oe);

      status_is_read :
      cover (done && segment.kind == KindStatus && !timing_i.sdr && !short_data);
    end
  end

endmodule
