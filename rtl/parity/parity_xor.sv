// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// XOR unit of the parity over dies (docs/parity.md): the program unit that joins a row is added to the sum of the row,
// beat by beat, as both come out of the data buffer; the new sum goes back. The first unit of a row is the sum, and
// none is read. One beat a clock, two clocks from the later of both to the sum.
module parity_xor #(
    parameter int unsigned DataBits = 128
) (
    input logic clk_i,
    input logic rst_ni,

    // Held for all of a unit: it is the first of its row.
    input logic first_i,

    input  logic [DataBits-1:0] unit_tdata_i,
    input  logic                unit_tvalid_i,
    input  logic                unit_tlast_i,
    output logic                unit_tready_o,

    input  logic [DataBits-1:0] sum_tdata_i,
    input  logic                sum_tvalid_i,
    input  logic                sum_tlast_i,
    output logic                sum_tready_o,

    output logic [DataBits-1:0] m_axis_tdata_o,
    output logic                m_axis_tvalid_o,
    output logic                m_axis_tlast_o,
    input  logic                m_axis_tready_i
);
  logic [DataBits-1:0] unit, sum;
  logic unit_valid, unit_last, unit_take;
  logic sum_valid, sum_last, sum_take;
  logic both, out_ready;

  axi_stream_register #(
      .PayloadBits(DataBits + 1)
  ) u_unit (
      .clk_i,
      .rst_ni,
      .in_payload_i({unit_tlast_i, unit_tdata_i}),
      .in_valid_i(unit_tvalid_i),
      .in_ready_o(unit_tready_o),
      .out_payload_o({unit_last, unit}),
      .out_valid_o(unit_valid),
      .out_ready_i(unit_take)
  );

  axi_stream_register #(
      .PayloadBits(DataBits + 1)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .in_payload_i({sum_tlast_i, sum_tdata_i}),
      .in_valid_i(sum_tvalid_i),
      .in_ready_o(sum_tready_o),
      .out_payload_o({sum_last, sum}),
      .out_valid_o(sum_valid),
      .out_ready_i(sum_take)
  );

  assign both = unit_valid && (first_i || sum_valid);
  assign unit_take = both && out_ready;
  assign sum_take = unit_take && !first_i;

  axi_stream_register #(
      .PayloadBits(DataBits + 1)
  ) u_out (
      .clk_i,
      .rst_ni,
      .in_payload_i({unit_last, first_i ? unit : unit ^ sum}),
      .in_valid_i(both),
      .in_ready_o(out_ready),
      .out_payload_o({m_axis_tlast_o, m_axis_tdata_o}),
      .out_valid_o(m_axis_tvalid_o),
      .out_ready_i(m_axis_tready_i)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni && sum_take) begin
      sum_is_of_the_unit :
      assert (unit_last == sum_last)
      else $error("parity_xor: unit and sum do not end together");
    end
  end

endmodule
