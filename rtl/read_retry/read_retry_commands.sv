// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// What the state machine asks for in each state: the content of flash and decoder commands. Combinational; it depends
// on nothing that changes while a command is offered.
module read_retry_commands
  import read_retry_pkg::*;
(
    input state_e          state_i,
    input settings_t       settings_i,
    input mask_t           pending_i,
    input step_t           step_i,
    input step_t           best_step_i,
    input logic      [1:0] level_i,
    input logic      [2:0] soft_read_i,

    output flash_op_e       flash_op_o,
    output step_t           flash_step_o,
    output logic      [2:0] flash_soft_read_o,
    output logic      [7:0] flash_soft_offset_o,  // signed
    output mask_t           flash_codewords_o,

    output decode_op_e       decode_op_o,
    output logic       [1:0] decode_level_o,
    output logic       [7:0] decode_max_iterations_o,
    output llr_t             decode_llr_o,
    output mask_t            decode_codewords_o
);
  logic unused_settings;  // most are for the state machine
  assign unused_settings = ^settings_i;

  // Soft reads go outwards: 0, -1, +1, -2, +2, -3, +3 times the distance of two neighbours.
  logic [7:0] distance, delta, offset;
  assign distance = ({5'd0, soft_read_i} + 8'd1) >> 1;
  assign delta = {3'd0, level_i == 2'd1 ? settings_i.soft_delta_three : settings_i.soft_delta_seven};
  assign offset = distance * delta;

  always_comb begin
    flash_op_o = FlashOpRead;
    flash_step_o = step_i;
    flash_soft_read_o = '0;
    flash_soft_offset_o = '0;
    flash_codewords_o = '0;
    unique case (state_i)
      StIssueRead: flash_codewords_o = pending_i;
      StSetFeature: flash_op_o = FlashOpSetVref;
      StSoftSetup: begin
        flash_op_o = FlashOpSetVref;
        flash_step_o = best_step_i;
      end
      StSoftRead: begin
        flash_op_o = FlashOpSoftRead;
        flash_step_o = best_step_i;
        flash_soft_read_o = soft_read_i;
        flash_soft_offset_o = soft_read_i[0] ? -offset : offset;
        flash_codewords_o = pending_i;
      end
      StRestoreFeature: begin
        flash_op_o = FlashOpRestore;
        flash_step_o = '0;
      end
      default: ;
    endcase
  end

  always_comb begin
    decode_op_o = DecodeOpT1;
    decode_level_o = level_i;
    decode_max_iterations_o = settings_i.t2_iterations;
    decode_llr_o = '0;
    decode_codewords_o = pending_i;
    unique case (state_i)
      StT1: decode_max_iterations_o = settings_i.t1_iterations;
      StT2H: begin
        decode_op_o = DecodeOpT2H;
        decode_llr_o = settings_i.llr_hard;
      end
      StT2S: decode_op_o = DecodeOpT2S;
      StLlrLoad: begin
        decode_op_o = DecodeOpLoadLlr;
        decode_max_iterations_o = '0;
        decode_llr_o = level_i == 2'd1 ? settings_i.llr_three : settings_i.llr_seven;
        decode_codewords_o = '0;
      end
      default: ;
    endcase
  end

endmodule
