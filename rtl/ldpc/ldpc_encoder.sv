// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Encoder: 260 beats of information in (the 96 shortened bits as zeros), the 292 beats of the codeword out, the same
// bits as LdpcCode::encode (models/ecc/code/ldpc_code.h).
//
// Information passes straight through and is added to its syndrome, s = H_information u. Then p = inverse(H_parity) s
// by Horner's rule, four lanes of each syndrome row a clock: 64 clocks in which no beat moves. Then 32 beats of parity
// leave. A codeword takes 260 + 64 + 32 = 356 clocks. The inverse is 16 kbit of constants.
//
// Limits: loading, multiplying and unloading do not overlap. Nothing was synthesised.
module ldpc_encoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import ldpc_columns_pkg::*;
(
    input logic clk,
    input logic rst_n,

    input  word_t s_axis_tdata,
    input  logic  s_axis_tvalid,
    input  logic  s_axis_tlast,
    output logic  s_axis_tready,

    output word_t m_axis_tdata,
    output logic  m_axis_tvalid,
    output logic  m_axis_tlast,
    input  logic  m_axis_tready,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy
);
  localparam int unsigned InformationBeats = StreamBeats - 4 * BlockRows;
  localparam logic [8:0] LastInformationBeat = 9'(InformationBeats - 1);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [5:0] LastStep = 6'd63;

  typedef enum logic [1:0] {
    INFORMATION,
    MULTIPLY,
    PARITY
  } state_t;

  // What one word of a parity column takes from the top lanes of the syndrome: word 4 c + b for lane b of row c.
  typedef logic [4*BlockRows-1:0][63:0] factors_t;

  // Lane i of row c adds x^i g to parity column r, where g is the inverse's polynomial in reverse: p[j] = sum of
  // s[i] inverse[i - j]. Of the four lanes of a step, lane b adds x^b g.
  function automatic factors_t factors(input logic [2:0] r, input logic [1:0] word);
    for (int c = 0; c < int'(BlockRows); c++) begin
      for (int b = 0; b < 4; b++) begin
        for (int lane = 0; lane < 64; lane++) begin
          factors[4*c+b][lane] = Inverse[r][c][(2*int'(Lifting)+b-64*int'(word)-lane)%int'(Lifting)];
        end
      end
    end
  endfunction

  function automatic word_t add(input word_t sum, input logic [4*BlockRows-1:0] taken, input factors_t factor);
    add = sum;
    for (int i = 0; i < int'(4 * BlockRows); i++) add ^= {64{taken[i]}} & factor[i];
  endfunction

  state_t state;
  logic [8:0] beat;  // of the codeword
  logic [5:0] step;
  word_t syndrome[BlockRows][4];
  word_t parity[BlockRows][4];

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

  assign s_axis_tready = state == INFORMATION && out_ready;
  assign out_valid = state == PARITY || (state == INFORMATION && s_axis_tvalid);
  assign out_last = beat == LastBeat;
  assign out_data = state == PARITY ? parity[3'(beat[8:2]-7'(BlockColumns-BlockRows))][beat[1:0]] : s_axis_tdata;
  assign busy = state != INFORMATION || beat != '0 || m_axis_tvalid;

  // Lane 4 c + b: lane b of the four of row c that this step takes, the highest lanes first.
  logic [4*BlockRows-1:0] lanes;
  for (genvar c = 0; c < int'(BlockRows); c++) begin : gen_lanes
    assign lanes[4*c+:4] = syndrome[c][3][63:60];
  end

  for (genvar r = 0; r < int'(BlockRows); r++) begin : gen_row
    for (genvar w = 0; w < 4; w++) begin : gen_word
      localparam factors_t Factors = factors(3'(r), 2'(w));
      always_ff @(posedge clk) begin
        if (state == MULTIPLY) begin
          parity[r][w] <= add(funnel_left(parity[r][w], parity[r][(w+3)%4], 6'd4), lanes, Factors);
        end else if (state == INFORMATION) begin
          parity[r][w] <= '0;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (state == INFORMATION && s_axis_tvalid && s_axis_tready) begin
      for (int i = 0; i < 4; i++) begin
        automatic circulant_t c = column_table[beat[8:2]][i];
        automatic logic [1:0] high = beat[1:0] - c.words;
        if (c.valid) begin
          syndrome[c.row][high] <= syndrome[c.row][high] ^ funnel_right('0, s_axis_tdata, c.lanes);
          syndrome[c.row][high-2'd1] <= syndrome[c.row][high-2'd1] ^ funnel_right(s_axis_tdata, '0, c.lanes);
        end
      end
      beat <= beat + 1'b1;
      if (beat == LastInformationBeat) state <= MULTIPLY;
    end

    if (state == MULTIPLY) begin
      // Zeros follow, so the syndrome is clear for the next codeword when all its lanes were taken.
      for (int row = 0; row < int'(BlockRows); row++) begin
        for (int word = 0; word < 4; word++) begin
          syndrome[row][word] <= funnel_left(syndrome[row][word], word == 0 ? '0 : syndrome[row][(word+3)%4], 6'd4);
        end
      end
      step <= step + 1'b1;
      if (step == LastStep) state <= PARITY;
    end

    if (state == PARITY && out_ready) begin
      if (out_last) begin
        beat <= '0;
        state <= INFORMATION;
      end else begin
        beat <= beat + 1'b1;
      end
    end

    if (!rst_n) begin
      state <= INFORMATION;
      beat <= '0;
      step <= '0;
      for (int row = 0; row < int'(BlockRows); row++) begin
        for (int word = 0; word < 4; word++) syndrome[row][word] <= '0;
      end
    end
  end

  axi_stream_register #(.PayloadBits(65)) output_register (
      .clk, .rst_n, .in_payload({out_last, out_data}), .in_valid(out_valid), .in_ready(out_ready),
      .out_payload({m_axis_tlast, m_axis_tdata}), .out_valid(m_axis_tvalid), .out_ready(m_axis_tready));

  axi_stream_checker #(.PayloadBits(64), .Beats(InformationBeats)) input_checker (
      .clk, .rst_n, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tlast(s_axis_tlast), .payload(s_axis_tdata));

  axi_stream_checker #(.PayloadBits(64), .Beats(StreamBeats)) output_checker (
      .clk, .rst_n, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tlast(m_axis_tlast), .payload(m_axis_tdata));

  // The shortened bits are the last of the information: half a beat and a whole one.
  localparam logic [63:0] ShortenedHalf = {{(ShortenedBits - 64) {1'b1}}, {(128 - ShortenedBits) {1'b0}}};
  shortened_bits_are_zero :
  assert property (@(posedge clk) disable iff (!rst_n) s_axis_tvalid && state == INFORMATION |->
      (beat != LastInformationBeat || s_axis_tdata == '0) &&
      (beat != LastInformationBeat - 1'b1 || (s_axis_tdata & ShortenedHalf) == '0))
  else $error("LDPC encoder: a shortened bit is set");

endmodule
