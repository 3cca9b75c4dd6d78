// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// A start for a victim selector of your own: it reads the heads of all superblocks from `search_from_i` on, round the
// table, one word at a time, and keeps the first one in state 3 with the fewest valid logical pages; then it writes it
// behind VICTIM, counts VICTIM.done up, and raises irq_o for a clock. The shipped one has four words under way.
//
// Ports, and what the drive checks at them: docs/own_rtl.md.
module my_victim (
    input logic clk_i,
    input logic rst_ni,

    input logic        enable_i,
    input logic [31:0] superblock_table_i,
    input logic [31:0] superblock_stride_i,
    input logic [31:0] superblocks_i,
    input logic [31:0] victim_i,

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

    output logic        irq_o,
    output logic        refused_o,
    output logic        failed_o,
    output logic        busy_o,
    output logic [31:0] searched_o,

    // What the block reports of itself: status_ is in its own waveform, count_ is in result.json, too.
    output logic [ 2:0] status_step_o,
    output logic [31:0] count_words_o
);
  localparam logic [7:0] Searched = 8'd3;  // the state of a superblock that may be collected

  // An access each, in this order; Valid and State for each superblock.
  typedef enum logic [2:0] {Idle, Valid, State, ReadDone, WriteSuperblock, WriteDone, Tell} step_e;
  step_e step_q;
  logic asked_q;  // the access was taken, and its answer is to come
  logic [31:0] head_q, superblock_q, left_q;  // address and number of the superblock; those that follow
  logic [31:0] valid_q, fewest_q, found_q, done_q;

  logic begins;
  assign begins = search_i && step_q == Idle && enable_i && superblock_stride_i >= 32'd8 &&
      search_from_i < superblocks_i;

  assign mem_valid_o = step_q != Idle && step_q != Tell && !asked_q;
  assign mem_write_o = step_q == WriteSuperblock || step_q == WriteDone;
  always_comb begin
    unique case (step_q)
      Valid: mem_address_o = head_q;
      State: mem_address_o = head_q + 32'd4;
      WriteSuperblock: mem_address_o = victim_i + 32'd4;
      default: mem_address_o = victim_i;
    endcase
  end
  assign mem_wdata_o = step_q == WriteDone ? done_q + 32'd1 : found_q;

  logic failed_q, wraps;
  assign wraps = superblock_q + 32'd1 == superblocks_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      step_q <= Idle;
      asked_q <= 1'b0;
      searched_o <= '0;
      refused_o <= 1'b0;
      count_words_o <= '0;
    end else begin
      refused_o <= search_i && !begins;
      if (mem_valid_o && mem_ready_i) begin
        asked_q <= 1'b1;
        count_words_o <= count_words_o + 32'd1;
      end
      if (mem_answer_i) asked_q <= 1'b0;
      unique case (step_q)
        Idle: begin
          failed_q <= 1'b0;
          superblock_q <= search_from_i;
          head_q <= superblock_table_i + superblock_stride_i * search_from_i;
          left_q <= superblocks_i - 32'd1;
          fewest_q <= '1;
          found_q <= '1;  // none
          if (begins) begin
            step_q <= Valid;
            searched_o <= searched_o + 32'd1;
          end
        end
        Tell: step_q <= Idle;
        default:
        if (mem_answer_i) begin
          if (mem_error_i) begin
            failed_q <= 1'b1;
            step_q <= Tell;
          end else begin
            unique case (step_q)
              Valid: begin
                valid_q <= mem_rdata_i;
                step_q <= State;
              end
              State: begin
                if (mem_rdata_i[7:0] == Searched && valid_q < fewest_q) begin
                  fewest_q <= valid_q;
                  found_q <= superblock_q;
                end
                superblock_q <= wraps ? '0 : superblock_q + 32'd1;
                head_q <= wraps ? superblock_table_i : head_q + superblock_stride_i;
                left_q <= left_q - 32'd1;
                step_q <= left_q == '0 ? ReadDone : Valid;
              end
              ReadDone: begin
                done_q <= mem_rdata_i;
                step_q <= WriteSuperblock;
              end
              WriteSuperblock: step_q <= WriteDone;
              default: step_q <= Tell;
            endcase
          end
        end
      endcase
    end
  end

  assign irq_o = step_q == Tell && !failed_q;
  assign failed_o = step_q == Tell && failed_q;
  assign busy_o = step_q != Idle;
  assign status_step_o = step_q;

endmodule
