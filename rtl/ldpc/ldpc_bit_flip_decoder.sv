// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Tier 1: hard-decision bit flipping, one block column of 256 bits per clock.
// models/ecc/decoders/bit_flipping_decoder.h is the specification; bits, success, iterations and clocks are the same.
//
// A codeword is 292 beats of 64 bits, bit i of the codeword in bit i % 64 of beat i / 64; shortened bits are sent as
// zeros. Two banks: while one codeword is decoded, the next one is loaded into the other bank, behind the beats of the
// previous one as they leave. The syndrome is built while loading. From the clock after the last beat, decoding takes
// one clock for every block column taken and one for the verdict; the first beat then leaves one clock later. A
// stream of codewords costs the larger of 292 clocks and the decoding, plus one to three clocks.
//
// For few gates each bank has a memory for each word of a block column, with one port to read and one to write, and
// the syndrome is written at constant indices only. As one process with indices of variables this was simulated nearly
// twice as fast, and had three times the gates.
//
// Limits: no abort of a codeword in flight; reset discards everything. Memories are read in the clock of their address,
// as register files are. Not synthesised for a clock.
module ldpc_bit_flip_decoder
  import bit_plane_pkg::*;
  import ldpc_base_pkg::*;
  import ldpc_columns_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // Iterations before a codeword is given up. May change only while nothing is inside.
    input logic [7:0] max_iterations_i,

    input  word_t s_axis_tdata_i,
    input  logic  s_axis_tvalid_i,
    input  logic  s_axis_tlast_i,
    output logic  s_axis_tready_o,

    output word_t      m_axis_tdata_o,
    output logic       m_axis_tvalid_o,
    output logic       m_axis_tlast_o,
    // {success, iterations}: iterations begun; the same on every beat of a codeword.
    output logic [8:0] m_axis_tuser_o,
    input  logic       m_axis_tready_i,

    // Something is inside: the clock may be stopped while this is low and nothing is offered.
    output logic busy_o
);
  localparam logic [8:0] LastBeat = 9'(StreamBeats - 1);
  localparam logic [6:0] LastColumn = 7'(BlockColumns - 1);

  // The shortened bits are the last of the information columns: they are known to be zero, and never flip.
  localparam logic [6:0] ShortenedColumn = 7'(InformationBits / Lifting);
  localparam logic [Lifting-1:0] ShortenedMask = {{ShortenedBits{1'b1}}, {(Lifting - ShortenedBits) {1'b0}}};
  localparam word_t ShortenedLanes[4] = '{
      ShortenedMask[63:0], ShortenedMask[127:64], ShortenedMask[191:128], ShortenedMask[255:192]};

  typedef enum logic [1:0] {
    BankFree,    // or being loaded
    BankLoaded,  // or being decoded
    BankDone     // being unloaded, and reloaded behind that
  } bank_state_e;

  typedef enum logic [1:0] {
    ThresholdFour,  // the first iteration, and no other
    ThresholdThree,
    ThresholdTwo
  } threshold_e;

  word_t stored[2][4];  // of each bank and word, at the column below
  logic [6:0] column[2];
  word_t changed[4];    // bits of column_q that differ from what was received; valid after the first iteration
  word_t syndrome_q[2][BlockRows][4];  // syndrome q by bank; zero when loading begins
  bank_state_e bank_state_q[2];
  logic [8:0] result_q[2];

  // Loading.
  logic load_bank_q;
  logic [8:0] load_beat_q;

  // Decoding.
  logic decode_bank_q;
  logic [6:0] column_q;
  logic [7:0] iterations_q;
  threshold_e threshold_q;
  logic flipped_q;  // something, in this iteration

  // Unloading.
  logic unload_bank_q;
  logic [8:0] unload_beat_q;
  word_t m_axis_tdata_q;
  logic m_axis_tvalid_q;
  logic m_axis_tlast_q;
  logic [8:0] m_axis_tuser_q;

  // Constants: the base matrix by columns; and by rows, of which each has shifters of its own while loading.
  column_t column_table[BlockColumns];
  of_row_t row_table[BlockRows][BlockColumns];
  for (genvar c = 0; c < int'(BlockColumns); c++) begin : gen_column_table
    localparam column_t Column = column_of(7'(c));
    assign column_table[c] = Column;
    for (genvar row = 0; row < int'(BlockRows); row++) begin : gen_row
      localparam of_row_t OfRow = of_row(Column, 3'(row));
      assign row_table[row][c] = OfRow;
    end
  end

  // ---- what this clock does ----

  logic loads;
  assign s_axis_tready_o = bank_state_q[load_bank_q] == BankFree ||
      (bank_state_q[load_bank_q] == BankDone && unload_bank_q == load_bank_q && load_beat_q < unload_beat_q);
  assign loads = s_axis_tvalid_i && s_axis_tready_o;

  logic syndrome_is_zero;
  always_comb begin
    automatic word_t any[4] = '{default: '0};
    for (int row = 0; row < int'(BlockRows); row++) begin
      for (int word = 0; word < 4; word++) any[word] |= syndrome_q[decode_bank_q][row][word];
    end
    syndrome_is_zero = (any[0] | any[1] | any[2] | any[3]) == '0;
  end

  logic ends;     // with the verdict
  logic decodes;  // a block column
  assign ends = syndrome_is_zero || (column_q == '0 && iterations_q == max_iterations_i);
  assign decodes = bank_state_q[decode_bank_q] == BankLoaded && !ends;

  // Bits of the block column that flip, in this clock.
  word_t differs[4];
  word_t flip[4];
  logic any_flip;
  always_comb begin
    for (int word = 0; word < 4; word++) begin
      differs[word] = threshold_q == ThresholdFour ? '0 : changed[word];
      flip[word] = '0;
    end
    if (decodes) vote(flip);
    any_flip = (flip[0] | flip[1] | flip[2] | flip[3]) != '0;
  end

  function automatic void vote(output word_t flips[4]);
    automatic word_t syndrome[BlockRows][4] = syndrome_q[decode_bank_q];
    automatic word_t unsatisfied[4][4];
    for (int i = 0; i < 4; i++) begin
      automatic circulant_t c = column_table[column_q][i];
      automatic word_t row_words[4];
      automatic word_t turned[4];
      for (int word = 0; word < 4; word++) row_words[word] = syndrome[c.row][word];
      for (int word = 0; word < 4; word++) turned[word] = row_words[2'(word)-c.words];
      for (int word = 0; word < 4; word++) begin
        unsatisfied[i][word] = c.valid ? funnel_left(turned[word], turned[(word+3)%4], c.lanes) : '0;
      end
    end
    for (int word = 0; word < 4; word++) begin
      // Votes for each bit, 0 to 5: two full adders. bit0 + 2 (carry1 + carry2).
      automatic word_t half1 = unsatisfied[0][word] ^ unsatisfied[1][word];
      automatic word_t sum = half1 ^ unsatisfied[2][word];
      automatic word_t carry1 = (unsatisfied[0][word] & unsatisfied[1][word]) | (half1 & unsatisfied[2][word]);
      automatic word_t half2 = sum ^ unsatisfied[3][word];
      automatic word_t bit0 = half2 ^ differs[word];
      automatic word_t carry2 = (sum & unsatisfied[3][word]) | (half2 & differs[word]);
      automatic word_t votes = threshold_q == ThresholdFour ? carry1 & carry2
          : threshold_q == ThresholdThree ? (carry1 & carry2) | ((carry1 | carry2) & bit0)
          : carry1 | carry2;
      flips[word] = column_q == ShortenedColumn ? votes & ~ShortenedLanes[word] : votes;
    end
  endfunction

  // ---- the syndrome ----

  // What depends on an input is worked out in the process of the registers: as next state, Verilator would do it twice
  // in every clock.

  // What the flips of this clock change in it.
  function automatic void turn_back(output word_t change[BlockRows][4]);
    automatic circulant_t c[4];
    automatic word_t back[4][4];
    for (int i = 0; i < 4; i++) begin
      automatic word_t turned[4];
      c[i] = column_table[column_q][i];
      for (int word = 0; word < 4; word++) turned[word] = flip[2'(word)+c[i].words];
      for (int word = 0; word < 4; word++) begin
        back[i][word] = funnel_right(turned[(word+1)%4], turned[word], c[i].lanes);
      end
    end
    for (int row = 0; row < int'(BlockRows); row++) begin
      for (int word = 0; word < 4; word++) change[row][word] = '0;
      for (int i = 0; i < 4; i++) begin
        if (c[i].valid && c[i].row == 3'(row)) begin
          for (int word = 0; word < 4; word++) change[row][word] |= back[i][word];
        end
      end
    end
  endfunction

  // What the beat that comes in changes.
  function automatic void add(output word_t change[BlockRows][4]);
    for (int row = 0; row < int'(BlockRows); row++) begin
      automatic of_row_t c = row_table[row][load_beat_q[8:2]];
      for (int word = 0; word < 4; word++) change[row][word] = '0;
      if (c.valid) begin
        automatic logic [1:0] high = load_beat_q[1:0] - c.words;
        automatic word_t upper = funnel_right('0, s_axis_tdata_i, c.lanes);
        automatic word_t lower = funnel_right(s_axis_tdata_i, '0, c.lanes);
        for (int word = 0; word < 4; word++) begin
          change[row][word] = (high == 2'(word) ? upper : '0) | (high == 2'(word + 1) ? lower : '0);
        end
      end
    end
  endfunction

  logic clears[2];
  logic changes[2];
  for (genvar bank = 0; bank < 2; bank++) begin : gen_syndrome
    logic here;  // decoding
    assign here = bank_state_q[bank] == BankLoaded && decode_bank_q == 1'(bank);
    assign clears[bank] = !rst_ni || (here && ends);
    assign changes[bank] = here ? any_flip : loads && load_bank_q == 1'(bank);
  end

  always_ff @(posedge clk_i) begin
    automatic word_t of_flips[BlockRows][4];
    automatic word_t of_beat[BlockRows][4];
    if (any_flip) turn_back(of_flips);
    if (loads) add(of_beat);
    for (int bank = 0; bank < 2; bank++) begin
      if (clears[bank]) begin
        for (int row = 0; row < int'(BlockRows); row++) begin
          for (int word = 0; word < 4; word++) syndrome_q[bank][row][word] <= '0;
        end
      end else if (changes[bank]) begin
        for (int row = 0; row < int'(BlockRows); row++) begin
          for (int word = 0; word < 4; word++) begin
            syndrome_q[bank][row][word] <= syndrome_q[bank][row][word] ^
                (bank_state_q[bank] == BankLoaded ? of_flips[row][word] : of_beat[row][word]);
          end
        end
      end
    end
  end

  // ---- memories ----

  logic [7:0] writes;  // by bank and word
  assign writes = (loads ? 8'd1 << {load_bank_q, load_beat_q[1:0]} : 8'd0) |
      (any_flip ? (decode_bank_q ? 8'hf0 : 8'h0f) : 8'd0);
  for (genvar bank = 0; bank < 2; bank++) begin : gen_bank
    logic decoded;
    assign decoded = bank_state_q[bank] == BankLoaded;
    assign column[bank] = decoded ? column_q : unload_beat_q[8:2];
    for (genvar word = 0; word < 4; word++) begin : gen_word
      word_t memory[BlockColumns];
      assign stored[bank][word] = memory[column[bank]];
      always_ff @(posedge clk_i) begin
        if (writes[4*bank+word]) begin
          memory[decoded ? column_q : load_beat_q[8:2]] <= decoded ? stored[bank][word] ^ flip[word] : s_axis_tdata_i;
        end
      end
    end
  end

  for (genvar word = 0; word < 4; word++) begin : gen_changed
    word_t memory[BlockColumns];
    assign changed[word] = memory[column_q];
    always_ff @(posedge clk_i) begin
      if (decodes) memory[column_q] <= differs[word] ^ flip[word];
    end
  end

  // ---- registers ----

  // No reset: memories, result_q and the payload of the output. They are written before the bank or the output register
  // is marked as full.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bank_state_q[0] <= BankFree;
      bank_state_q[1] <= BankFree;
      load_bank_q <= 1'b0;
      load_beat_q <= '0;
      decode_bank_q <= 1'b0;
      column_q <= '0;
      iterations_q <= '0;
      threshold_q <= ThresholdFour;
      flipped_q <= 1'b0;
      unload_bank_q <= 1'b0;
      unload_beat_q <= '0;
      m_axis_tvalid_q <= 1'b0;
    end else begin
      // Decode.
      if (bank_state_q[decode_bank_q] == BankLoaded) begin
        if (ends) begin
          bank_state_q[decode_bank_q] <= BankDone;
          result_q[decode_bank_q] <= {syndrome_is_zero, iterations_q};
          decode_bank_q <= !decode_bank_q;
          column_q <= '0;
          iterations_q <= '0;
          threshold_q <= ThresholdFour;
          flipped_q <= 1'b0;
        end else begin
          if (column_q == '0) iterations_q <= iterations_q + 1'b1;
          if (column_q == LastColumn) begin
            column_q <= '0;
            // An iteration at three that flips nothing is a stall: the next one takes less evidence.
            threshold_q <= threshold_q == ThresholdThree && !flipped_q && !any_flip ? ThresholdTwo : ThresholdThree;
            flipped_q <= 1'b0;
          end else begin
            column_q <= column_q + 1'b1;
            if (any_flip) flipped_q <= 1'b1;
          end
        end
      end

      // Load one beat.
      if (loads) begin
        if (load_beat_q == LastBeat) begin
          bank_state_q[load_bank_q] <= BankLoaded;
          load_bank_q <= !load_bank_q;
          load_beat_q <= '0;
        end else begin
          load_beat_q <= load_beat_q + 1'b1;
        end
      end

      // Unload through one register.
      if (!m_axis_tvalid_q || m_axis_tready_i) begin
        m_axis_tvalid_q <= bank_state_q[unload_bank_q] == BankDone;
        if (bank_state_q[unload_bank_q] == BankDone) begin
          m_axis_tdata_q <= stored[unload_bank_q][unload_beat_q[1:0]];
          m_axis_tlast_q <= unload_beat_q == LastBeat;
          m_axis_tuser_q <= result_q[unload_bank_q];
          if (unload_beat_q == LastBeat) begin
            bank_state_q[unload_bank_q] <= BankFree;
            unload_bank_q <= !unload_bank_q;
            unload_beat_q <= '0;
          end else begin
            unload_beat_q <= unload_beat_q + 1'b1;
          end
        end
      end
    end
  end

  assign m_axis_tdata_o = m_axis_tdata_q;
  assign m_axis_tvalid_o = m_axis_tvalid_q;
  assign m_axis_tlast_o = m_axis_tlast_q;
  assign m_axis_tuser_o = m_axis_tuser_q;
  assign busy_o = bank_state_q[0] != BankFree || bank_state_q[1] != BankFree || load_beat_q != '0 || m_axis_tvalid_q;

endmodule
