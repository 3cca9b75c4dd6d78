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
    input logic clk,
    input logic rst_n,

    input  logic        psel,
    input  logic        penable,
    input  logic        pwrite,
    input  logic [11:0] paddr,
    input  logic [31:0] pwdata,
    input  logic [ 3:0] pstrb,
    output logic [31:0] prdata,
    output logic        pready,
    output logic        pslverr,
    output logic        irq,

    output settings_t             settings,
    input  step_t                 table_step,
    output logic [OffsetBits-1:0] table_offsets,
    output logic                  abort,

    input state_t      state,
    input event_t      events,
    input logic [15:0] result_tag,
    input code_t       result_code,
    input mask_t       result_failed,
    input status_t     result_status,

    output logic [15:0] ort_group,
    output logic [15:0] ort_layer,
    input  logic        ort_exists,
    input  ort_entry_t  ort_entry,
    output logic        ort_write,
    output ort_entry_t  ort_new,
    output logic        ort_clear,
    output logic [15:0] ort_clear_group,
    input  logic        ort_ready,

    input logic [31:0] decoded_sectors,
    input logic [31:0] uncorrectable_sectors,
    input logic [31:0] retries,
    input logic [31:0] corrected_bits,
    input logic [31:0] miscorrections,
    input logic [31:0] stale,
    input logic [31:0] codewords[4],
    input logic [31:0] t1_iterations[8],
    input logic [31:0] t2_iterations[8]
);
  localparam logic [31:0] ReferenceZero = 32'(2 ** (RETRY_TABLE_R0_MSB + 1) - 2 ** RETRY_TABLE_R0_LSB);

  // ---- storage: bits without a field stay at zero ----

  logic [7:0] max_retries;
  step_t last_step;
  logic [1:0] max_soft;
  logic ort_enable, ort_first, ort_update;
  logic [7:0] t1_limit, t2_limit;
  logic [31:0] flash_timeout, decode_timeout;
  logic [4:0] delta_three, delta_seven;
  llr_t llr[3];
  logic [3:0] inject;
  logic [4:0] inject_steps;
  logic [3:0] irq_status, irq_enable;
  status_t last_status;
  logic [15:0] last_tag;
  mask_t last_failed;
  logic [31:0] retry_table[64];

  assign settings = '{
      max_retries: max_retries, last_step: last_step, max_soft: max_soft, ort_enable: ort_enable, ort_first: ort_first,
      ort_update: ort_update, t1_iterations: t1_limit, t2_iterations: t2_limit, flash_timeout: flash_timeout,
      decode_timeout: decode_timeout, soft_delta_three: delta_three, soft_delta_seven: delta_seven, llr_hard: llr[0],
      llr_three: llr[1], llr_seven: llr[2], force_t1_fail: inject[INJECT_T1_FAIL_LSB],
      force_t2h_fail: inject[INJECT_T2H_FAIL_LSB], force_t2s_fail: inject[INJECT_T2S_FAIL_LSB],
      corrupt_crc: inject[INJECT_CRC_LSB], force_steps: inject_steps};

  assign table_offsets = {retry_table[{table_step, 2'd3}], retry_table[{table_step, 2'd2}],
                          retry_table[{table_step, 2'd1}], retry_table[{table_step, 2'd0}]};

  assign irq = |(irq_status & irq_enable);

  // ---- read ----

  function automatic logic [31:0] llr_word(input llr_t magnitudes);
    llr_word = '0;
    llr_word[LLR_HARD_M0_MSB:LLR_HARD_M0_LSB] = magnitudes[2:0];
    llr_word[LLR_HARD_M1_MSB:LLR_HARD_M1_LSB] = magnitudes[5:3];
    llr_word[LLR_HARD_M2_MSB:LLR_HARD_M2_LSB] = magnitudes[8:6];
    llr_word[LLR_HARD_M3_MSB:LLR_HARD_M3_LSB] = magnitudes[11:9];
  endfunction

  function automatic llr_t llr_of(input logic [31:0] data);
    llr_of = {data[LLR_HARD_M3_MSB:LLR_HARD_M3_LSB], data[LLR_HARD_M2_MSB:LLR_HARD_M2_LSB],
              data[LLR_HARD_M1_MSB:LLR_HARD_M1_LSB], data[LLR_HARD_M0_MSB:LLR_HARD_M0_LSB]};
  endfunction

  logic [9:0] word;
  logic busy, exists, locked;
  logic [31:0] value;
  assign word = paddr[11:2];
  assign busy = state != IDLE;

  always_comb begin
    exists = 1'b1;
    locked = 1'b0;  // while a read is under way
    value = '0;
    unique case (word) inside
      CONTROL: value[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB] = max_retries;
      DECODED: value = decoded_sectors;
      RETRIES: value = retries;
      UNCORRECTABLE: value = uncorrectable_sectors;
      ESCALATION: begin
        value[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB] = last_step;
        value[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB] = max_soft;
        value[ESCALATION_ORT_ENABLE_LSB] = ort_enable;
        value[ESCALATION_ORT_FIRST_LSB] = ort_first;
        value[ESCALATION_ORT_UPDATE_LSB] = ort_update;
      end
      ITERATIONS: begin
        locked = 1'b1;
        value[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB] = t1_limit;
        value[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB] = t2_limit;
      end
      FLASH_TIMEOUT: value = flash_timeout;
      DECODE_TIMEOUT: value = decode_timeout;
      SOFT_DELTA: begin
        locked = 1'b1;
        value[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB] = delta_three;
        value[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB] = delta_seven;
      end
      LLR_HARD, LLR_THREE, LLR_SEVEN: begin
        locked = 1'b1;
        value = llr_word(llr[2'(word - LLR_HARD)]);
      end
      INJECT: begin
        value[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB] = inject;
        value[INJECT_STEPS_MSB:INJECT_STEPS_LSB] = inject_steps;
      end
      STATUS: begin
        value[STATUS_BUSY_LSB] = busy;
        value[STATUS_STATE_MSB:STATUS_STATE_LSB] = state;
      end
      COMMAND: ;
      IRQ_STATUS: value[3:0] = irq_status;
      IRQ_ENABLE: value[3:0] = irq_enable;
      LAST_STATUS: value = last_status;
      LAST_TAG: value[LAST_TAG_TAG_MSB:LAST_TAG_TAG_LSB] = last_tag;
      [LAST_FAILED : LAST_FAILED + LAST_FAILED_COUNT - 1]:
      value = last_failed[{2'(word - LAST_FAILED), 5'd0}+:32];
      ORT_INDEX: begin
        value[ORT_INDEX_GROUP_MSB:ORT_INDEX_GROUP_LSB] = ort_group;
        value[ORT_INDEX_LAYER_MSB:ORT_INDEX_LAYER_LSB] = ort_layer;
      end
      ORT_ENTRY: begin
        exists = ort_exists;
        value[ORT_ENTRY_VALID_LSB] = ort_entry.valid;
        value[ORT_ENTRY_STEP_MSB:ORT_ENTRY_STEP_LSB] = ort_entry.step;
        value[ORT_ENTRY_LEVEL_MSB:ORT_ENTRY_LEVEL_LSB] = ort_entry.level;
      end
      ORT_CLEAR: ;
      CORRECTED_BITS: value = corrected_bits;
      MISCORRECTIONS: value = miscorrections;
      [CODEWORDS : CODEWORDS + CODEWORDS_COUNT - 1]: value = codewords[2'(word - CODEWORDS)];
      [T1_ITERATIONS : T1_ITERATIONS + T1_ITERATIONS_COUNT - 1]: value = t1_iterations[3'(word - T1_ITERATIONS)];
      [T2_ITERATIONS : T2_ITERATIONS + T2_ITERATIONS_COUNT - 1]: value = t2_iterations[3'(word - T2_ITERATIONS)];
      STALE: value = stale;
      [RETRY_TABLE : RETRY_TABLE + RETRY_TABLE_COUNT - 1]: begin
        locked = 1'b1;
        value = retry_table[6'(word - RETRY_TABLE)];
      end
      default: exists = 1'b0;
    endcase
  end

  // ---- transfer ----

  logic access, uses_ort, write;
  assign access = psel && penable;
  assign uses_ort = pwrite && (word == ORT_ENTRY || word == ORT_CLEAR);
  assign pready = access && (!uses_ort || ort_ready);
  assign pslverr = pready && (paddr[1:0] != '0 || !exists || (pwrite && (pstrb != '1 || (locked && busy))));
  assign prdata = pready && !pwrite && !pslverr ? value : '0;
  assign write = pready && pwrite && !pslverr;

  assign abort = write && word == COMMAND && pwdata[COMMAND_ABORT_LSB];
  assign ort_write = write && word == ORT_ENTRY;
  assign ort_clear = write && word == ORT_CLEAR;
  assign ort_clear_group = pwdata[ORT_CLEAR_GROUP_MSB:ORT_CLEAR_GROUP_LSB];
  assign ort_new = '{
      valid: pwdata[ORT_ENTRY_VALID_LSB], step: pwdata[ORT_ENTRY_STEP_MSB:ORT_ENTRY_STEP_LSB],
      level: pwdata[ORT_ENTRY_LEVEL_MSB:ORT_ENTRY_LEVEL_LSB]};

  logic [3:0] raised;
  always_comb begin
    raised = '0;
    raised[IRQ_STATUS_DONE_LSB] = events.result && result_code == CODE_OK;
    raised[IRQ_STATUS_FAIL_LSB] = events.result && result_code != CODE_OK;
    raised[IRQ_STATUS_RESTORE_LSB] = events.result && result_status.restore_failed;
    raised[IRQ_STATUS_STALL_LSB] = events.stalled;
  end

  always_ff @(posedge clk) begin
    irq_status <= (write && word == IRQ_STATUS ? irq_status & ~pwdata[3:0] : irq_status) | raised;
    if (events.result) begin
      last_status <= result_status;
      last_tag <= result_tag;
      last_failed <= result_failed;
    end
    if (write) begin
      unique case (word) inside
        CONTROL: max_retries <= pwdata[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB];
        ESCALATION: begin
          last_step <= pwdata[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB];
          // There is no third level.
          max_soft <= pwdata[ESCALATION_MAX_SOFT_MSB] ? 2'd2 : pwdata[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB];
          ort_enable <= pwdata[ESCALATION_ORT_ENABLE_LSB];
          ort_first <= pwdata[ESCALATION_ORT_FIRST_LSB];
          ort_update <= pwdata[ESCALATION_ORT_UPDATE_LSB];
        end
        ITERATIONS: begin
          t1_limit <= pwdata[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB];
          t2_limit <= pwdata[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB];
        end
        FLASH_TIMEOUT: flash_timeout <= pwdata;
        DECODE_TIMEOUT: decode_timeout <= pwdata;
        SOFT_DELTA: begin
          delta_three <= pwdata[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB];
          delta_seven <= pwdata[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB];
        end
        LLR_HARD, LLR_THREE, LLR_SEVEN: llr[2'(word - LLR_HARD)] <= llr_of(pwdata);
        INJECT: begin
          inject <= pwdata[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB];
          inject_steps <= pwdata[INJECT_STEPS_MSB:INJECT_STEPS_LSB];
        end
        IRQ_ENABLE: irq_enable <= pwdata[3:0];
        ORT_INDEX: begin
          ort_group <= pwdata[ORT_INDEX_GROUP_MSB:ORT_INDEX_GROUP_LSB];
          ort_layer <= pwdata[ORT_INDEX_LAYER_MSB:ORT_INDEX_LAYER_LSB];
        end
        [RETRY_TABLE : RETRY_TABLE + RETRY_TABLE_COUNT - 1]:
        retry_table[6'(word - RETRY_TABLE)] <= word[1:0] == RETRY_TABLE[1:0] ? pwdata & ~ReferenceZero : pwdata;
        default: ;
      endcase
    end
    if (!rst_n) begin
      max_retries <= CONTROL_RESET[CONTROL_MAX_RETRIES_MSB:CONTROL_MAX_RETRIES_LSB];
      last_step <= ESCALATION_RESET[ESCALATION_LAST_STEP_MSB:ESCALATION_LAST_STEP_LSB];
      max_soft <= ESCALATION_RESET[ESCALATION_MAX_SOFT_MSB:ESCALATION_MAX_SOFT_LSB];
      ort_enable <= ESCALATION_RESET[ESCALATION_ORT_ENABLE_LSB];
      ort_first <= ESCALATION_RESET[ESCALATION_ORT_FIRST_LSB];
      ort_update <= ESCALATION_RESET[ESCALATION_ORT_UPDATE_LSB];
      t1_limit <= ITERATIONS_RESET[ITERATIONS_T1_MSB:ITERATIONS_T1_LSB];
      t2_limit <= ITERATIONS_RESET[ITERATIONS_T2_MSB:ITERATIONS_T2_LSB];
      flash_timeout <= FLASH_TIMEOUT_RESET;
      decode_timeout <= DECODE_TIMEOUT_RESET;
      delta_three <= SOFT_DELTA_RESET[SOFT_DELTA_THREE_MSB:SOFT_DELTA_THREE_LSB];
      delta_seven <= SOFT_DELTA_RESET[SOFT_DELTA_SEVEN_MSB:SOFT_DELTA_SEVEN_LSB];
      llr[0] <= llr_of(LLR_HARD_RESET);
      llr[1] <= llr_of(LLR_THREE_RESET);
      llr[2] <= llr_of(LLR_SEVEN_RESET);
      inject <= INJECT_RESET[INJECT_CRC_MSB:INJECT_T1_FAIL_LSB];
      inject_steps <= INJECT_RESET[INJECT_STEPS_MSB:INJECT_STEPS_LSB];
      irq_status <= '0;
      irq_enable <= '0;
      last_status <= '0;
      last_tag <= '0;
      last_failed <= '0;
      ort_group <= '0;
      ort_layer <= '0;
      for (int i = 0; i < 64; i++) retry_table[i] <= RETRY_TABLE_RESET;
    end
  end

endmodule
