// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Tier 1: hard-decision bit flipping, one block column of 256 bits per clock. models/ecc/decoders/bit_flipping_decoder.h is the
// specification; bits, success, iterations and clocks are the same.
//
// A codeword is 292 beats of 64 bits, bit i of the codeword in bit i % 64 of beat i / 64; shortened bits are sent as
// zeros. Two banks: while one codeword is decoded, the next one is loaded into the other bank, behind the beats of the
// previous one as they leave. The syndrome is built while loading. From the clock after the last beat, decoding takes
// one clock for every block column taken and one for the verdict; the first beat then leaves one clock later. A
// stream of codewords costs the larger of 292 clocks and the decoding, plus one to three clocks.
//
// Limits: no abort of a codeword in flight; reset discards everything. Memories are read in the clock of their address,
// as register files are. Nothing was synthesised.
module ldpc_bit_flip_decoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import ldpc_columns_pkg::*;
(
    input logic clk,
    input logic rst_n,

    // Iterations before a codeword is given up. May change only while nothing is inside.
    input logic [7:0] max_iterations,

    input  word_t s_axis_tdata,
    input  logic  s_axis_tvalid,
    input  logic  s_axis_tlast,
    output logic  s_axis_tready,

    output word_t      m_axis_tdata,
    output logic       m_axis_tvalid,
    output logic       m_axis_tlast,
    // {success, iterations}: iterations begun; the same on every beat of a codeword.
    output logic [8:0] m_axis_tuser,
    input  logic       m_axis_tready,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [6:0] LastColumn = 7'(BlockColumns - 1);

  // The shortened bits are the last of the information columns: they are known to be zero, and never flip.
  localparam logic [6:0] ShortenedColumn = 7'(InformationBits / Lifting);
  localparam logic [Lifting-1:0] ShortenedMask = {{ShortenedBits{1'b1}}, {(Lifting - ShortenedBits) {1'b0}}};
  localparam word_t ShortenedLanes[4] = '{
      ShortenedMask[63:0], ShortenedMask[127:64], ShortenedMask[191:128], ShortenedMask[255:192]};

  typedef enum logic [1:0] {
    FREE,    // or being loaded
    LOADED,  // or being decoded
    DONE     // being unloaded, and reloaded behind that
  } bank_state_t;

  typedef enum logic [1:0] {
    FOUR,  // the first iteration, and no other
    THREE,
    TWO
  } threshold_t;

  word_t memory[4][2*BlockColumns];  // [word of the block column][bank, column]
  word_t changed[4][BlockColumns];   // bits that differ from what was received; valid after the first iteration
  word_t syndrome[2][BlockRows][4];  // by bank; zero when loading begins
  bank_state_t bank_state[2];
  logic [8:0] result[2];

  // Loading.
  logic load_bank;
  logic [8:0] load_beat;

  // Decoding.
  logic decode_bank;
  logic [6:0] column;
  logic [7:0] iterations;
  threshold_t threshold;
  logic flipped;  // something, in this iteration

  // Unloading.
  logic unload_bank;
  logic [8:0] unload_beat;

  // Constants: a read-only memory of the base matrix.
  column_t column_table[BlockColumns];
  for (genvar c = 0; c < int'(BlockColumns); c++) begin : gen_column_table
    localparam column_t Column = column_of(7'(c));
    assign column_table[c] = Column;
  end

  function automatic logic [7:0] address(input logic bank, input logic [6:0] of_column);
    address = {1'b0, of_column} + (bank ? 8'(BlockColumns) : 8'd0);
  endfunction

  assign s_axis_tready = bank_state[load_bank] == FREE ||
      (bank_state[load_bank] == DONE && unload_bank == load_bank && load_beat < unload_beat);

  assign busy = bank_state[0] != FREE || bank_state[1] != FREE || load_beat != '0 || m_axis_tvalid;

  logic syndrome_is_zero;
  always_comb begin
    automatic word_t any = '0;
    for (int row = 0; row < int'(BlockRows); row++) begin
      for (int word = 0; word < 4; word++) any |= syndrome[decode_bank][row][word];
    end
    syndrome_is_zero = any == '0;
  end

  always_ff @(posedge clk) begin
    // Decode.
    if (bank_state[decode_bank] == LOADED) begin
      if (syndrome_is_zero || (column == '0 && iterations == max_iterations)) begin
        bank_state[decode_bank] <= DONE;
        result[decode_bank] <= {syndrome_is_zero, iterations};
        for (int row = 0; row < int'(BlockRows); row++) begin
          for (int word = 0; word < 4; word++) syndrome[decode_bank][row][word] <= '0;
        end
        decode_bank <= !decode_bank;
        column <= '0;
        iterations <= '0;
        threshold <= FOUR;
        flipped <= 1'b0;
      end else begin
        automatic word_t unsatisfied[4][4];
        automatic word_t flip[4];
        automatic word_t any = '0;
        for (int i = 0; i < 4; i++) begin
          automatic circulant_t c = column_table[column][i];
          for (int word = 0; word < 4; word++) begin
            automatic logic [1:0] high = 2'(word) - c.words;
            unsatisfied[i][word] = c.valid ? funnel_left(
                syndrome[decode_bank][c.row][high], syndrome[decode_bank][c.row][high-2'd1], c.lanes) : '0;
          end
        end
        for (int word = 0; word < 4; word++) begin
          // Votes for each bit, 0 to 5: two full adders. bit0 + 2 (carry1 + carry2).
          automatic word_t differs = threshold == FOUR ? '0 : changed[word][column];
          automatic word_t half1 = unsatisfied[0][word] ^ unsatisfied[1][word];
          automatic word_t sum = half1 ^ unsatisfied[2][word];
          automatic word_t carry1 = (unsatisfied[0][word] & unsatisfied[1][word]) | (half1 & unsatisfied[2][word]);
          automatic word_t half2 = sum ^ unsatisfied[3][word];
          automatic word_t bit0 = half2 ^ differs;
          automatic word_t carry2 = (sum & unsatisfied[3][word]) | (half2 & differs);
          automatic word_t votes = threshold == FOUR ? carry1 & carry2
              : threshold == THREE ? (carry1 & carry2) | ((carry1 | carry2) & bit0)
              : carry1 | carry2;
          flip[word] = column == ShortenedColumn ? votes & ~ShortenedLanes[word] : votes;
          any |= flip[word];
          changed[word][column] <= differs ^ flip[word];
        end
        if (any != '0) begin
          for (int word = 0; word < 4; word++) begin
            memory[word][address(decode_bank, column)] <= memory[word][address(decode_bank, column)] ^ flip[word];
          end
          for (int i = 0; i < 4; i++) begin
            automatic circulant_t c = column_table[column][i];
            if (c.valid) begin
              for (int word = 0; word < 4; word++) begin
                automatic logic [1:0] low = 2'(word) + c.words;
                syndrome[decode_bank][c.row][word] <=
                    syndrome[decode_bank][c.row][word] ^ funnel_right(flip[low+2'd1], flip[low], c.lanes);
              end
            end
          end
        end
        if (column == '0) iterations <= iterations + 1'b1;
        if (column == LastColumn) begin
          column <= '0;
          // An iteration at three that flips nothing is a stall: the next one takes less evidence.
          threshold <= threshold == THREE && !flipped && any == '0 ? TWO : THREE;
          flipped <= 1'b0;
        end else begin
          column <= column + 1'b1;
          if (any != '0) flipped <= 1'b1;
        end
      end
    end

    // Load one beat, and add it to the syndrome.
    if (s_axis_tvalid && s_axis_tready) begin
      memory[load_beat[1:0]][address(load_bank, load_beat[8:2])] <= s_axis_tdata;
      for (int i = 0; i < 4; i++) begin
        automatic circulant_t c = column_table[load_beat[8:2]][i];
        automatic logic [1:0] high = load_beat[1:0] - c.words;
        if (c.valid) begin
          syndrome[load_bank][c.row][high] <=
              syndrome[load_bank][c.row][high] ^ funnel_right('0, s_axis_tdata, c.lanes);
          syndrome[load_bank][c.row][high-2'd1] <=
              syndrome[load_bank][c.row][high-2'd1] ^ funnel_right(s_axis_tdata, '0, c.lanes);
        end
      end
      if (load_beat == LastBeat) begin
        bank_state[load_bank] <= LOADED;
        load_bank <= !load_bank;
        load_beat <= '0;
      end else begin
        load_beat <= load_beat + 1'b1;
      end
    end

    // Unload through one register.
    if (!m_axis_tvalid || m_axis_tready) begin
      m_axis_tvalid <= bank_state[unload_bank] == DONE;
      if (bank_state[unload_bank] == DONE) begin
        m_axis_tdata <= memory[unload_beat[1:0]][address(unload_bank, unload_beat[8:2])];
        m_axis_tlast <= unload_beat == LastBeat;
        m_axis_tuser <= result[unload_bank];
        if (unload_beat == LastBeat) begin
          bank_state[unload_bank] <= FREE;
          unload_bank <= !unload_bank;
          unload_beat <= '0;
        end else begin
          unload_beat <= unload_beat + 1'b1;
        end
      end
    end

    if (!rst_n) begin
      bank_state[0] <= FREE;
      bank_state[1] <= FREE;
      load_bank <= 1'b0;
      load_beat <= '0;
      decode_bank <= 1'b0;
      column <= '0;
      iterations <= '0;
      threshold <= FOUR;
      flipped <= 1'b0;
      for (int bank = 0; bank < 2; bank++) begin
        for (int row = 0; row < int'(BlockRows); row++) begin
          for (int word = 0; word < 4; word++) syndrome[bank][row][word] <= '0;
        end
      end
      unload_bank <= 1'b0;
      unload_beat <= '0;
      m_axis_tvalid <= 1'b0;
    end
  end

  axi_stream_checker #(.PayloadBits(64), .Beats(StreamBeats)) input_checker (
      .clk, .rst_n, .tvalid(s_axis_tvalid), .tready(s_axis_tready), .tlast(s_axis_tlast), .payload(s_axis_tdata));

  axi_stream_checker #(.PayloadBits(73), .Beats(StreamBeats)) output_checker (
      .clk, .rst_n, .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tlast(m_axis_tlast),
      .payload({m_axis_tuser, m_axis_tdata}));

endmodule
