// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Encoder: 260 beats of information in (the 96 shortened bits as zeros), the 292 beats of the codeword out, the same
// bits as LdpcCode::encode (models/ecc/code/ldpc_code.h).
//
// Information passes straight through and is added to its syndrome, s = H_information u. Then p = inverse(H_parity) s
// by Horner's rule, four lanes of each syndrome row a clock: 64 clocks in which no beat moves. Then 32 beats of parity
// leave. A codeword takes 260 + 64 + 32 = 356 clocks. The inverse is 16 kbit of constants.
//
// Limits: loading, multiplying and unloading do not overlap. Not synthesised for a clock.
module ldpc_encoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import ldpc_columns_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  word_t s_axis_tdata_i,
    input  logic  s_axis_tvalid_i,
    input  logic  s_axis_tlast_i,
    output logic  s_axis_tready_o,

    output word_t m_axis_tdata_o,
    output logic  m_axis_tvalid_o,
    output logic  m_axis_tlast_o,
    input  logic  m_axis_tready_i,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy_o
);
  localparam int unsigned InformationBeats = StreamBeats - 4 * BlockRows;
  localparam logic [8:0] LastInformationBeat = 9'(InformationBeats - 1);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [5:0] LastStep = 6'd63;

  typedef enum logic [1:0] {
    StInformation,
    StMultiply,
    StParity
  } state_e;

  // What one word of a parity column takes from the top lanes of the syndrome: word 4 c + b for lane b of row c.
  typedef logic [4*BlockRows-1:0][63:0] factors_t;

  // Lane i of row c adds x^i g to parity column r, where g is the inverse's polynomial in reverse: p[j] = sum of
  // s[i] inverse[i - j]. Of the four lanes of a step, lane b adds x^b g.
  function automatic factors_t factors(input logic [2:0] r, input logic [1:0] word);
    for (int c = 0; c < int'(BlockRows); c++) begin
      for (int b = 0; b < 4; b++) begin
        // Lane i of the product is the inverse's bit b - 64 word - i, modulo 256.
        automatic logic [2*Lifting-1:0] twice = {2{ReversedInverse[{r, c[2:0]}]}};
        factors[4*c+b] = twice[64*int'(word)+int'(Lifting)-1-b+:64];
      end
    end
  endfunction

  function automatic word_t add(input word_t sum, input logic [4*BlockRows-1:0] taken, input factors_t factor);
    add = sum;
    for (int i = 0; i < int'(4 * BlockRows); i++) add ^= {64{taken[i]}} & factor[i];
  endfunction

  state_e state_d, state_q;
  logic [8:0] beat_d, beat_q;  // beat of the codeword
  logic [5:0] step_d, step_q;
  word_t syndrome_q[BlockRows][4];
  word_t parity_q[BlockRows][4];

  // Constants: a read-only memory of the base matrix.
  column_t column_table[BlockColumns];
  for (genvar c = 0; c < int'(BlockColumns); c++) begin : gen_column_table
    localparam column_t Column = column_of(7'(c));
    assign column_table[c] = Column;
  end

  word_t out_data;
  logic out_last;
  logic out_valid;
  logic out_ready;

  logic loads;
  assign s_axis_tready_o = state_q == StInformation && out_ready;
  assign loads = s_axis_tvalid_i && s_axis_tready_o;
  assign out_valid = state_q == StParity || (state_q == StInformation && s_axis_tvalid_i);
  assign out_last = beat_q == LastBeat;
  assign out_data =
      state_q == StParity ? parity_q[3'(beat_q[8:2]-7'(BlockColumns-BlockRows))][beat_q[1:0]] : s_axis_tdata_i;
  assign busy_o = state_q != StInformation || beat_q != '0 || m_axis_tvalid_o;

  // Lane 4 c + b: lane b of the four of row c that this step takes, the highest lanes first.
  logic [4*BlockRows-1:0] lanes;
  for (genvar c = 0; c < int'(BlockRows); c++) begin : gen_lanes
    assign lanes[4*c+:4] = syndrome_q[c][3][63:60];
  end

  for (genvar r = 0; r < int'(BlockRows); r++) begin : gen_row
    for (genvar w = 0; w < 4; w++) begin : gen_word
      localparam factors_t Factors = factors(3'(r), 2'(w));
      // No reset: cleared while information comes in.
      always_ff @(posedge clk_i) begin
        if (state_q == StMultiply) begin
          parity_q[r][w] <= add(funnel_left(parity_q[r][w], parity_q[r][(w+3)%4], 6'd4), lanes, Factors);
        end else if (state_q == StInformation) begin
          parity_q[r][w] <= '0;
        end
      end
    end
  end

  always_comb begin
    state_d = state_q;
    beat_d = beat_q;
    step_d = step_q;
    unique case (state_q)
      StInformation:
      if (loads) begin
        beat_d = beat_q + 1'b1;
        if (beat_q == LastInformationBeat) state_d = StMultiply;
      end

      StMultiply: begin
        step_d = step_q + 1'b1;
        if (step_q == LastStep) state_d = StParity;
      end

      StParity:
      if (out_ready) begin
        beat_d = out_last ? '0 : beat_q + 1'b1;
        if (out_last) state_d = StInformation;
      end

      default: state_d = StInformation;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StInformation;
      beat_q <= '0;
      step_q <= '0;
    end else begin
      state_q <= state_d;
      beat_q <= beat_d;
      step_q <= step_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int row = 0; row < int'(BlockRows); row++) begin
        for (int word = 0; word < 4; word++) syndrome_q[row][word] <= '0;
      end
    end else if (loads) begin
      for (int i = 0; i < 4; i++) begin
        automatic circulant_t c = column_table[beat_q[8:2]][i];
        automatic logic [1:0] high = beat_q[1:0] - c.words;
        if (c.valid) begin
          syndrome_q[c.row][high] <= syndrome_q[c.row][high] ^ funnel_right('0, s_axis_tdata_i, c.lanes);
          syndrome_q[c.row][high-2'd1] <= syndrome_q[c.row][high-2'd1] ^ funnel_right(s_axis_tdata_i, '0, c.lanes);
        end
      end
    end else if (state_q == StMultiply) begin
      // Zeros follow, so the syndrome is clear for the next codeword when all its lanes were taken.
      for (int row = 0; row < int'(BlockRows); row++) begin
        for (int word = 0; word < 4; word++) begin
          syndrome_q[row][word] <=
              funnel_left(syndrome_q[row][word], word == 0 ? '0 : syndrome_q[row][(word+3)%4], 6'd4);
        end
      end
    end
  end

  axi_stream_register #(.PayloadBits(65)) u_output_register (
      .clk_i, .rst_ni, .in_payload_i({out_last, out_data}), .in_valid_i(out_valid), .in_ready_o(out_ready),
      .out_payload_o({m_axis_tlast_o, m_axis_tdata_o}), .out_valid_o(m_axis_tvalid_o), .out_ready_i(m_axis_tready_i));

  // The shortened bits are the last of the information: half a beat and a whole one.
  localparam logic [63:0] ShortenedHalf = {{(ShortenedBits - 64) {1'b1}}, {(128 - ShortenedBits) {1'b0}}};
  always_ff @(posedge clk_i) begin
    if (rst_ni && s_axis_tvalid_i && state_q == StInformation) begin
      shortened_bits_are_zero :
      assert ((beat_q != LastInformationBeat || s_axis_tdata_i == '0) &&
              (beat_q != LastInformationBeat - 1'b1 || (s_axis_tdata_i & ShortenedHalf) == '0))
      else $error("LDPC encoder: a shortened bit is set");
    end
  end

endmodule
