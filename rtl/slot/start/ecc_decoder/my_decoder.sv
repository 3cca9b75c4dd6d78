// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a decoder of your own: plain bit flipping (Gallager-B), one block column of 256 bits a clock, one
// codeword at a time. A bit is flipped when all of its checks are violated; from the second iteration on, when three
// are. It corrects fewer errors than the shipped decoder, which has two banks and remembers what it flipped.
//
// The code: check j of block row r holds bit (j + shift) mod 256 of block column c (ldpc_base_pkg). Ports, and what the
// drive checks at them: docs/own_rtl.md.
module my_decoder
  import ldpc_base_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic [7:0] max_iterations_i,

    input  logic [63:0] s_axis_tdata_i,
    input  logic        s_axis_tvalid_i,
    input  logic        s_axis_tlast_i,
    output logic        s_axis_tready_o,

    output logic [63:0] m_axis_tdata_o,
    output logic        m_axis_tvalid_o,
    output logic        m_axis_tlast_o,
    output logic [8:0]  m_axis_tuser_o,  // {success, iterations}
    input  logic        m_axis_tready_i,

    output logic busy_o,

    // What the block reports of itself: status_ is shown in the waveform, count_ is in result.json, too.
    output logic [1:0]  status_state_o,
    output logic [6:0]  status_column_o,
    output logic [31:0] count_flips_o,
    output logic [31:0] count_stalls_o
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [6:0] LastColumn = 7'(BlockColumns - 1);

  typedef logic [Lifting-1:0] lanes_t;
  typedef enum logic [1:0] {Load, Decode, Unload} state_e;

  state_e state_q;
  logic [8:0] beat_q;
  logic [6:0] column_q;
  logic [7:0] round_q;  // iterations that are over
  logic [8:0] result_q;
  lanes_t bits_q[BlockColumns];
  logic [191:0] partial_q;  // the first three beats of a block column
  lanes_t syndrome_q[BlockRows];
  logic [31:0] flips_q, stalls_q;

  function automatic lanes_t rotate_right(input lanes_t lanes, input logic [7:0] by);
    rotate_right = lanes_t'({lanes, lanes} >> by);
  endfunction
  function automatic lanes_t rotate_left(input lanes_t lanes, input logic [7:0] by);
    rotate_left = lanes_t'(({lanes, lanes} << by) >> Lifting);
  endfunction

  lanes_t any_check;
  always_comb begin
    any_check = '0;
    for (int row = 0; row < int'(BlockRows); row++) any_check |= syndrome_q[row];
  end

  // The checks of the column that are violated, by bit; and the bits that flip.
  logic [3:0][11:0] circulants;  // {valid, row, shift}
  lanes_t violated[4];
  lanes_t flip;
  assign circulants = ColumnCirculants[state_q == Load ? beat_q[8:2] : column_q];
  always_comb begin
    automatic lanes_t pair_and, pair_or, other_and, other_or;
    for (int i = 0; i < 4; i++) begin
      violated[i] = circulants[i][11] ? rotate_left(syndrome_q[circulants[i][10:8]], circulants[i][7:0]) : '0;
    end
    pair_and = violated[0] & violated[1];
    pair_or = violated[0] | violated[1];
    other_and = violated[2] & violated[3];
    other_or = violated[2] | violated[3];
    flip = round_q == '0 ? pair_and & other_and : (pair_and & other_or) | (pair_or & other_and);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Load;
      beat_q <= '0;
      column_q <= '0;
      round_q <= '0;
      result_q <= '0;
      flips_q <= '0;
      stalls_q <= '0;
      for (int row = 0; row < int'(BlockRows); row++) syndrome_q[row] <= '0;
    end else begin
      unique case (state_q)
        Load: begin
          if (s_axis_tvalid_i) begin
            partial_q <= {s_axis_tdata_i, partial_q[191:64]};
            if (beat_q[1:0] == 2'd3) begin
              bits_q[beat_q[8:2]] <= {s_axis_tdata_i, partial_q};
              for (int i = 0; i < 4; i++) begin
                if (circulants[i][11]) begin
                  syndrome_q[circulants[i][10:8]] <= syndrome_q[circulants[i][10:8]] ^
                      rotate_right({s_axis_tdata_i, partial_q}, circulants[i][7:0]);
                end
              end
            end
            beat_q <= beat_q == LastBeat ? '0 : beat_q + 1'b1;
            if (beat_q == LastBeat) state_q <= Decode;
          end
        end
        Decode: begin
          if (any_check == '0 || (column_q == '0 && round_q == max_iterations_i)) begin
            result_q <= {any_check == '0, column_q == '0 ? round_q : round_q + 1'b1};
            state_q <= Unload;
            column_q <= '0;
            round_q <= '0;
            for (int row = 0; row < int'(BlockRows); row++) syndrome_q[row] <= '0;
          end else begin
            bits_q[column_q] <= bits_q[column_q] ^ flip;
            for (int i = 0; i < 4; i++) begin
              if (circulants[i][11]) begin
                syndrome_q[circulants[i][10:8]] <= syndrome_q[circulants[i][10:8]] ^
                    rotate_right(flip, circulants[i][7:0]);
              end
            end
            flips_q <= flips_q + 32'($countones(flip));
            column_q <= column_q == LastColumn ? '0 : column_q + 1'b1;
            if (column_q == LastColumn) round_q <= round_q + 1'b1;
          end
        end
        default: begin  // Unload
          if (m_axis_tready_i) begin
            beat_q <= beat_q == LastBeat ? '0 : beat_q + 1'b1;
            if (beat_q == LastBeat) state_q <= Load;
          end else begin
            stalls_q <= stalls_q + 1'b1;
          end
        end
      endcase
    end
  end

  assign s_axis_tready_o = state_q == Load;
  assign m_axis_tvalid_o = state_q == Unload;
  assign m_axis_tdata_o = bits_q[beat_q[8:2]][64*beat_q[1:0]+:64];
  assign m_axis_tlast_o = beat_q == LastBeat;
  assign m_axis_tuser_o = result_q;
  assign busy_o = state_q != Load || beat_q != '0;

  assign status_state_o = state_q;
  assign status_column_o = column_q;
  assign count_flips_o = flips_q;
  assign count_stalls_o = stalls_q;

  // A packet ends with its beat 291: the counter knows.
  logic unused_last;
  assign unused_last = s_axis_tlast_i;

endmodule
