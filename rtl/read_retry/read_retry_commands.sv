// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// What the state machine asks for in each state: the content of flash and decoder commands. Combinational; it depends
// on nothing that changes while a command is offered.
module read_retry_commands
  import read_retry_pkg::*;
(
    input state_t          state,
    input settings_t       settings,
    input mask_t           pending,
    input step_t           step,
    input step_t           best_step,
    input logic      [1:0] level,
    input logic      [2:0] soft_read,

    output flash_op_t       flash_op,
    output step_t           flash_step,
    output logic      [2:0] flash_soft_read,
    output logic      [7:0] flash_soft_offset,  // signed
    output mask_t           flash_codewords,

    output decode_op_t       decode_op,
    output logic       [1:0] decode_level,
    output logic       [7:0] decode_max_iterations,
    output llr_t             decode_llr,
    output mask_t            decode_codewords
);
  // Soft reads go outwards: 0, -1, +1, -2, +2, -3, +3 times the distance of two neighbours.
  logic [7:0] distance, delta, offset;
  assign distance = ({5'd0, soft_read} + 8'd1) >> 1;
  assign delta = {3'd0, level == 2'd1 ? settings.soft_delta_three : settings.soft_delta_seven};
  assign offset = distance * delta;

  always_comb begin
    flash_op = FLASH_READ;
    flash_step = step;
    flash_soft_read = '0;
    flash_soft_offset = '0;
    flash_codewords = '0;
    unique case (state)
      ISSUE_READ: flash_codewords = pending;
      SET_FEATURE: flash_op = FLASH_SET_VREF;
      SOFT_SETUP: begin
        flash_op = FLASH_SET_VREF;
        flash_step = best_step;
      end
      SOFT_READ: begin
        flash_op = FLASH_SOFT_READ;
        flash_step = best_step;
        flash_soft_read = soft_read;
        flash_soft_offset = soft_read[0] ? -offset : offset;
        flash_codewords = pending;
      end
      RESTORE_FEATURE: begin
        flash_op = FLASH_RESTORE;
        flash_step = '0;
      end
      default: ;
    endcase
  end

  always_comb begin
    decode_op = DECODE_T1;
    decode_level = level;
    decode_max_iterations = settings.t2_iterations;
    decode_llr = '0;
    decode_codewords = pending;
    unique case (state)
      T1: decode_max_iterations = settings.t1_iterations;
      T2H: begin
        decode_op = DECODE_T2H;
        decode_llr = settings.llr_hard;
      end
      T2S: decode_op = DECODE_T2S;
      LLR_LOAD: begin
        decode_op = DECODE_LOAD_LLR;
        decode_max_iterations = '0;
        decode_llr = level == 2'd1 ? settings.llr_three : settings.llr_seven;
        decode_codewords = '0;
      end
      default: ;
    endcase
  end

endmodule
