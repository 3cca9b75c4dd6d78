// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for an encoder of your own: information passes through and is added to its syndrome, then the parity is the
// inverse of H_parity times that, one lane of each syndrome row a clock: 256 clocks in which no beat moves. The shipped
// encoder takes four lanes.
//
// The code: check j of block row r holds bit (j + shift) mod 256 of block column c (ldpc_base_pkg). Ports, and what the
// drive checks at them: docs/own_rtl.md.
module my_encoder
  import ldpc_base_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  logic [63:0] s_axis_tdata_i,
    input  logic        s_axis_tvalid_i,
    input  logic        s_axis_tlast_i,
    output logic        s_axis_tready_o,

    output logic [63:0] m_axis_tdata_o,
    output logic        m_axis_tvalid_o,
    output logic        m_axis_tlast_o,
    input  logic        m_axis_tready_i,

    output logic busy_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [1:0]  status_state_o,
    output logic [31:0] count_codewords_o,
    output logic [31:0] count_stalls_o
);
  localparam logic [8:0] LastInformation = 9'(StreamBeats - 4 * BlockRows - 1);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);

  typedef logic [Lifting-1:0] lanes_t;
  typedef enum logic [1:0] {Information, Multiply, Parity} state_e;

  state_e state_q;
  logic [8:0] beat_q;  // beat of the codeword
  logic [7:0] lane_q;
  logic [191:0] partial_q;  // the first three beats of a block column
  lanes_t syndrome_q[BlockRows], parity_q[BlockRows];
  logic [31:0] codewords_q, stalls_q;

  function automatic lanes_t rotate_right(input lanes_t lanes, input logic [7:0] by);
    rotate_right = lanes_t'({lanes, lanes} >> by);
  endfunction
  function automatic lanes_t rotate_left_by_one(input lanes_t lanes);
    rotate_left_by_one = {lanes[Lifting-2:0], lanes[Lifting-1]};
  endfunction

  logic [3:0][11:0] circulants;  // {valid, row, shift}
  assign circulants = ColumnCirculants[beat_q[8:2]];

  logic moves;
  assign moves = m_axis_tvalid_o && m_axis_tready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Information;
      beat_q <= '0;
      lane_q <= '0;
      codewords_q <= '0;
      stalls_q <= '0;
      for (int row = 0; row < int'(BlockRows); row++) syndrome_q[row] <= '0;
    end else begin
      if (m_axis_tvalid_o && !m_axis_tready_i) stalls_q <= stalls_q + 1'b1;
      if (moves) beat_q <= beat_q == LastBeat ? '0 : beat_q + 1'b1;
      unique case (state_q)
        Information: begin
          if (moves) begin
            partial_q <= {s_axis_tdata_i, partial_q[191:64]};
            if (beat_q[1:0] == 2'd3) begin
              for (int i = 0; i < 4; i++) begin
                if (circulants[i][11]) begin
                  syndrome_q[circulants[i][10:8]] <= syndrome_q[circulants[i][10:8]] ^
                      rotate_right({s_axis_tdata_i, partial_q}, circulants[i][7:0]);
                end
              end
            end
            if (beat_q == LastInformation) state_q <= Multiply;
          end
          for (int row = 0; row < int'(BlockRows); row++) parity_q[row] <= '0;
        end
        Multiply: begin
          // Horner's rule, the highest lane first. Zeros follow: the syndrome is clear when all lanes were taken.
          for (int row = 0; row < int'(BlockRows); row++) begin
            automatic lanes_t sum = rotate_left_by_one(parity_q[row]);
            for (int c = 0; c < int'(BlockRows); c++) begin
              if (syndrome_q[c][Lifting-1]) sum ^= rotate_left_by_one(ReversedInverse[int'(BlockRows)*row+c]);
            end
            parity_q[row] <= sum;
            syndrome_q[row] <= {syndrome_q[row][Lifting-2:0], 1'b0};
          end
          lane_q <= lane_q + 1'b1;
          if (lane_q == '1) state_q <= Parity;
        end
        default: begin  // Parity
          if (moves && m_axis_tlast_o) begin
            state_q <= Information;
            codewords_q <= codewords_q + 1'b1;
          end
        end
      endcase
    end
  end

  logic [6:0] row;  // row of the parity that leaves
  assign row = beat_q[8:2] - 7'(BlockColumns - BlockRows);

  assign s_axis_tready_o = state_q == Information && m_axis_tready_i;
  assign m_axis_tvalid_o = rst_ni && (state_q == Parity || (state_q == Information && s_axis_tvalid_i));
  assign m_axis_tdata_o = state_q == Parity ? parity_q[row[2:0]][64*beat_q[1:0]+:64] : s_axis_tdata_i;
  assign m_axis_tlast_o = beat_q == LastBeat;
  assign busy_o = state_q != Information || beat_q != '0;

  assign status_state_o = state_q;
  assign count_codewords_o = codewords_q;
  assign count_stalls_o = stalls_q;

  // A packet ends with its beat 259: the counter knows.
  logic unused;
  assign unused = s_axis_tlast_i ^ (^row[6:3]);

endmodule
