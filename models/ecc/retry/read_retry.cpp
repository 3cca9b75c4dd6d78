// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/read_retry.h"

namespace wordline::ecc {
namespace {

/// Step of the last attempt: of the hard read, or the centre of the soft ones.
unsigned final_step(const StepOrder& steps, const SoftCentre& centre, const SoftReads& soft) {
  return soft.level() == 0 ? steps.step() : centre.step();
}

}  // namespace

// ---- calls --------------------------------------------------------------------------------------------------------

void ReadRetry::start(const RetryRequest& request) {
  if (!phase_.idle()) phase_.refuse("start");
  codewords_.start(request.codewords);
  request_ = request;
  steps_.start();
  centre_.start();
  soft_.start();
  references_.start();
  errors_.start();
  aborting_ = false;
  code_ = RetryCode::kOk;
  history_ = 0;
  phase_.enter(RetryState::kLookupOrt);
}

void ReadRetry::abort() {
  if (!phase_.idle()) aborting_ = true;
}

bool ReadRetry::offers_flash() const { return phase_.offers_flash() && !internal(); }

bool ReadRetry::internal() const {
  // Nothing to set: the soft reads are around the step that is set already.
  const bool is_set = phase_.state() == RetryState::kSoftSetup && !phase_.taken() && references_.at(centre_.step());
  return phase_.internal() || is_set;
}

CommandContext ReadRetry::context() const {
  return {settings_, codewords_.pending(), steps_.step(), centre_.step(), soft_};
}

void ReadRetry::accept() {
  if (!offers_flash() && !offers_decode()) phase_.refuse("accept");
  switch (phase_.state()) {
    case RetryState::kIssueRead:
      return phase_.enter(RetryState::kWaitData);
    case RetryState::kLlrLoad:
      return aborting_ ? leave(RetryCode::kAborted) : enter_decode(RetryState::kT2S);
    case RetryState::kSetFeature:
      references_.set(steps_.step());
      break;
    case RetryState::kSoftSetup:
      references_.set(centre_.step());
      break;
    case RetryState::kSoftRead:
      references_.move();
      break;
    default:
      break;
  }
  phase_.take();
}

void ReadRetry::flash_done(bool ok) {
  if (!awaits_flash()) phase_.refuse("flash_done");
  if (phase_.state() == RetryState::kRestoreFeature) return end_restore(ok);
  if (aborting_) return leave(RetryCode::kAborted);
  if (!ok) return leave(RetryCode::kFlashError);
  const bool more = phase_.state() == RetryState::kSoftRead && soft_.advance();
  const RetryState next = after_flash(phase_.state(), more);
  return next == RetryState::kT1 ? enter_decode(next) : phase_.enter(next);
}

void ReadRetry::verdict(const CodewordVerdict& verdict) {
  if (!awaits_verdict()) phase_.refuse("verdict");
  codewords_.take_verdict(verdict.codeword);
  const InjectedErrors::Judged judged = errors_.judge(verdict, phase_.state(), steps_.retries());
  if (judged.injected) history_ |= retry_status::kInjected;
  if (judged.good) {
    const DecodeWay way = decode_way(phase_.state(), soft_.level());
    counters_.count_decoded(way, verdict.iterations, verdict.corrected);
    history_ |= tier_of(way) << retry_status::kTiersShift;
  } else {
    codewords_.fail(verdict.codeword);
    if (judged.ok) {
      ++counters_.miscorrections;
      history_ |= retry_status::kMiscorrected;
    }
    if (phase_.state() == RetryState::kT1) centre_.weigh(verdict.weight);
  }
  if (codewords_.all_in()) {
    decoding_ = phase_.state();
    phase_.enter(RetryState::kCrc);
  }
}

void ReadRetry::time_out() {
  if (!awaits_flash() && !awaits_verdict()) phase_.refuse("time_out");
  if (phase_.state() == RetryState::kRestoreFeature) return end_restore(false);
  leave(aborting_ ? RetryCode::kAborted : RetryCode::kTimeout);
}

RetryResult ReadRetry::result() const {
  if (!phase_.ended()) phase_.refuse("result");
  namespace s = retry_status;
  const CodewordMask& failed = codewords_.pending();
  const unsigned step = final_step(steps_, centre_, soft_);
  const std::uint32_t status = history_ | static_cast<std::uint32_t>(code_) << s::kCodeShift |
                               steps_.retries() << s::kRetriesShift | step << s::kStepShift |
                               soft_.level() << s::kSoftShift |
                               static_cast<std::uint32_t>(failed.count()) << s::kFailedShift;
  return {request_.tag, code_, failed, status, {}};
}

RetryResult ReadRetry::take_result() {
  const RetryResult taken = result();
  if (code_ == RetryCode::kOk || code_ == RetryCode::kUncorrectable) {
    counters_.count_lpages(request_.codewords, taken.failed, true);
  }
  phase_.enter(RetryState::kIdle);
  return taken;
}

// ---- states -------------------------------------------------------------------------------------------------------

void ReadRetry::enter_decode(RetryState state) {
  codewords_.begin_decoding();
  if (state == RetryState::kT1) centre_.begin_step();
  phase_.enter(state);
}

void ReadRetry::leave(RetryCode code) {
  code_ = code;
  phase_.enter(references_.changed() ? RetryState::kRestoreFeature : RetryState::kFail);
}

void ReadRetry::end_restore(bool ok) {
  if (!ok) history_ |= retry_status::kRestoreFailed;
  references_.restore();
  phase_.enter(code_ == RetryCode::kOk ? RetryState::kDone : RetryState::kFail);
}

void ReadRetry::advance() {
  if (!internal()) phase_.refuse("advance");
  if (phase_.state() == RetryState::kCrc) codewords_.end_decoding();
  if (aborting_ && phase_.state() != RetryState::kUpdateOrt) return leave(RetryCode::kAborted);
  switch (phase_.state()) {
    case RetryState::kLookupOrt:
      return look_up();
    case RetryState::kCrc:
      return judge();
    case RetryState::kNextRetry:
      return next_retry();
    case RetryState::kSoftSetup:
      return phase_.enter(RetryState::kSoftRead);
    default:
      return update_ort();
  }
}

void ReadRetry::look_up() {
  OptimalReferences::Entry entry =
      settings_.ort_enable ? ort_.at(request_.group, request_.layer) : OptimalReferences::Entry{};
  const AttemptOrder& asked = request_.attempt;
  if (request_.started && asked.level == 0) entry = started_from(entry, asked.step);
  if (entry.valid) history_ |= retry_status::kOrtHit;
  steps_.look_up(entry, request_.sensed, request_.started || settings_.ort_first);
  const bool by_level = settings_.ort_first && settings_.ort_levels && !request_.started && !request_.sensed;
  const unsigned level = request_.started ? asked.level : by_level && entry.valid ? entry.level : 0U;
  if (level != 0) {
    centre_.probe(request_.started ? asked.step : entry.step);
    soft_.begin_level(level);
    return phase_.enter(RetryState::kSoftSetup);
  }
  phase_.enter(request_.sensed              ? RetryState::kNextRetry
               : steps_.starts_from_entry() ? RetryState::kSetFeature
                                            : RetryState::kIssueRead);
}

void ReadRetry::judge() {
  if (codewords_.pending().none()) return phase_.enter(RetryState::kUpdateOrt);
  switch (decoding_) {
    case RetryState::kT1:
      return enter_decode(RetryState::kT2H);
    case RetryState::kT2H:
      centre_.end_step(steps_.step());
      return phase_.enter(RetryState::kNextRetry);
    default:  // kT2S
      if (centre_.probing()) {
        centre_.probe_failed();
        soft_.start();
        steps_.start();
        steps_.look_up(steps_.entry(), true, false);
        return phase_.enter(RetryState::kSetFeature);
      }
      if (soft_.level() >= settings_.max_soft || soft_.level() >= kSoftLevels) return leave(RetryCode::kUncorrectable);
      soft_.begin_level(soft_.level() + 1);
      return phase_.enter(RetryState::kSoftSetup);
  }
}

void ReadRetry::next_retry() {
  if (steps_.advance()) {
    ++counters_.retries;
    return phase_.enter(RetryState::kSetFeature);
  }
  if (settings_.max_soft == 0) return leave(RetryCode::kUncorrectable);
  soft_.begin_level(1);
  phase_.enter(RetryState::kSoftSetup);
}

void ReadRetry::update_ort() {
  const unsigned step = final_step(steps_, centre_, soft_);
  const OptimalReferences::Entry entry{true, static_cast<std::uint8_t>(step), static_cast<std::uint8_t>(soft_.level())};
  const bool needed_more = !centre_.probing() && (steps_.retries() != 0 || soft_.level() != 0);
  if (settings_.ort_enable && settings_.ort_update && needed_more && !(entry == steps_.entry())) {
    ort_.set(request_.group, request_.layer, entry);
    history_ |= retry_status::kOrtUpdated;
  }
  phase_.enter(references_.changed() ? RetryState::kRestoreFeature : RetryState::kDone);
}

}  // namespace wordline::ecc
