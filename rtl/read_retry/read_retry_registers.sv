// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The ECC registers (models/registers/wordline.rdl) as an APB4 completer (AMBA APB, IHI 0024). Addresses, fields and
// reset values come from the package generated from the RDL. No wait states, but one when the state machine writes
// the table of optimal references in the same clock.
//
// An error (PSLVERR, and nothing is written) answers an address that is not a multiple of 4 or has no register, a
// write that is not of a whole word, a write to the tables or iterations while a read is under way, and an entry of
// the table of optimal references that does not exist. A write to a register that is read only has no effect.
module read_retry_registers
  import ecc_registers_pkg::*;
  import read_retry_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  logic        psel_i,
    input  logic        penable_i,
    input  logic        pwrite_i,
    input  logic [11:0] paddr_i,
    input  logic [31:0] pwdata_i,
    input  logic [ 3:0] pstrb_i,
    output logic [31:0] prdata_o,
    output logic        pready_o,
    output logic        pslverr_o,
    output logic        irq_o,

    output settings_t             settings_o,
    input  step_t                 table_step_i,
    output logic [OffsetBits-1:0] table_offsets_o,
    output logic                  abort_o,

    input state_e      state_i,
    input event_t      events_i,
    input logic [15:0] result_tag_i,
    input code_e       result_code_i,
    input mask_t       result_failed_i,
    input status_t     result_status_i,

    output logic [15:0] ort_group_o,
    output logic [15:0] ort_layer_o,
    input  logic        ort_exists_i,
    input  ort_entry_t  ort_entry_i,
    output logic        ort_write_o,
    output ort_entry_t  ort_new_o,
    output logic        ort_clear_o,
    output logic [15:0] ort_clear_group_o,
    input  logic        ort_ready_i,

    input logic [31:0] decoded_lpages_i,
    input logic [31:0] uncorrectable_lpages_i,
    input logic [31:0] retries_i,
    input logic [31:0] corrected_bits_i,
    input logic [31:0] miscorrections_i,
    input logic [31:0] stale_i,
    input logic [31:0] codewords_i[4],
    input logic [31:0] t1_iterations_i[8],
    input logic [31:0] t2_iterations_i[8]
);
  localparam logic [31:0] ReferenceZero = 2 ** (RETRY_TABLE_R0_MSB + 1) - 2 ** RETRY_TABLE_R0_LSB;

  // ---- storage: bits without a field stay at zero ----

  logic [7:0] max_retries_q;
  step_t last_step_q;
  logic [1:0] max_soft_q;
  logic ort_enable_q, ort_first_q, ort_update_q;
  logic [7:0] t1_limit_q, t2_limit_q;
  logic [31:0] flash_timeout_q, decode_timeout_q;
  logic [4:0] delta_three_q, delta_seven_q;
  llr_t llr_q[3];
  logic [3:0] inject_q;
  logic [4:0] inject_steps_q;
  logic [3:0] irq_status_q, irq_enable_q;
  status_t last_status_q;
  logic [15:0] last_tag_q;
  mask_t last_failed_q;
  logic [15:0] ort_group_q, ort_layer_q;
  logic [31:0] retry_table_q[64];

  assign settings_o = '{
      max_retries: max_retries_q, last_step: last_step_q, max_soft: max_soft_q, ort_enable: ort_enable_q,
      ort_first: ort_first_q, ort_update: ort_update_q, t1_iterations: t1_limit_q, t2_iterations: t2_limit_q,
      flash_timeout: flash_timeout_q, decode_timeout: decode_timeout_q, soft_delta_three: delta_three_q,
      soft_delta_seven: delta_seven_q, llr_hard: llr_q[0], llr_three: llr_q[1], llr_seven: llr_q[2],
      force_t1_fail: inject_q[INJECT_T1_FAIL_LSB],
      force_t2h_fail: inject_q[INJECT_T2H_FAIL_LSB], force_t2s_fail: inject_q[INJECT_T2S_FAIL_LSB],
      corrupt_crc: inject_q[INJECT_CRC_LSB], force_steps: inject_steps_q};

  assign table_offsets_o = {retry_table_q[{table_step_i, 2'd3}], retry_table_q[{table_step_i, 2'd2}],
                          retry_table_q[{table_step_i, 2'd1}], retry_table_q[{table_step_i, 2'd0}]};

  assign irq_o = |(irq_status_q & irq_enable_q);
  assign ort_group_o = ort_group_q;
  assign ort_layer_o = ort_layer_q;

  // ---- read ----

  function automatic logic [31:0] llr_word(input llr_t magnitudes);
    llr_word = '0;
    llr_word[LLR_HARD_M0_MSB:LLR_HARD_M0_LSB] = magnitudes[2:0];
    llr_word[LLR_HARD_M1_MSB:LLR_HARD_M1_LSB] = magnitudes[5:3];
    llr_word[LLR_HARD_M2_MSB:LLR_HARD_M2_LSB] = magnitudes[8:6];
    llr_word[LLR_HARD_M3_MSB:LLR_HARD_M3_LSB] = magnitudes[11:9];
  endfunction

  function automatic llr_t llr_of(input logic [31:0] data);
    llr_of = {3'(data >> LLR_HARD_M3_LSB), 3'(data >> LLR_HARD_M2_LSB), 3'(data >> LLR_HARD_M1_LSB),
              3'(data >> LLR_HARD_M0_LSB)};
  endfunction

  logic [9:0] word;
  logic busy, exists, locked;
  logic [31:0] value;
  assign word = paddr_i[11:2];
  assign busy = state_i != StIdle;

  always_comb begin
    exists = 1'b1;
    locked = 1'b0;  // while a read is under way
    value = '0;
    unique case (word) inside
      CONTROL: value[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB] = max_retries_q;
      DECODED: value = decoded_lpages_i;
      RETRIES: value = retries_i;
      UNCORRECTABLE: value = uncorrectable_lpages_i;
      ESCALATION: begin
        value[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB] = last_step_q;
        value[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB] = max_soft_q;
        value[ESCALATION_ORT_ENABLE_LSB] = ort_enable_q;
        value[ESCALATION_ORT_FIRST_LSB] = ort_first_q;
        value[ESCALATION_ORT_UPDATE_LSB] = ort_update_q;
      end
      ITERATIONS: begin
        locked = 1'b1;
        value[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB] = t1_limit_q;
        value[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB] = t2_limit_q;
      end
      FLASH_TIMEOUT: value = flash_timeout_q;
      DECODE_TIMEOUT: value = decode_timeout_q;
      SOFT_DELTA: begin
        locked = 1'b1;
        value[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB] = delta_three_q;
        value[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB] = delta_seven_q;
      end
      LLR_HARD, LLR_THREE, LLR_SEVEN: begin
        locked = 1'b1;
        value = llr_word(llr_q[2'(word - LLR_HARD)]);
      end
      INJECT: begin
        value[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB] = inject_q;
        value[INJECT_STEPS_MSB:INJECT_STEPS_LSB] = inject_steps_q;
      end
      STATUS: begin
        value[STATUS_BUSY_LSB] = busy;
        value[STATUS_STATE_MSB:STATUS_STATE_LSB] = state_i;
      end
      COMMAND: ;
      IRQ_STATUS: value[3:0] = irq_status_q;
      IRQ_ENABLE: value[3:0] = irq_enable_q;
      LAST_STATUS: value = last_status_q;
      LAST_TAG: value[LAST_TAG_TAG_MSB:LAST_TAG_TAG_LSB] = last_tag_q;
      [LAST_FAILED : LAST_FAILED + LAST_FAILED_COUNT - 1]:
      value = last_failed_q[{2'(word - LAST_FAILED), 5'd0}+:32];
      ORT_INDEX: begin
        value[ORT_INDEX_GROUP_MSB:ORT_INDEX_GROUP_LSB] = ort_group_q;
        value[ORT_INDEX_LAYER_MSB:ORT_INDEX_LAYER_LSB] = ort_layer_q;
      end
      ORT_ENTRY: begin
        exists = ort_exists_i;
        value[ORT_ENTRY_VALID_LSB] = ort_entry_i.valid;
        value[ORT_ENTRY_STEP_MSB:ORT_ENTRY_STEP_LSB] = ort_entry_i.step;
        value[ORT_ENTRY_LEVEL_MSB:ORT_ENTRY_LEVEL_LSB] = ort_entry_i.level;
      end
      ORT_CLEAR: ;
      CORRECTED_BITS: value = corrected_bits_i;
      MISCORRECTIONS: value = miscorrections_i;
      [CODEWORDS : CODEWORDS + CODEWORDS_COUNT - 1]: value = codewords_i[2'(word - CODEWORDS)];
      [T1_ITERATIONS : T1_ITERATIONS + T1_ITERATIONS_COUNT - 1]: value = t1_iterations_i[3'(word - T1_ITERATIONS)];
      [T2_ITERATIONS : T2_ITERATIONS + T2_ITERATIONS_COUNT - 1]: value = t2_iterations_i[3'(word - T2_ITERATIONS)];
      STALE: value = stale_i;
      [RETRY_TABLE : RETRY_TABLE + RETRY_TABLE_COUNT - 1]: begin
        locked = 1'b1;
        value = retry_table_q[6'(word - RETRY_TABLE)];
      end
      default: exists = 1'b0;
    endcase
  end

  // ---- transfer ----

  logic access, uses_ort, write;
  assign access = psel_i && penable_i;
  assign uses_ort = pwrite_i && (word == ORT_ENTRY || word == ORT_CLEAR);
  assign pready_o = access && (!uses_ort || ort_ready_i);
  assign pslverr_o = pready_o && (paddr_i[1:0] != '0 || !exists || (pwrite_i && (pstrb_i != '1 || (locked && busy))));
  assign prdata_o = pready_o && !pwrite_i && !pslverr_o ? value : '0;
  assign write = pready_o && pwrite_i && !pslverr_o;

  assign abort_o = write && word == COMMAND && pwdata_i[COMMAND_ABORT_LSB];
  assign ort_write_o = write && word == ORT_ENTRY;
  assign ort_clear_o = write && word == ORT_CLEAR;
  assign ort_clear_group_o = pwdata_i[ORT_CLEAR_GROUP_MSB:ORT_CLEAR_GROUP_LSB];
  assign ort_new_o = '{
      valid: pwdata_i[ORT_ENTRY_VALID_LSB], step: pwdata_i[ORT_ENTRY_STEP_MSB:ORT_ENTRY_STEP_LSB],
      level: pwdata_i[ORT_ENTRY_LEVEL_MSB:ORT_ENTRY_LEVEL_LSB]};

  logic unused_events;  // most are for the counters
  assign unused_events = ^events_i;

  logic [3:0] raised;
  always_comb begin
    raised = '0;
    raised[IRQ_STATUS_DONE_LSB] = events_i.result && result_code_i == CodeOk;
    raised[IRQ_STATUS_FAIL_LSB] = events_i.result && result_code_i != CodeOk;
    raised[IRQ_STATUS_RESTORE_LSB] = events_i.result && result_status_i.restore_failed;
    raised[IRQ_STATUS_STALL_LSB] = events_i.stalled;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      max_retries_q <= CONTROL_RESET[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB];
      last_step_q <= ESCALATION_RESET[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB];
      max_soft_q <= ESCALATION_RESET[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB];
      ort_enable_q <= ESCALATION_RESET[ESCALATION_ORT_ENABLE_LSB];
      ort_first_q <= ESCALATION_RESET[ESCALATION_ORT_FIRST_LSB];
      ort_update_q <= ESCALATION_RESET[ESCALATION_ORT_UPDATE_LSB];
      t1_limit_q <= ITERATIONS_RESET[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB];
      t2_limit_q <= ITERATIONS_RESET[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB];
      flash_timeout_q <= FLASH_TIMEOUT_RESET;
      decode_timeout_q <= DECODE_TIMEOUT_RESET;
      delta_three_q <= SOFT_DELTA_RESET[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB];
      delta_seven_q <= SOFT_DELTA_RESET[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB];
      llr_q[0] <= llr_of(LLR_HARD_RESET);
      llr_q[1] <= llr_of(LLR_THREE_RESET);
      llr_q[2] <= llr_of(LLR_SEVEN_RESET);
      inject_q <= INJECT_RESET[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB];
      inject_steps_q <= INJECT_RESET[INJECT_STEPS_MSB:INJECT_STEPS_LSB];
      irq_status_q <= '0;
      irq_enable_q <= '0;
      last_status_q <= '0;
      last_tag_q <= '0;
      last_failed_q <= '0;
      ort_group_q <= '0;
      ort_layer_q <= '0;
      for (int i = 0; i < 64; i++) retry_table_q[i] <= RETRY_TABLE_RESET;
    end else begin
      irq_status_q <= (write && word == IRQ_STATUS ? irq_status_q & ~pwdata_i[3:0] : irq_status_q) | raised;
      if (events_i.result) begin
        last_status_q <= result_status_i;
        last_tag_q <= result_tag_i;
        last_failed_q <= result_failed_i;
      end
      if (write) begin
        unique case (word) inside
          CONTROL: max_retries_q <= pwdata_i[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB];
          ESCALATION: begin
            last_step_q <= pwdata_i[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB];
            // There is no third level.
            max_soft_q <= pwdata_i[ESCALATION_MAX_SOFT_MSB] ? 2'd2
                : pwdata_i[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB];
            ort_enable_q <= pwdata_i[ESCALATION_ORT_ENABLE_LSB];
            ort_first_q <= pwdata_i[ESCALATION_ORT_FIRST_LSB];
            ort_update_q <= pwdata_i[ESCALATION_ORT_UPDATE_LSB];
          end
          ITERATIONS: begin
            t1_limit_q <= pwdata_i[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB];
            t2_limit_q <= pwdata_i[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB];
          end
          FLASH_TIMEOUT: flash_timeout_q <= pwdata_i;
          DECODE_TIMEOUT: decode_timeout_q <= pwdata_i;
          SOFT_DELTA: begin
            delta_three_q <= pwdata_i[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB];
            delta_seven_q <= pwdata_i[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB];
          end
          LLR_HARD, LLR_THREE, LLR_SEVEN: llr_q[2'(word - LLR_HARD)] <= llr_of(pwdata_i);
          INJECT: begin
            inject_q <= pwdata_i[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB];
            inject_steps_q <= pwdata_i[INJECT_STEPS_MSB:INJECT_STEPS_LSB];
          end
          IRQ_ENABLE: irq_enable_q <= pwdata_i[3:0];
          ORT_INDEX: begin
            ort_group_q <= pwdata_i[ORT_INDEX_GROUP_MSB:ORT_INDEX_GROUP_LSB];
            ort_layer_q <= pwdata_i[ORT_INDEX_LAYER_MSB:ORT_INDEX_LAYER_LSB];
          end
          [RETRY_TABLE : RETRY_TABLE + RETRY_TABLE_COUNT - 1]:
          retry_table_q[6'(word - RETRY_TABLE)] <= word[1:0] == RETRY_TABLE[1:0] ? pwdata_i & ~ReferenceZero : pwdata_i;
          default: ;
        endcase
      end
    end
  end

endmodule
