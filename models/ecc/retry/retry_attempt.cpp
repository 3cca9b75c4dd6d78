// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_attempt.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wordline::ecc {
namespace {

[[noreturn]] void refuse(const char* call, RetryState state) {
  throw std::logic_error(std::string("attempt of a read retry: ") + call + " in state " + to_string(state));
}

}  // namespace

void RetryAttempt::start(const RetryRequest& request) {
  if (!idle()) refuse("start", state_);
  if (request.codewords.none()) throw std::invalid_argument("attempt of a read retry: a read of no codewords");
  if (request.attempt.step >= kRetryTableSteps || request.attempt.level > kSoftLevels) {
    throw std::invalid_argument("attempt of a read retry: step " + std::to_string(request.attempt.step) + ", level " +
                                std::to_string(request.attempt.level));
  }
  request_ = request;
  pending_ = request.codewords;
  code_ = RetryCode::kOk;
  soft_read_ = 0;
  report_ = {};
  const bool hard = request.attempt.level == 0;
  if (hard && request.attempt.retries != 0) ++counters_.retries;
  enter(hard ? RetryState::kSetFeature : RetryState::kSoftSetup);
}

RetryAction RetryAttempt::next() {
  while (internal()) advance();
  if (offers_flash()) return RetryAction::kFlash;
  if (offers_decode()) return RetryAction::kDecode;
  return state_ == RetryState::kDone || state_ == RetryState::kFail ? RetryAction::kResult : RetryAction::kNothing;
}

bool RetryAttempt::offers_flash() const {
  switch (state_) {
    case RetryState::kSetFeature:
    case RetryState::kIssueRead:
    case RetryState::kSoftSetup:
    case RetryState::kSoftRead:
    case RetryState::kRestoreFeature:
      return !sent_;
    default:
      return false;
  }
}

bool RetryAttempt::offers_decode() const {
  switch (state_) {
    case RetryState::kT1:
    case RetryState::kT2H:
    case RetryState::kT2S:
    case RetryState::kLlrLoad:
      return !sent_;
    default:
      return false;
  }
}

FlashCommand RetryAttempt::flash_command() const {
  FlashCommand command;
  command.step = request_.attempt.step;
  switch (state_) {
    case RetryState::kSetFeature:
    case RetryState::kSoftSetup:
      command.op = FlashOp::kSetVref;
      command.offsets = settings_.table[command.step];
      break;
    case RetryState::kIssueRead:
    case RetryState::kWaitData:
      command.op = FlashOp::kRead;
      command.codewords = pending_;
      break;
    case RetryState::kSoftRead:
      command.op = FlashOp::kSoftRead;
      command.soft_read = soft_read_;
      command.soft_offset = soft_position(soft_read_) * settings_.soft_delta[request_.attempt.level - 1U];
      command.codewords = pending_;
      break;
    case RetryState::kRestoreFeature:
      command.op = FlashOp::kRestore;
      command.step = 0;
      break;
    default:
      refuse("flash_command", state_);
  }
  return command;
}

DecodeCommand RetryAttempt::decode_command() const {
  DecodeCommand command;
  command.level = request_.attempt.level;
  command.codewords = pending_;
  command.max_iterations = state_ == RetryState::kT1 ? settings_.t1_iterations : settings_.t2_iterations;
  switch (state_) {
    case RetryState::kT1:
      command.op = DecodeOp::kT1;
      break;
    case RetryState::kT2H:
      command.op = DecodeOp::kT2H;
      command.llr = settings_.llr[0];
      break;
    case RetryState::kT2S:
      command.op = DecodeOp::kT2S;
      break;
    case RetryState::kLlrLoad:
      command.op = DecodeOp::kLoadLlr;
      command.llr = settings_.llr[command.level];
      command.codewords.reset();
      break;
    default:
      refuse("decode_command", state_);
  }
  return command;
}

void RetryAttempt::accept() {
  if (!offers_flash() && !offers_decode()) refuse("accept", state_);
  switch (state_) {
    case RetryState::kIssueRead:
      enter(RetryState::kWaitData);
      sent_ = true;
      return;
    case RetryState::kLlrLoad:
      return enter_decode(RetryState::kT2S);
    default:
      sent_ = true;
  }
}

void RetryAttempt::flash_done(bool ok) {
  switch (sent_ ? state_ : RetryState::kIdle) {
    case RetryState::kRestoreFeature:
      return enter(code_ == RetryCode::kOk ? RetryState::kDone : RetryState::kFail);
    case RetryState::kSetFeature:
      return ok ? enter(RetryState::kIssueRead) : leave(RetryCode::kFlashError);
    case RetryState::kWaitData:
      return ok ? enter_decode(RetryState::kT1) : leave(RetryCode::kFlashError);
    case RetryState::kSoftSetup:
      return ok ? enter(RetryState::kSoftRead) : leave(RetryCode::kFlashError);
    case RetryState::kSoftRead:
      if (!ok) return leave(RetryCode::kFlashError);
      ++soft_read_;
      return enter(soft_read_ < kSoftReads[request_.attempt.level] ? RetryState::kSoftRead : RetryState::kLlrLoad);
    default:
      refuse("flash_done", state_);
  }
}

void RetryAttempt::verdict(const CodewordVerdict& verdict) {
  const bool decodes = state_ == RetryState::kT1 || state_ == RetryState::kT2H || state_ == RetryState::kT2S;
  if (!decodes || !sent_) refuse("verdict", state_);
  if (verdict.codeword >= kRetryCodewords || !awaited_[verdict.codeword]) {
    throw std::invalid_argument("attempt of a read retry: a verdict on codeword " + std::to_string(verdict.codeword) +
                                ", which was not asked for");
  }
  awaited_.reset(verdict.codeword);
  if (verdict.ok && verdict.crc_ok) {
    const unsigned way = state_ == RetryState::kT1 ? 0U : state_ == RetryState::kT2H ? 1U : 1U + request_.attempt.level;
    ++counters_.codewords[way];
    counters_.corrected_bits += verdict.corrected;
    ++(way == 0 ? counters_.t1_iterations : counters_.t2_iterations)[iteration_bin(verdict.iterations)];
    report_.tiers |= 1U << std::min(way, 2U);
    pending_.reset(verdict.codeword);
  } else {
    if (verdict.ok) {
      ++counters_.miscorrections;
      report_.miscorrected = true;
    }
    if (state_ == RetryState::kT1) {
      report_.weight += std::min(verdict.weight, kMaxSyndromeWeight);
      ++report_.weighed;
    }
  }
  if (awaited_.none()) {
    decoding_ = state_;
    enter(RetryState::kCrc);
  }
}

void RetryAttempt::advance() {
  if (!internal()) refuse("advance", state_);
  if (pending_.none()) return leave(RetryCode::kOk);
  if (decoding_ == RetryState::kT1) return enter_decode(RetryState::kT2H);
  leave(RetryCode::kUncorrectable);
}

RetryResult RetryAttempt::take_result() {
  if (state_ != RetryState::kDone && state_ != RetryState::kFail) refuse("take_result", state_);
  for (unsigned c = 0; c < kRetryCodewords; c += 2) {
    if (!request_.codewords[c] && !request_.codewords[c + 1]) continue;
    const bool lost = pending_[c] || pending_[c + 1];
    if (!lost) ++counters_.decoded_sectors;
    if (lost && request_.attempt.last) ++counters_.uncorrectable_sectors;
  }
  enter(RetryState::kIdle);
  return {request_.tag, code_, pending_, 0, report_};
}

void RetryAttempt::enter(RetryState state) {
  state_ = state;
  sent_ = false;
}

void RetryAttempt::enter_decode(RetryState state) {
  awaited_ = pending_;
  enter(state);
}

void RetryAttempt::leave(RetryCode code) {
  code_ = code;
  enter(code == RetryCode::kOk || request_.attempt.last ? RetryState::kRestoreFeature : RetryState::kFail);
}

}  // namespace wordline::ecc
