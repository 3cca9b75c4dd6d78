// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

// The state machine of the read-retry controller. models/ecc/retry/read_retry.h is the specification: states, commands,
// results and events are the same, clock by clock when answers come in the same clocks. States that wait for nothing
// take one clock.
//
// Commands carry a tag; an answer with another tag than the awaited one is dropped: it belongs to a command that
// timed out. A time-out counts the clocks in which an answer was awaited, for decoders since the last verdict. A
// command that is not taken stays offered (valid may not be withdrawn); when it is not taken for the length of the
// time-out, `events_o.stalled` says so, once.
//
// Limits: one read at a time. No clock gating. Not synthesised for a clock.
module read_retry_fsm
  import read_retry_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input settings_t settings_i,

    input  logic     request_valid_i,
    output logic     request_ready_o,
    input  request_t request_i,

    input logic abort_i,

    output logic                 flash_valid_o,
    input  logic                 flash_ready_i,
    output tag_t                 flash_tag_o,
    output flash_op_e            flash_op_o,
    output step_t                flash_step_o,
    output logic           [2:0] flash_soft_read_o,
    output logic           [7:0] flash_soft_offset_o,  // signed
    output mask_t                flash_codewords_o,

    input logic flash_answer_valid_i,
    input tag_t flash_answer_tag_i,
    input logic flash_answer_ok_i,

    output logic             decode_valid_o,
    input  logic             decode_ready_i,
    output tag_t             decode_tag_o,
    output decode_op_e       decode_op_o,
    output logic       [1:0] decode_level_o,
    output logic       [7:0] decode_max_iterations_o,
    output llr_t             decode_llr_o,
    output mask_t            decode_codewords_o,

    input logic     verdict_valid_i,
    input verdict_t verdict_i,

    output logic    result_valid_o,
    input  logic    result_ready_i,
    output code_e   result_code_o,
    output mask_t   result_failed_o,
    output status_t result_status_o,

    output logic       ort_write_o,
    output ort_entry_t ort_new_o,
    input  ort_entry_t ort_entry_i,

    output request_t current_o,  // the read under way
    output state_e   state_o,
    output event_t   events_o
);
  logic unused_verdict;  // some of it is for the counters
  assign unused_verdict = ^verdict_i;

  state_e state_d, state_q;
  logic sent_d, sent_q;  // the state's command was taken
  logic aborting_d, aborting_q;
  logic changed_d, changed_q;  // references: a RESTORE is due
  code_e code_d, code_q;
  mask_t pending_d, pending_q;  // pending without data
  mask_t awaited_d, awaited_q;  // verdicts
  mask_t failed_d, failed_q;  // failed codewords of this decoding
  decode_op_e decoding_d, decoding_q;  // which one CRC judges
  ort_entry_t entry_d, entry_q;
  logic first_from_ort_d, first_from_ort_q;
  logic [Steps-1:0] tried_d, tried_q;
  logic [4:0] retries_d, retries_q;
  step_t step_d, step_q;  // step of the last hard read
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
    flash_valid_o = 1'b0;
    decode_valid_o = 1'b0;
    awaits_flash = 1'b0;
    awaits_verdict = 1'b0;
    unique case (state_q)
      StIssueRead: flash_valid_o = 1'b1;
      StWaitData: awaits_flash = 1'b1;
      StSetFeature, StSoftRead, StRestoreFeature: begin
        flash_valid_o = !sent_q;
        awaits_flash = sent_q;
      end
      StSoftSetup: begin
        flash_valid_o = !sent_q && set_step_q != best_step_q;
        awaits_flash = sent_q;
      end
      StT1, StT2H, StT2S: begin
        decode_valid_o = !sent_q;
        awaits_verdict = sent_q;
      end
      StLlrLoad: decode_valid_o = 1'b1;
      default: ;
    endcase
  end

  assign aborting = aborting_q || abort_i;
  assign flash_answer = flash_answer_valid_i && awaits_flash && flash_answer_tag_i == flash_tag_q - 1'b1;
  assign verdict_now = verdict_valid_i && awaits_verdict && verdict_i.tag == decode_tag_q - 1'b1;

  logic waiting, progress;
  logic [31:0] limit;
  assign limit = awaits_verdict || decode_valid_o ? settings_i.decode_timeout : settings_i.flash_timeout;
  assign waiting = awaits_flash || awaits_verdict || flash_valid_o || decode_valid_o;
  assign progress =
      flash_answer || verdict_now || (flash_valid_o && flash_ready_i) || (decode_valid_o && decode_ready_i);
  assign timer_d = !waiting || progress || timed_out ? '0 : timer_q == '1 ? timer_q : timer_q + 1'b1;
  assign timed_out = (awaits_flash || awaits_verdict) && !progress && limit != '0 && timer_q >= limit - 1'b1;

  // ---- commands ----

  step_t final_step;
  assign final_step = level_q == '0 ? step_q : best_step_q;

  assign flash_tag_o = flash_tag_q;
  assign decode_tag_o = decode_tag_q;

  read_retry_commands u_commands (
      .state_i(state_q), .settings_i, .pending_i(pending_q), .step_i(step_q), .best_step_i(best_step_q),
      .level_i(level_q), .soft_read_i(soft_read_q),
      .flash_op_o, .flash_step_o, .flash_soft_read_o, .flash_soft_offset_o, .flash_codewords_o,
      .decode_op_o, .decode_level_o, .decode_max_iterations_o, .decode_llr_o, .decode_codewords_o);

  // ---- verdicts ----

  logic forced, ok, corrupted, good;
  way_e way;
  assign forced = (state_q == StT1 && settings_i.force_t1_fail) || (state_q == StT2H && settings_i.force_t2h_fail) ||
      (state_q == StT2S && settings_i.force_t2s_fail) || (state_q != StT2S && retries_q < settings_i.force_steps);
  assign ok = verdict_i.ok && !forced;
  assign corrupted = ok && verdict_i.crc_ok && settings_i.corrupt_crc && !history_q.crc_corrupted;
  assign good = ok && verdict_i.crc_ok && !corrupted;

  always_comb begin
    unique case (state_q)
      StT1: way = WayT1;
      StT2H: way = WayT2H;
      default: way = level_q == 2'd1 ? WayThreeReads : WaySevenReads;
    endcase
  end

  // ---- steps ----

  logic any_step;
  step_t next_step;
  retry_step_picker u_picker (
      .tried_i(tried_q), .last_step_i(settings_i.last_step),
      .from_i(entry_q.valid ? in_table(entry_q.step, settings_i.last_step) : step_t'(1)),
      .default_first_i(first_from_ort_q), .any_o(any_step), .step_o(next_step));

  logic lighter;
  assign lighter = best_q.codewords == '0 ||
      {8'd0, scale_q.weight} * {19'd0, best_q.codewords} < {8'd0, best_q.weight} * {19'd0, scale_q.codewords};

  function automatic step_t in_table(input step_t step, input step_t last);
    in_table = step > last ? last : step;  // the table may have become shorter
  endfunction

  ort_entry_t looked_up;
  step_t first_step;
  logic from_ort;
  assign looked_up = settings_i.ort_enable ? ort_entry_i : '0;
  assign first_step = in_table(looked_up.step, settings_i.last_step);
  assign from_ort = looked_up.valid && settings_i.ort_first && !request_q.sensed && first_step != '0;

  assign ort_new_o = '{valid: 1'b1, step: final_step, level: level_q};
  assign ort_write_o = state_q == StUpdateOrt && settings_i.ort_enable && settings_i.ort_update &&
      (retries_q != '0 || level_q != '0) && ort_new_o != entry_q;

  // ---- next state ----

  always_comb begin
    automatic logic enter = 1'b0;  // another state, or the same one anew
    automatic logic leave = 1'b0;
    automatic logic decode = 1'b0;  // enters a decoding state

    state_d = state_q;
    sent_d = sent_q;
    aborting_d = aborting && state_q != StIdle;
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
    events_o = '0;
    events_o.way = way;
    events_o.stale = {flash_answer_valid_i && !flash_answer, verdict_valid_i && !verdict_now};
    events_o.stalled = ((flash_valid_o && !flash_ready_i) || (decode_valid_o && !decode_ready_i)) && limit != '0 &&
        timer_q == limit - 1'b1;

    if (flash_valid_o && flash_ready_i) begin
      sent_d = 1'b1;
      flash_tag_d = flash_tag_q + 1'b1;
      // Even when it fails, the die may have taken it.
      if (state_q != StIssueRead && state_q != StRestoreFeature) changed_d = 1'b1;
      if (state_q == StSetFeature || state_q == StSoftSetup) set_step_d = flash_step_o;
    end
    if (decode_valid_o && decode_ready_i) begin
      sent_d = 1'b1;
      decode_tag_d = decode_tag_q + 1'b1;
    end

    unique case (state_q)
      StIdle:
      if (request_valid_i) begin
        request_d = request_i;
        pending_d = request_i.codewords;
        changed_d = 1'b0;
        code_d = CodeOk;
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
        state_d = StLookupOrt;
        enter = 1'b1;
      end

      StLookupOrt:
      if (aborting) begin
        code_d = CodeAborted;
        leave = 1'b1;
      end else begin
        entry_d = looked_up;
        history_d.ort_hit = looked_up.valid;
        first_from_ort_d = from_ort;
        step_d = from_ort ? first_step : '0;
        tried_d[step_d] = 1'b1;
        state_d = request_q.sensed ? StNextRetry : from_ort ? StSetFeature : StIssueRead;
        enter = 1'b1;
      end

      StIssueRead:
      if (flash_ready_i) begin
        state_d = StWaitData;
        enter = 1'b1;
      end

      StWaitData, StSetFeature, StSoftSetup, StSoftRead:
      if (flash_answer) begin
        if (aborting || !flash_answer_ok_i) begin
          code_d = aborting ? CodeAborted : CodeFlashError;
          leave = 1'b1;
        end else begin
          enter = 1'b1;
          unique case (state_q)
            StWaitData: begin
              state_d = StT1;
              decode = 1'b1;
            end
            StSetFeature: state_d = StIssueRead;
            StSoftSetup: state_d = StSoftRead;
            default: begin
              soft_read_d = soft_read_q + 1'b1;
              if (soft_read_q == (level_q == 2'd1 ? 3'd2 : 3'd6)) state_d = StLlrLoad;
            end
          endcase
        end
      end else if (timed_out) begin
        code_d = aborting ? CodeAborted : CodeTimeout;
        leave = 1'b1;
      end else if (state_q == StSoftSetup && !sent_q && set_step_q == best_step_q) begin
        // Nothing to set.
        if (aborting) begin
          code_d = CodeAborted;
          leave = 1'b1;
        end else begin
          state_d = StSoftRead;
          enter = 1'b1;
        end
      end

      StT1, StT2H, StT2S:
      if (verdict_now) begin
        awaited_d[verdict_i.codeword] = 1'b0;
        history_d.injected = history_q.injected || (verdict_i.ok && forced) || corrupted;
        history_d.crc_corrupted = history_q.crc_corrupted || corrupted;
        events_o.decoded = good;
        if (good) begin
          history_d.tiers[state_q == StT1 ? 0 : state_q == StT2H ? 1 : 2] = 1'b1;
        end else begin
          failed_d[verdict_i.codeword] = 1'b1;
          events_o.miscorrected = ok;
          history_d.miscorrected = history_q.miscorrected || ok;
          if (state_q == StT1) begin
            scale_d.weight = scale_q.weight + WeightBits'(verdict_i.weight);
            scale_d.codewords = scale_q.codewords + 1'b1;
          end
        end
        if (awaited_d == '0) begin
          decoding_d = decode_op_o;
          state_d = StCrc;
          enter = 1'b1;
        end
      end else if (timed_out) begin
        code_d = aborting ? CodeAborted : CodeTimeout;
        leave = 1'b1;
      end

      StCrc: begin
        pending_d = failed_q;
        enter = 1'b1;
        if (aborting) begin
          code_d = CodeAborted;
          leave = 1'b1;
        end else if (failed_q == '0) begin
          state_d = StUpdateOrt;
        end else if (decoding_q == DecodeOpT1) begin
          state_d = StT2H;
          decode = 1'b1;
        end else if (decoding_q == DecodeOpT2H) begin
          if (lighter) begin
            best_step_d = step_q;
            best_d = scale_q;
          end
          state_d = StNextRetry;
        end else if (level_q >= settings_i.max_soft || level_q == 2'd2) begin
          code_d = CodeUncorrectable;
          leave = 1'b1;
        end else begin
          level_d = 2'd2;
          soft_read_d = '0;
          state_d = StSoftSetup;
        end
      end

      StNextRetry: begin
        enter = 1'b1;
        if (aborting) begin
          code_d = CodeAborted;
          leave = 1'b1;
        end else if (any_step && 8'(retries_q) < settings_i.max_retries) begin
          step_d = next_step;
          tried_d[next_step] = 1'b1;
          retries_d = retries_q + 1'b1;
          events_o.retry = 1'b1;
          state_d = StSetFeature;
        end else if (settings_i.max_soft == '0) begin
          code_d = CodeUncorrectable;
          leave = 1'b1;
        end else begin
          level_d = 2'd1;
          soft_read_d = '0;
          state_d = StSoftSetup;
        end
      end

      StLlrLoad:
      if (decode_ready_i) begin
        if (aborting) begin
          code_d = CodeAborted;
          leave = 1'b1;
        end else begin
          state_d = StT2S;
          enter = 1'b1;
          decode = 1'b1;
        end
      end

      StUpdateOrt: begin
        history_d.ort_updated = ort_write_o;
        state_d = changed_q ? StRestoreFeature : StDone;
        enter = 1'b1;
      end

      StRestoreFeature:
      if (flash_answer || timed_out) begin
        history_d.restore_failed = timed_out || !flash_answer_ok_i;
        changed_d = 1'b0;
        state_d = code_q == CodeOk ? StDone : StFail;
        enter = 1'b1;
      end

      StDone, StFail:
      if (result_ready_i) begin
        events_o.result = 1'b1;
        state_d = StIdle;
        enter = 1'b1;
      end

      default: begin
        state_d = StIdle;
        enter = 1'b1;
      end
    endcase

    if (leave) begin
      state_d = changed_d ? StRestoreFeature : StFail;
      enter = 1'b1;
    end
    if (enter) sent_d = 1'b0;
    if (decode) begin
      awaited_d = pending_d;
      failed_d = '0;
      if (state_d == StT1) scale_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      sent_q <= 1'b0;
      aborting_q <= 1'b0;
      changed_q <= 1'b0;
      timer_q <= '0;
      flash_tag_q <= '0;
      decode_tag_q <= '0;
    end else begin
      state_q <= state_d;
      sent_q <= sent_d;
      aborting_q <= aborting_d;
      changed_q <= changed_d;
      timer_q <= timer_d;
      flash_tag_q <= flash_tag_d;
      decode_tag_q <= decode_tag_d;
    end
  end

  // No reset: what describes a read is written when the read is taken in StIdle, or in the state before the one that
  // uses it.
  always_ff @(posedge clk_i) begin
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
    request_q <= request_d;
    history_q <= history_d;
  end

  // ---- outputs ----

  assign request_ready_o = state_q == StIdle;
  assign result_valid_o = state_q == StDone || state_q == StFail;
  assign result_code_o = code_q;
  assign result_failed_o = pending_q;
  assign result_status_o = '{
      failed: 8'($countones(pending_q)), zero: '0, injected: history_q.injected, ort_updated: history_q.ort_updated,
      ort_hit: history_q.ort_hit, miscorrected: history_q.miscorrected, tiers: history_q.tiers, soft_level: level_q,
      step: final_step, retries: retries_q, restore_failed: history_q.restore_failed, code: code_q};
  assign current_o = request_q;
  assign state_o = state_q;

  // ---- assertions ----

  // Immediate assertions in the clock, which the prover reads, too (scripts/formal).
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      restored_before_the_end :
      assert (!(result_valid_o || state_q == StIdle) || !changed_q)
      else $error("read retry: a read ends with changed references");

      done_has_all_data :
      assert (state_q != StDone || (pending_q == '0 && code_q == CodeOk))
      else $error("read retry: DONE without all data");

      steps_are_tried_once :
      assert (!events_o.retry || !tried_q[next_step])
      else $error("read retry: a step is tried twice");

      request_wants_something :
      assert (!request_valid_i || request_i.codewords != '0)
      else $error("read retry: a request of no codewords");
    end
  end

endmodule
