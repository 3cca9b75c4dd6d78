// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::ecc {

void RetryAttempt::start(const RetryRequest& request) {
  if (!phase_.idle()) phase_.refuse("start");
  const AttemptOrder& order = request.attempt;
  codewords_.start(request.codewords);
  if (order.step >= kRetryTableSteps || order.level > kAllSoftLevels) {
    throw std::invalid_argument(fmt::format("{}: step {}, level {}", kName, order.step, order.level));
  }
  request_ = request;
  code_ = RetryCode::kOk;
  soft_.begin_level(order.level);
  report_ = {};
  const bool hard = order.level == 0;
  if (hard && order.retries != 0) ++counters_.retries;
  phase_.enter(hard ? RetryState::kSetFeature : RetryState::kSoftSetup);
}

CommandContext RetryAttempt::context() const {
  return {settings_, codewords_.pending(), request_.attempt.step, request_.attempt.step, soft_};
}

void RetryAttempt::accept() {
  if (!offers_flash() && !offers_decode()) phase_.refuse("accept");
  switch (phase_.state()) {
    case RetryState::kIssueRead:
      return phase_.enter(RetryState::kWaitData);
    case RetryState::kLlrLoad:
      return enter_decode(RetryState::kT2S);
    default:
      return phase_.take();
  }
}

void RetryAttempt::flash_done(bool ok) {
  if (!phase_.awaits_flash()) phase_.refuse("flash_done");
  if (phase_.state() == RetryState::kRestoreFeature) {
    return phase_.enter(code_ == RetryCode::kOk ? RetryState::kDone : RetryState::kFail);
  }
  if (!ok) return leave(RetryCode::kFlashError);
  const bool more = phase_.state() == RetryState::kSoftRead && soft_.advance();
  const RetryState next = after_flash(phase_.state(), more);
  return next == RetryState::kT1 ? enter_decode(next) : phase_.enter(next);
}

void RetryAttempt::verdict(const CodewordVerdict& verdict) {
  if (!phase_.awaits_verdict()) phase_.refuse("verdict");
  codewords_.take_verdict(verdict.codeword);
  if (verdict.ok && verdict.crc_ok) {
    const DecodeWay way = decode_way(phase_.state(), soft_.level());
    counters_.count_decoded(way, verdict.iterations, verdict.corrected);
    report_.tiers |= tier_of(way);
  } else {
    codewords_.fail(verdict.codeword);
    if (verdict.ok) {
      ++counters_.miscorrections;
      report_.miscorrected = true;
    }
    if (phase_.state() == RetryState::kT1) {
      report_.weight += std::min(verdict.weight, kMaxSyndromeWeight);
      ++report_.weighed;
    }
  }
  if (codewords_.all_in()) {
    decoding_ = phase_.state();
    phase_.enter(RetryState::kCrc);
  }
}

void RetryAttempt::advance() {
  if (!internal()) phase_.refuse("advance");
  codewords_.end_decoding();
  if (codewords_.pending().none()) return leave(RetryCode::kOk);
  if (decoding_ == RetryState::kT1) return enter_decode(RetryState::kT2H);
  leave(RetryCode::kUncorrectable);
}

RetryResult RetryAttempt::take_result() {
  if (!phase_.ended()) phase_.refuse("take_result");
  counters_.count_lpages(request_.codewords, codewords_.pending(), request_.attempt.last);
  phase_.enter(RetryState::kIdle);
  return {request_.tag, code_, codewords_.pending(), 0, report_};
}

void RetryAttempt::enter_decode(RetryState state) {
  codewords_.begin_decoding();
  phase_.enter(state);
}

void RetryAttempt::leave(RetryCode code) {
  code_ = code;
  const bool restores = code == RetryCode::kOk || request_.attempt.last;
  phase_.enter(restores ? RetryState::kRestoreFeature : RetryState::kFail);
}

}  // namespace wordline::ecc
