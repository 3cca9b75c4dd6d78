// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Proof of parity_xor: each beat that leaves is the XOR of the beats of unit and sum with the same number, or that of
// the unit where it is the first of its row, and then no sum is read; none is lost, none comes twice; the last beat is
// marked. Inputs are free, but: reset comes in the first clock and not again, units have three beats, and one proof is
// of units that are all first or all not.
module parity_xor_proof #(
    parameter int unsigned DataBits = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic first_i,
    input logic [DataBits-1:0] unit_i,
    input logic unit_valid_i,
    input logic [DataBits-1:0] sum_i,
    input logic sum_valid_i,
    input logic ready_i
);
  localparam int unsigned Places = 4;  // in the block, of either stream, at most
  localparam logic [1:0] LastBeat = 2'd2;
  typedef struct packed {
    logic last;
    logic [DataBits-1:0] data;
  } beat_t;

  bit started_q = 1'b0;
  logic first_q;
  logic [1:0] unit_beat_q, sum_beat_q;
  beat_t unit, sum, out;
  logic unit_ready, sum_ready, out_valid;
  assign unit = '{last: unit_beat_q == LastBeat, data: unit_i};
  assign sum = '{last: sum_beat_q == LastBeat, data: sum_i};

  parity_xor #(
      .DataBits(DataBits)
  ) u_xor (
      .clk_i,
      .rst_ni,
      .first_i,
      .unit_tdata_i(unit.data),
      .unit_tvalid_i(unit_valid_i),
      .unit_tlast_i(unit.last),
      .unit_tready_o(unit_ready),
      .sum_tdata_i(sum.data),
      .sum_tvalid_i(sum_valid_i),
      .sum_tlast_i(sum.last),
      .sum_tready_o(sum_ready),
      .m_axis_tdata_o(out.data),
      .m_axis_tvalid_o(out_valid),
      .m_axis_tlast_o(out.last),
      .m_axis_tready_i(ready_i));

  handshake_checker #(.PayloadBits(DataBits + 1)) u_output_checker (
      .clk_i, .rst_ni, .valid_i(out_valid), .ready_i, .payload_i(out));

  // What is inside, the oldest first.
  beat_t [Places:0] units_q, sums_q;
  logic [2:0] unit_count_q, sum_count_q;
  logic takes_unit, takes_sum, gives, uses_sum;
  assign takes_unit = unit_valid_i && unit_ready;
  assign takes_sum = sum_valid_i && sum_ready;
  assign gives = out_valid && ready_i;
  assign uses_sum = gives && !first_i;

  logic [2:0] unit_place, sum_place;
  assign unit_place = unit_count_q - 3'(gives);
  assign sum_place = sum_count_q - 3'(uses_sum);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    first_q <= first_i;
    assume (rst_ni == started_q);
    assume (!started_q || first_i == first_q);
    if (!rst_ni) begin
      unit_beat_q <= '0;
      sum_beat_q <= '0;
      unit_count_q <= '0;
      sum_count_q <= '0;
    end else begin
      if (takes_unit) unit_beat_q <= unit.last ? '0 : unit_beat_q + 1'b1;
      if (takes_sum) sum_beat_q <= sum.last ? '0 : sum_beat_q + 1'b1;
      for (int unsigned i = 0; i < Places; i++) begin
        if (gives) units_q[i] <= units_q[i+1];
        if (uses_sum) sums_q[i] <= sums_q[i+1];
      end
      if (takes_unit) units_q[unit_place] <= unit;
      if (takes_sum) sums_q[sum_place] <= sum;
      unit_count_q <= unit_place + 3'(takes_unit);
      sum_count_q <= sum_place + 3'(takes_sum);

      holds_four :
      assert (unit_count_q <= 3'(Places) && sum_count_q <= 3'(Places));
      comes_of_both :
      assert (!out_valid || (unit_count_q != '0 && (first_i || sum_count_q != '0)));
      is_their_xor :
      assert (!out_valid || out.data == (first_i ? units_q[0].data : units_q[0].data ^ sums_q[0].data));
      marks_the_last :
      assert (!out_valid || out.last == units_q[0].last);
      no_sum_of_the_first :
      assert (!first_i || sum_count_q <= 3'd2);

      full_with_a_sum :
      cover (!first_i && unit_count_q == 3'(Places) && out_valid && out.last);
      full_without :
      cover (first_i && unit_count_q == 3'(Places) && out_valid && out.last);
    end
  end

endmodule
