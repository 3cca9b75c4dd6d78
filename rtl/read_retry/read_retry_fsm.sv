// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The state machine of the read-retry controller. models/ecc/retry/read_retry.h is the specification: states, commands,
// results and events are the same, clock by clock when answers come in the same clocks. States that wait for nothing
// take one clock.
//
// Commands carry a tag; an answer with another tag than the awaited one is dropped: it belongs to a command that
// timed out. A time-out counts the clocks in which an answer was awaited, for decoders since the last verdict. A
// command that is not taken stays offered (valid may not be withdrawn); when it is not taken for the length of the
// time-out, `events.stalled` tells, once.
//
// Limits: one read at a time. No clock gating. Nothing was synthesised.
module read_retry_fsm
  import read_retry_pkg::*;
(
    input logic clk,
    input logic rst_n,

    input settings_t settings,

    input  logic     request_valid,
    output logic     request_ready,
    input  request_t request,

    input logic abort,

    output logic                 flash_valid,
    input  logic                 flash_ready,
    output tag_t                 flash_tag,
    output flash_op_t            flash_op,
    output step_t                flash_step,
    output logic           [2:0] flash_soft_read,
    output logic           [7:0] flash_soft_offset,  // signed
    output mask_t                flash_codewords,

    input logic flash_answer_valid,
    input tag_t flash_answer_tag,
    input logic flash_answer_ok,

    output logic             decode_valid,
    input  logic             decode_ready,
    output tag_t             decode_tag,
    output decode_op_t       decode_op,
    output logic       [1:0] decode_level,
    output logic       [7:0] decode_max_iterations,
    output llr_t             decode_llr,
    output mask_t            decode_codewords,

    input logic     verdict_valid,
    input verdict_t verdict,

    output logic    result_valid,
    input  logic    result_ready,
    output code_t   result_code,
    output mask_t   result_failed,
    output status_t result_status,

    output logic       ort_write,
    output ort_entry_t ort_new,
    input  ort_entry_t ort_entry,

    output request_t current,  // the read under way
    output state_t   state,
    output event_t   events
);
  state_t state_d, state_q;
  logic sent_d, sent_q;  // the state's command was taken
  logic aborting_d, aborting_q;
  logic changed_d, changed_q;  // references: a RESTORE is due
  code_t code_d, code_q;
  mask_t pending_d, pending_q;  // without data
  mask_t awaited_d, awaited_q;  // verdicts
  mask_t failed_d, failed_q;  // of this decoding
  decode_op_t decoding_d, decoding_q;  // which one CRC judges
  ort_entry_t entry_d, entry_q;
  logic first_from_ort_d, first_from_ort_q;
  logic [Steps-1:0] tried_d, tried_q;
  logic [4:0] retries_d, retries_q;
  step_t step_d, step_q;  // of the last hard read
  step_t set_step_d, set_step_q;  // set in the die
  scale_t scale_d, scale_q;  // what tier 1 left at this step
  scale_t best_d, best_q;  // the lightest; no codewords: nothing weighed yet
  step_t best_step_d, best_step_q;
  logic [1:0] level_d, level_q;
  logic [2:0] soft_read_d, soft_read_q;
  history_t history_d, history_q;
  logic [31:0] timer_d, timer_q;
  tag_t flash_tag_d, flash_tag_q;
  tag_t decode_tag_d, decode_tag_q;
  request_t request_d, request_q;

  // ---- what the state offers and awaits ----

  logic awaits_flash, awaits_verdict;
  logic flash_answer, verdict_now, timed_out, aborting;

  always_comb begin
    flash_valid = 1'b0;
    decode_valid = 1'b0;
    awaits_flash = 1'b0;
    awaits_verdict = 1'b0;
    unique case (state_q)
      ISSUE_READ: flash_valid = 1'b1;
      WAIT_DATA: awaits_flash = 1'b1;
      SET_FEATURE, SOFT_READ, RESTORE_FEATURE: begin
        flash_valid = !sent_q;
        awaits_flash = sent_q;
      end
      SOFT_SETUP: begin
        flash_valid = !sent_q && set_step_q != best_step_q;
        awaits_flash = sent_q;
      end
      T1, T2H, T2S: begin
        decode_valid = !sent_q;
        awaits_verdict = sent_q;
      end
      LLR_LOAD: decode_valid = 1'b1;
      default: ;
    endcase
  end

  assign aborting = aborting_q || abort;
  assign flash_answer = flash_answer_valid && awaits_flash && flash_answer_tag == flash_tag_q - 1'b1;
  assign verdict_now = verdict_valid && awaits_verdict && verdict.tag == decode_tag_q - 1'b1;

  logic waiting, progress;
  logic [31:0] limit;
  assign limit = awaits_verdict || decode_valid ? settings.decode_timeout : settings.flash_timeout;
  assign waiting = awaits_flash || awaits_verdict || flash_valid || decode_valid;
  assign progress = flash_answer || verdict_now || (flash_valid && flash_ready) || (decode_valid && decode_ready);
  assign timer_d = !waiting || progress || timed_out ? '0 : timer_q == '1 ? timer_q : timer_q + 1'b1;
  assign timed_out = (awaits_flash || awaits_verdict) && !progress && limit != '0 && timer_q >= limit - 1'b1;

  // ---- commands ----

  step_t final_step;
  assign final_step = level_q == '0 ? step_q : best_step_q;

  assign flash_tag = flash_tag_q;
  assign decode_tag = decode_tag_q;

  read_retry_commands commands (
      .state(state_q), .settings, .pending(pending_q), .step(step_q), .best_step(best_step_q), .level(level_q),
      .soft_read(soft_read_q), .flash_op, .flash_step, .flash_soft_read, .flash_soft_offset, .flash_codewords,
      .decode_op, .decode_level, .decode_max_iterations, .decode_llr, .decode_codewords);

  // ---- verdicts ----

  logic forced, ok, corrupted, good;
  way_t way;
  assign forced = (state_q == T1 && settings.force_t1_fail) || (state_q == T2H && settings.force_t2h_fail) ||
      (state_q == T2S && settings.force_t2s_fail) || (state_q != T2S && retries_q < settings.force_steps);
  assign ok = verdict.ok && !forced;
  assign corrupted = ok && verdict.crc_ok && settings.corrupt_crc && !history_q.crc_corrupted;
  assign good = ok && verdict.crc_ok && !corrupted;

  always_comb begin
    unique case (state_q)
      T1: way = WAY_T1;
      T2H: way = WAY_T2H;
      default: way = level_q == 2'd1 ? WAY_THREE_READS : WAY_SEVEN_READS;
    endcase
  end

  // ---- steps ----

  logic any_step;
  step_t next_step;
  retry_step_picker picker (
      .tried(tried_q), .last_step(settings.last_step),
      .from(entry_q.valid ? in_table(entry_q.step, settings.last_step) : step_t'(1)),
      .default_first(first_from_ort_q), .any(any_step), .step(next_step));

  logic lighter;
  assign lighter = best_q.codewords == '0 ||
      {8'd0, scale_q.weight} * {19'd0, best_q.codewords} < {8'd0, best_q.weight} * {19'd0, scale_q.codewords};

  function automatic step_t in_table(input step_t step, input step_t last);
    in_table = step > last ? last : step;  // the table may have become shorter
  endfunction

  ort_entry_t looked_up;
  step_t first_step;
  logic from_ort;
  assign looked_up = settings.ort_enable ? ort_entry : '0;
  assign first_step = in_table(looked_up.step, settings.last_step);
  assign from_ort = looked_up.valid && settings.ort_first && !request_q.sensed && first_step != '0;

  assign ort_new = '{valid: 1'b1, step: final_step, level: level_q};
  assign ort_write = state_q == UPDATE_ORT && settings.ort_enable && settings.ort_update &&
      (retries_q != '0 || level_q != '0) && ort_new != entry_q;

  // ---- next state ----

  always_comb begin
    automatic logic enter = 1'b0;  // another state, or the same one anew
    automatic logic leave = 1'b0;
    automatic logic decode = 1'b0;  // enters a decoding state

    state_d = state_q;
    sent_d = sent_q;
    aborting_d = aborting && state_q != IDLE;
    changed_d = changed_q;
    code_d = code_q;
    pending_d = pending_q;
    awaited_d = awaited_q;
    failed_d = failed_q;
    decoding_d = decoding_q;
    entry_d = entry_q;
    first_from_ort_d = first_from_ort_q;
    tried_d = tried_q;
    retries_d = retries_q;
    step_d = step_q;
    set_step_d = set_step_q;
    scale_d = scale_q;
    best_d = best_q;
    best_step_d = best_step_q;
    level_d = level_q;
    soft_read_d = soft_read_q;
    flash_tag_d = flash_tag_q;
    decode_tag_d = decode_tag_q;
    request_d = request_q;
    history_d = history_q;
    events = '0;
    events.way = way;
    events.stale = {flash_answer_valid && !flash_answer, verdict_valid && !verdict_now};
    events.stalled = ((flash_valid && !flash_ready) || (decode_valid && !decode_ready)) && limit != '0 &&
        timer_q == limit - 1'b1;

    if (flash_valid && flash_ready) begin
      sent_d = 1'b1;
      flash_tag_d = flash_tag_q + 1'b1;
      // Even when it fails, the die may have taken it.
      if (state_q != ISSUE_READ && state_q != RESTORE_FEATURE) changed_d = 1'b1;
      if (state_q == SET_FEATURE || state_q == SOFT_SETUP) set_step_d = flash_step;
    end
    if (decode_valid && decode_ready) begin
      sent_d = 1'b1;
      decode_tag_d = decode_tag_q + 1'b1;
    end

    unique case (state_q)
      IDLE:
      if (request_valid) begin
        request_d = request;
        pending_d = request.codewords;
        changed_d = 1'b0;
        code_d = CODE_OK;
        first_from_ort_d = 1'b0;
        tried_d = '0;
        retries_d = '0;
        step_d = '0;
        set_step_d = '0;
        best_step_d = '0;
        best_d = '0;
        level_d = '0;
        soft_read_d = '0;
        history_d = '0;
        state_d = LOOKUP_ORT;
        enter = 1'b1;
      end

      LOOKUP_ORT:
      if (aborting) begin
        code_d = CODE_ABORTED;
        leave = 1'b1;
      end else begin
        entry_d = looked_up;
        history_d.ort_hit = looked_up.valid;
        first_from_ort_d = from_ort;
        step_d = from_ort ? first_step : '0;
        tried_d[step_d] = 1'b1;
        state_d = request_q.sensed ? NEXT_RETRY : from_ort ? SET_FEATURE : ISSUE_READ;
        enter = 1'b1;
      end

      ISSUE_READ:
      if (flash_ready) begin
        state_d = WAIT_DATA;
        enter = 1'b1;
      end

      WAIT_DATA, SET_FEATURE, SOFT_SETUP, SOFT_READ:
      if (flash_answer) begin
        if (aborting || !flash_answer_ok) begin
          code_d = aborting ? CODE_ABORTED : CODE_FLASH_ERROR;
          leave = 1'b1;
        end else begin
          enter = 1'b1;
          unique case (state_q)
            WAIT_DATA: begin
              state_d = T1;
              decode = 1'b1;
            end
            SET_FEATURE: state_d = ISSUE_READ;
            SOFT_SETUP: state_d = SOFT_READ;
            default: begin
              soft_read_d = soft_read_q + 1'b1;
              if (soft_read_q == (level_q == 2'd1 ? 3'd2 : 3'd6)) state_d = LLR_LOAD;
            end
          endcase
        end
      end else if (timed_out) begin
        code_d = aborting ? CODE_ABORTED : CODE_TIMEOUT;
        leave = 1'b1;
      end else if (state_q == SOFT_SETUP && !sent_q && set_step_q == best_step_q) begin
        // Nothing to set.
        if (aborting) begin
          code_d = CODE_ABORTED;
          leave = 1'b1;
        end else begin
          state_d = SOFT_READ;
          enter = 1'b1;
        end
      end

      T1, T2H, T2S:
      if (verdict_now) begin
        awaited_d[verdict.codeword] = 1'b0;
        history_d.injected = history_q.injected || (verdict.ok && forced) || corrupted;
        history_d.crc_corrupted = history_q.crc_corrupted || corrupted;
        events.decoded = good;
        if (good) begin
          history_d.tiers[state_q == T1 ? 0 : state_q == T2H ? 1 : 2] = 1'b1;
        end else begin
          failed_d[verdict.codeword] = 1'b1;
          events.miscorrected = ok;
          history_d.miscorrected = history_q.miscorrected || ok;
          if (state_q == T1) begin
            scale_d.weight = scale_q.weight + WeightBits'(verdict.weight);
            scale_d.codewords = scale_q.codewords + 1'b1;
          end
        end
        if (awaited_d == '0) begin
          decoding_d = decode_op;
          state_d = CRC;
          enter = 1'b1;
        end
      end else if (timed_out) begin
        code_d = aborting ? CODE_ABORTED : CODE_TIMEOUT;
        leave = 1'b1;
      end

      CRC: begin
        pending_d = failed_q;
        enter = 1'b1;
        if (aborting) begin
          code_d = CODE_ABORTED;
          leave = 1'b1;
        end else if (failed_q == '0) begin
          state_d = UPDATE_ORT;
        end else if (decoding_q == DECODE_T1) begin
          state_d = T2H;
          decode = 1'b1;
        end else if (decoding_q == DECODE_T2H) begin
          if (lighter) begin
            best_step_d = step_q;
            best_d = scale_q;
          end
          state_d = NEXT_RETRY;
        end else if (level_q >= settings.max_soft || level_q == 2'd2) begin
          code_d = CODE_UNCORRECTABLE;
          leave = 1'b1;
        end else begin
          level_d = 2'd2;
          soft_read_d = '0;
          state_d = SOFT_SETUP;
        end
      end

      NEXT_RETRY: begin
        enter = 1'b1;
        if (aborting) begin
          code_d = CODE_ABORTED;
          leave = 1'b1;
        end else if (any_step && 8'(retries_q) < settings.max_retries) begin
          step_d = next_step;
          tried_d[next_step] = 1'b1;
          retries_d = retries_q + 1'b1;
          events.retry = 1'b1;
          state_d = SET_FEATURE;
        end else if (settings.max_soft == '0) begin
          code_d = CODE_UNCORRECTABLE;
          leave = 1'b1;
        end else begin
          level_d = 2'd1;
          soft_read_d = '0;
          state_d = SOFT_SETUP;
        end
      end

      LLR_LOAD:
      if (decode_ready) begin
        if (aborting) begin
          code_d = CODE_ABORTED;
          leave = 1'b1;
        end else begin
          state_d = T2S;
          enter = 1'b1;
          decode = 1'b1;
        end
      end

      UPDATE_ORT: begin
        history_d.ort_updated = ort_write;
        state_d = changed_q ? RESTORE_FEATURE : DONE;
        enter = 1'b1;
      end

      RESTORE_FEATURE:
      if (flash_answer || timed_out) begin
        history_d.restore_failed = timed_out || !flash_answer_ok;
        changed_d = 1'b0;
        state_d = code_q == CODE_OK ? DONE : FAIL;
        enter = 1'b1;
      end

      DONE, FAIL:
      if (result_ready) begin
        events.result = 1'b1;
        state_d = IDLE;
        enter = 1'b1;
      end

      default: begin
        state_d = IDLE;
        enter = 1'b1;
      end
    endcase

    if (leave) begin
      state_d = changed_d ? RESTORE_FEATURE : FAIL;
      enter = 1'b1;
    end
    if (enter) sent_d = 1'b0;
    if (decode) begin
      awaited_d = pending_d;
      failed_d = '0;
      if (state_d == T1) scale_d = '0;
    end
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    sent_q <= sent_d;
    aborting_q <= aborting_d;
    changed_q <= changed_d;
    code_q <= code_d;
    pending_q <= pending_d;
    awaited_q <= awaited_d;
    failed_q <= failed_d;
    decoding_q <= decoding_d;
    entry_q <= entry_d;
    first_from_ort_q <= first_from_ort_d;
    tried_q <= tried_d;
    retries_q <= retries_d;
    step_q <= step_d;
    set_step_q <= set_step_d;
    scale_q <= scale_d;
    best_q <= best_d;
    best_step_q <= best_step_d;
    level_q <= level_d;
    soft_read_q <= soft_read_d;
    timer_q <= timer_d;
    flash_tag_q <= flash_tag_d;
    decode_tag_q <= decode_tag_d;
    request_q <= request_d;
    history_q <= history_d;
    if (!rst_n) begin
      state_q <= IDLE;
      sent_q <= 1'b0;
      aborting_q <= 1'b0;
      changed_q <= 1'b0;
      timer_q <= '0;
      flash_tag_q <= '0;
      decode_tag_q <= '0;
    end
  end

  // ---- outputs ----

  assign request_ready = state_q == IDLE;
  assign result_valid = state_q == DONE || state_q == FAIL;
  assign result_code = code_q;
  assign result_failed = pending_q;
  assign result_status = '{
      failed: 8'($countones(pending_q)), zero: '0, injected: history_q.injected, ort_updated: history_q.ort_updated,
      ort_hit: history_q.ort_hit, miscorrected: history_q.miscorrected, tiers: history_q.tiers, soft_level: level_q,
      step: final_step, retries: retries_q, restore_failed: history_q.restore_failed, code: code_q};
  assign current = request_q;
  assign state = state_q;

  // ---- assertions ----

  restored_before_the_end :
  assert property (@(posedge clk) disable iff (!rst_n) result_valid || state_q == IDLE |-> !changed_q)
  else $error("read retry: a read ends with changed references");

  done_has_all_data :
  assert property (@(posedge clk) disable iff (!rst_n) state_q == DONE |-> pending_q == '0 && code_q == CODE_OK)
  else $error("read retry: DONE without all data");

  steps_are_tried_once :
  assert property (@(posedge clk) disable iff (!rst_n) events.retry |-> !tried_q[next_step])
  else $error("read retry: a step is tried twice");

  request_wants_something :
  assert property (@(posedge clk) disable iff (!rst_n) request_valid |-> request.codewords != '0)
  else $error("read retry: a request of no codewords");

endmodule
