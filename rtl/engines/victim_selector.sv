// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// Victim selector (engines.victim): searches the table of superblocks, as models/firmware/contract/engines.h has it,
// for the one to collect: in state 3, with the fewest valid logical pages; of equal ones the first from `search_from_i`
// on, round the table. Then it writes the superblock behind VICTIM, counts VICTIM.done up and raises irq_o for a clock.
//
// The table is read from its begin on whatever the search begins at, so that no address needs a multiplication: of
// equal ones the first of the rear part takes the place of one of the front part.
//
// Memory port: a word of 32 bits a request, answered once, in order, also a write; an answer is always taken.
// WordsUnderWay requests are without their answer at most, so a search of N superblocks at a memory that answers in the
// next clock takes 2 N + 9 clocks from the command to the interrupt.
//
// Limits: one search at a time; at most 2^IndexBits - 1 superblocks. The registers must not change during a search.
module victim_selector #(
    parameter int unsigned IndexBits = 16,
    parameter int unsigned WordsUnderWay = 4
) (
    input logic clk_i,
    input logic rst_ni,

    // Registers ENGINES, which the firmware writes before.
    input logic        enable_i,
    input logic [31:0] superblock_table_i,
    input logic [31:0] superblock_stride_i,
    input logic [31:0] superblocks_i,
    input logic [31:0] victim_i,

    // A write of ENGINES.SEARCH.
    input logic        search_i,
    input logic [31:0] search_from_i,

    output logic        mem_valid_o,
    input  logic        mem_ready_i,
    output logic        mem_write_o,
    output logic [31:0] mem_address_o,
    output logic [31:0] mem_wdata_o,
    input  logic        mem_answer_i,
    input  logic        mem_error_i,
    input  logic [31:0] mem_rdata_i,

    output logic        irq_o,      // for a clock: the answer is in memory
    output logic        refused_o,  // for a clock: a search was not begun
    output logic        failed_o,   // for a clock: the memory answered with an error, the search has no answer
    output logic        busy_o,
    output logic [31:0] searched_o  // ENGINES.SEARCHED
);
  localparam logic [7:0] Searched = 8'd3;  // WL_SUPERBLOCK_SEARCHED
  localparam logic [31:0] HeadBytes = 32'd8;  // wl_superblock_head
  localparam int unsigned WayBits = $clog2(WordsUnderWay + 1);

  typedef logic [IndexBits-1:0] index_t;
  typedef enum logic [2:0] {
    StIdle,
    StSearch,
    StReadDone,
    StWriteSuperblock,
    StWriteDone,
    StWaitWritten,
    StTell
  } state_e;

  state_e state_d, state_q;
  index_t from_q;
  logic [31:0] request_address_d, request_address_q;  // of the head that is asked for
  index_t request_left_d, request_left_q;  // heads yet to be asked for
  logic request_state_d, request_state_q;  // its second word is next
  logic [WayBits-1:0] under_way_d, under_way_q;  // requests without their answer
  index_t head_d, head_q;  // the head whose words come
  index_t heads_left_d, heads_left_q;
  logic head_state_d, head_state_q;  // its second word comes
  logic [31:0] valid_q;  // its first word
  logic [31:0] fewest_d, fewest_q;
  index_t found_d, found_q;
  logic any_d, any_q;  // one was found
  logic rear_d, rear_q;  // the one found lies from `from` on
  logic error_d, error_q;
  logic [31:0] done_q;
  logic [31:0] searched_d, searched_q;
  logic refused_q;

  // ---- the command ----

  logic legal, begins;
  assign legal = enable_i && state_q == StIdle && superblocks_i[31:IndexBits] == '0 && superblock_stride_i >= HeadBytes
      && search_from_i < superblocks_i;
  assign begins = search_i && legal;
  assign searched_d = begins ? searched_q + 32'd1 : searched_q;

  // ---- requests ----

  logic asks, taken;
  assign asks = state_q == StSearch && request_left_q != '0 && under_way_q != WayBits'(WordsUnderWay);
  assign taken = mem_valid_o && mem_ready_i;

  always_comb begin
    mem_valid_o = asks;
    mem_write_o = 1'b0;
    mem_address_o = request_address_q + (request_state_q ? 32'd4 : 32'd0);
    unique case (state_q)
      StReadDone: begin
        mem_valid_o = 1'b1;
        mem_address_o = victim_i;
      end
      StWriteSuperblock: begin
        mem_valid_o = under_way_q == '0 && !error_q;
        mem_write_o = 1'b1;
        mem_address_o = victim_i + 32'd4;
      end
      StWriteDone: begin
        mem_valid_o = 1'b1;
        mem_write_o = 1'b1;
        mem_address_o = victim_i;
      end
      default: ;
    endcase
  end
  assign mem_wdata_o = state_q == StWriteDone ? done_q + 32'd1 : any_q ? 32'(found_q) : '1;  // none: WL_LPN_NONE

  always_comb begin
    request_address_d = request_address_q;
    request_left_d = request_left_q;
    request_state_d = request_state_q;
    if (begins) begin
      request_address_d = superblock_table_i;
      request_left_d = superblocks_i[IndexBits-1:0];
      request_state_d = 1'b0;
    end else if (asks && mem_ready_i) begin
      request_state_d = !request_state_q;
      if (request_state_q) begin
        request_address_d = request_address_q + superblock_stride_i;
        request_left_d = request_left_q - 1'b1;
      end
    end
  end
  assign under_way_d = under_way_q + WayBits'(taken) - WayBits'(mem_answer_i);

  // ---- answers ----

  logic head_ends, candidate, better, rear;
  assign head_ends = state_q == StSearch && mem_answer_i && head_state_q;
  assign rear = head_q >= from_q;
  assign candidate = mem_rdata_i[7:0] == Searched;
  assign better = valid_q < fewest_q || (valid_q == fewest_q && any_q && rear && !rear_q);

  always_comb begin
    head_d = head_q;
    heads_left_d = heads_left_q;
    head_state_d = head_state_q;
    fewest_d = fewest_q;
    found_d = found_q;
    any_d = any_q;
    rear_d = rear_q;
    error_d = error_q || (mem_answer_i && mem_error_i);
    if (begins) begin
      head_d = '0;
      heads_left_d = superblocks_i[IndexBits-1:0];
      head_state_d = 1'b0;
      fewest_d = '1;
      any_d = 1'b0;
      rear_d = 1'b0;
      error_d = 1'b0;
    end else if (state_q == StSearch && mem_answer_i) begin
      head_state_d = !head_state_q;
      if (head_state_q) begin
        head_d = head_q + 1'b1;
        heads_left_d = heads_left_q - 1'b1;
      end
    end
    if (head_ends && candidate && better) begin
      fewest_d = valid_q;
      found_d = head_q;
      any_d = 1'b1;
      rear_d = rear;
    end
  end

  // ---- the way of a search ----

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (begins) state_d = StSearch;
      StSearch: if (heads_left_q == '0) state_d = error_q ? StTell : StReadDone;
      StReadDone: if (taken) state_d = StWriteSuperblock;
      StWriteSuperblock: begin
        if (error_q) state_d = StTell;
        else if (taken) state_d = StWriteDone;
      end
      StWriteDone: if (taken) state_d = StWaitWritten;
      StWaitWritten: if (under_way_q == '0) state_d = StTell;
      StTell: state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      under_way_q <= '0;
      searched_q <= '0;
      refused_q <= 1'b0;
    end else begin
      state_q <= state_d;
      under_way_q <= under_way_d;
      searched_q <= searched_d;
      refused_q <= search_i && !legal;
    end
  end

  // No reset: the begin of a search sets them, or they are read after they were written.
  always_ff @(posedge clk_i) begin
    if (begins) from_q <= search_from_i[IndexBits-1:0];
    request_address_q <= request_address_d;
    request_left_q <= request_left_d;
    request_state_q <= request_state_d;
    head_q <= head_d;
    heads_left_q <= heads_left_d;
    head_state_q <= head_state_d;
    if (mem_answer_i && !head_state_q) valid_q <= mem_rdata_i;
    fewest_q <= fewest_d;
    found_q <= found_d;
    any_q <= any_d;
    rear_q <= rear_d;
    error_q <= error_d;
    if (state_q == StWriteSuperblock && mem_answer_i) done_q <= mem_rdata_i;
  end

  assign irq_o = state_q == StTell && !error_q;
  assign failed_o = state_q == StTell && error_q;
  assign refused_o = refused_q;
  assign busy_o = state_q != StIdle;
  assign searched_o = searched_q;

endmodule
