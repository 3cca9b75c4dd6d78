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
// Limits: no abort of a codeword in flight; reset discards everything. Memories are read in the clock of their address,
// as register files are. Nothing was synthesised.
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

  word_t memory[4][2*BlockColumns];  // [word of the block column][bank, column]
  word_t changed[4][BlockColumns];   // bits that differ from what was received; valid after the first iteration
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

  // Constants: a read-only memory of the base matrix.
  column_t column_table[BlockColumns];
  for (genvar c = 0; c < int'(BlockColumns); c++) begin : gen_column_table
    localparam column_t Column = column_of(7'(c));
    assign column_table[c] = Column;
  end

  function automatic logic [7:0] address(input logic bank, input logic [6:0] of_column);
    address = {1'b0, of_column} + (bank ? 8'(BlockColumns) : 8'd0);
  endfunction

  // ---- what this clock does ----

  logic loads;
  assign s_axis_tready_o = bank_state_q[load_bank_q] == BankFree ||
      (bank_state_q[load_bank_q] == BankDone && unload_bank_q == load_bank_q && load_beat_q < unload_beat_q);
  assign loads = s_axis_tvalid_i && s_axis_tready_o;

  logic syndrome_is_zero;
  always_comb begin
    automatic word_t any = '0;
    for (int row = 0; row < int'(BlockRows); row++) begin
      for (int word = 0; word < 4; word++) any |= syndrome_q[decode_bank_q][row][word];
    end
    syndrome_is_zero = any == '0;
  end

  // ---- registers ----

  // One process, not next state and registers: next state would go through memory in every clock that Verilator
  // simulates, and what depends on an input would be worked out twice. As two processes it took a fifth more time.
  //
  // No reset: memory, changed, result_q and the payload of the output. They are written before the bank or the output
  // register is marked as full.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bank_state_q[0] <= BankFree;
      bank_state_q[1] <= BankFree;
      for (int bank = 0; bank < 2; bank++) begin
        for (int row = 0; row < int'(BlockRows); row++) begin
          for (int word = 0; word < 4; word++) syndrome_q[bank][row][word] <= '0;
        end
      end
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
        if (syndrome_is_zero || (column_q == '0 && iterations_q == max_iterations_i)) begin
          bank_state_q[decode_bank_q] <= BankDone;
          result_q[decode_bank_q] <= {syndrome_is_zero, iterations_q};
          for (int row = 0; row < int'(BlockRows); row++) begin
            for (int word = 0; word < 4; word++) syndrome_q[decode_bank_q][row][word] <= '0;
          end
          decode_bank_q <= !decode_bank_q;
          column_q <= '0;
          iterations_q <= '0;
          threshold_q <= ThresholdFour;
          flipped_q <= 1'b0;
        end else begin
          automatic word_t unsatisfied[4][4];
          automatic word_t flip[4];
          automatic word_t any = '0;
          for (int i = 0; i < 4; i++) begin
            automatic circulant_t c = column_table[column_q][i];
            for (int word = 0; word < 4; word++) begin
              automatic logic [1:0] high = 2'(word) - c.words;
              unsatisfied[i][word] = c.valid ? funnel_left(
                  syndrome_q[decode_bank_q][c.row][high], syndrome_q[decode_bank_q][c.row][high-2'd1], c.lanes) : '0;
            end
          end
          for (int word = 0; word < 4; word++) begin
            // Votes for each bit, 0 to 5: two full adders. bit0 + 2 (carry1 + carry2).
            automatic word_t differs = threshold_q == ThresholdFour ? '0 : changed[word][column_q];
            automatic word_t half1 = unsatisfied[0][word] ^ unsatisfied[1][word];
            automatic word_t sum = half1 ^ unsatisfied[2][word];
            automatic word_t carry1 = (unsatisfied[0][word] & unsatisfied[1][word]) | (half1 & unsatisfied[2][word]);
            automatic word_t half2 = sum ^ unsatisfied[3][word];
            automatic word_t bit0 = half2 ^ differs;
            automatic word_t carry2 = (sum & unsatisfied[3][word]) | (half2 & differs);
            automatic word_t votes = threshold_q == ThresholdFour ? carry1 & carry2
                : threshold_q == ThresholdThree ? (carry1 & carry2) | ((carry1 | carry2) & bit0)
                : carry1 | carry2;
            flip[word] = column_q == ShortenedColumn ? votes & ~ShortenedLanes[word] : votes;
            any |= flip[word];
            changed[word][column_q] <= differs ^ flip[word];
          end
          if (any != '0) begin
            for (int word = 0; word < 4; word++) begin
              memory[word][address(decode_bank_q, column_q)] <=
                  memory[word][address(decode_bank_q, column_q)] ^ flip[word];
            end
            for (int i = 0; i < 4; i++) begin
              automatic circulant_t c = column_table[column_q][i];
              if (c.valid) begin
                for (int word = 0; word < 4; word++) begin
                  automatic logic [1:0] low = 2'(word) + c.words;
                  syndrome_q[decode_bank_q][c.row][word] <=
                      syndrome_q[decode_bank_q][c.row][word] ^ funnel_right(flip[low+2'd1], flip[low], c.lanes);
                end
              end
            end
          end
          if (column_q == '0) iterations_q <= iterations_q + 1'b1;
          if (column_q == LastColumn) begin
            column_q <= '0;
            // An iteration at three that flips nothing is a stall: the next one takes less evidence.
            threshold_q <= threshold_q == ThresholdThree && !flipped_q && any == '0 ? ThresholdTwo : ThresholdThree;
            flipped_q <= 1'b0;
          end else begin
            column_q <= column_q + 1'b1;
            if (any != '0) flipped_q <= 1'b1;
          end
        end
      end

      // Load one beat, and add it to the syndrome.
      if (loads) begin
        memory[load_beat_q[1:0]][address(load_bank_q, load_beat_q[8:2])] <= s_axis_tdata_i;
        for (int i = 0; i < 4; i++) begin
          automatic circulant_t c = column_table[load_beat_q[8:2]][i];
          automatic logic [1:0] high = load_beat_q[1:0] - c.words;
          if (c.valid) begin
            syndrome_q[load_bank_q][c.row][high] <=
                syndrome_q[load_bank_q][c.row][high] ^ funnel_right('0, s_axis_tdata_i, c.lanes);
            syndrome_q[load_bank_q][c.row][high-2'd1] <=
                syndrome_q[load_bank_q][c.row][high-2'd1] ^ funnel_right(s_axis_tdata_i, '0, c.lanes);
          end
        end
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
          m_axis_tdata_q <= memory[unload_beat_q[1:0]][address(unload_bank_q, unload_beat_q[8:2])];
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
