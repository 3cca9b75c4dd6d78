// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/read_retry.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wordline::ecc {
namespace {

[[noreturn]] void refuse(const char* call, RetryState state) {
  throw std::logic_error(std::string("read retry: ") + call + " in state " + to_string(state));
}

}  // namespace

int soft_position(unsigned read) {
  const int distance = static_cast<int>((read + 1) / 2);
  return read % 2 == 1 ? -distance : distance;
}

std::size_t iteration_bin(unsigned iterations) {
  if (iterations <= 1) return 0;
  if (iterations <= 4) return iterations - 1;
  if (iterations <= 6) return 4;
  if (iterations <= 8) return 5;
  return iterations <= 12 ? 6 : 7;
}

const char* to_string(RetryState state) {
  static constexpr std::array<const char*, 17> kNames{
      {"IDLE", "LOOKUP_ORT", "ISSUE_READ", "WAIT_DATA", "T1", "T2H", "CRC", "NEXT_RETRY", "SET_FEATURE", "SOFT_SETUP",
       "SOFT_READ", "LLR_LOAD", "T2S", "UPDATE_ORT", "RESTORE_FEATURE", "DONE", "FAIL"}};
  return kNames.at(static_cast<std::size_t>(state));
}

OptimalReferences::OptimalReferences(unsigned groups, unsigned layers)
    : groups_(groups), layers_(layers), entries_(std::size_t{groups} * layers) {
  if (entries_.empty()) throw std::invalid_argument("table of optimal references: needs a group and a layer");
}

std::size_t OptimalReferences::index(unsigned group, unsigned layer) const {
  if (group >= groups_ || layer >= layers_) {
    throw std::out_of_range("table of optimal references: no entry for group " + std::to_string(group) + ", layer " +
                            std::to_string(layer));
  }
  return std::size_t{group} * layers_ + layer;
}

void OptimalReferences::clear(unsigned group) {
  std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(index(group, 0)), layers_, Entry{});
}

// ---- calls --------------------------------------------------------------------------------------------------------

void ReadRetry::start(const RetryRequest& request) {
  if (state_ != RetryState::kIdle) refuse("start", state_);
  if (request.codewords.none()) throw std::invalid_argument("read retry: a read of no codewords");
  request_ = request;
  pending_ = request.codewords;
  aborting_ = changed_ = first_from_ort_ = crc_corrupted_ = false;
  code_ = RetryCode::kOk;
  tried_ = 0;
  retries_ = step_ = set_step_ = best_step_ = best_weight_ = best_weighed_ = level_ = soft_read_ = tiers_ = 0;
  flags_ = 0;
  enter(RetryState::kLookupOrt);
}

RetryAction ReadRetry::next() {
  while (internal()) advance();
  if (offers_flash()) return RetryAction::kFlash;
  if (offers_decode()) return RetryAction::kDecode;
  return state_ == RetryState::kDone || state_ == RetryState::kFail ? RetryAction::kResult : RetryAction::kNothing;
}

void ReadRetry::abort() {
  if (state_ != RetryState::kIdle) aborting_ = true;
}

bool ReadRetry::internal() const {
  switch (state_) {
    case RetryState::kLookupOrt:
    case RetryState::kCrc:
    case RetryState::kNextRetry:
    case RetryState::kUpdateOrt:
      return true;
    case RetryState::kSoftSetup:
      return set_step_ == best_step_ && !sent_;
    default:
      return false;
  }
}

bool ReadRetry::offers_flash() const {
  switch (state_) {
    case RetryState::kIssueRead:
    case RetryState::kSetFeature:
    case RetryState::kSoftRead:
    case RetryState::kRestoreFeature:
      return !sent_;
    case RetryState::kSoftSetup:
      return !sent_ && set_step_ != best_step_;
    default:
      return false;
  }
}

bool ReadRetry::awaits_flash() const {
  switch (state_) {
    case RetryState::kWaitData:
      return true;
    case RetryState::kSetFeature:
    case RetryState::kSoftSetup:
    case RetryState::kSoftRead:
    case RetryState::kRestoreFeature:
      return sent_;
    default:
      return false;
  }
}

bool ReadRetry::offers_decode() const {
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

bool ReadRetry::awaits_verdict() const {
  return sent_ && (state_ == RetryState::kT1 || state_ == RetryState::kT2H || state_ == RetryState::kT2S);
}

FlashCommand ReadRetry::flash_command() const {
  FlashCommand command;
  switch (state_) {
    case RetryState::kIssueRead:
    case RetryState::kWaitData:
      command.op = FlashOp::kRead;
      command.step = step_;
      command.codewords = pending_;
      break;
    case RetryState::kSetFeature:
    case RetryState::kSoftSetup:
      command.op = FlashOp::kSetVref;
      command.step = state_ == RetryState::kSetFeature ? step_ : best_step_;
      command.offsets = settings_.table[command.step];
      break;
    case RetryState::kSoftRead:
      command.op = FlashOp::kSoftRead;
      command.step = best_step_;
      command.soft_read = soft_read_;
      command.soft_offset = soft_position(soft_read_) * settings_.soft_delta[level_ - 1];
      command.codewords = pending_;
      break;
    case RetryState::kRestoreFeature:
      command.op = FlashOp::kRestore;
      break;
    default:
      refuse("flash_command", state_);
  }
  return command;
}

DecodeCommand ReadRetry::decode_command() const {
  DecodeCommand command;
  command.level = level_;
  command.codewords = pending_;
  switch (state_) {
    case RetryState::kT1:
      command.op = DecodeOp::kT1;
      command.max_iterations = settings_.t1_iterations;
      break;
    case RetryState::kT2H:
      command.op = DecodeOp::kT2H;
      command.llr = settings_.llr[0];
      command.max_iterations = settings_.t2_iterations;
      break;
    case RetryState::kT2S:
      command.op = DecodeOp::kT2S;
      command.max_iterations = settings_.t2_iterations;
      break;
    case RetryState::kLlrLoad:
      command.op = DecodeOp::kLoadLlr;
      command.llr = settings_.llr[level_];
      command.codewords.reset();
      break;
    default:
      refuse("decode_command", state_);
  }
  return command;
}

void ReadRetry::accept() {
  if (!offers_flash() && !offers_decode()) refuse("accept", state_);
  switch (state_) {
    case RetryState::kIssueRead:
      enter(RetryState::kWaitData);
      return;
    case RetryState::kLlrLoad:
      if (aborting_) return leave(RetryCode::kAborted);
      enter_decode(RetryState::kT2S);
      return;
    case RetryState::kSetFeature:
      set_step_ = step_;
      changed_ = true;
      break;
    case RetryState::kSoftSetup:
      set_step_ = best_step_;
      changed_ = true;
      break;
    case RetryState::kSoftRead:
      changed_ = true;
      break;
    default:
      break;
  }
  sent_ = true;
}

void ReadRetry::flash_done(bool ok) {
  if (!awaits_flash()) refuse("flash_done", state_);
  if (state_ == RetryState::kRestoreFeature) {
    if (!ok) flags_ |= retry_status::kRestoreFailed;
    changed_ = false;
    enter(code_ == RetryCode::kOk ? RetryState::kDone : RetryState::kFail);
    return;
  }
  if (aborting_) return leave(RetryCode::kAborted);
  if (!ok) return leave(RetryCode::kFlashError);
  switch (state_) {
    case RetryState::kSetFeature:
      enter(RetryState::kIssueRead);
      break;
    case RetryState::kWaitData:
      enter_decode(RetryState::kT1);
      break;
    case RetryState::kSoftSetup:
      enter(RetryState::kSoftRead);
      break;
    default:  // kSoftRead
      ++soft_read_;
      enter(soft_read_ < kSoftReads[level_] ? RetryState::kSoftRead : RetryState::kLlrLoad);
      break;
  }
}

void ReadRetry::verdict(const CodewordVerdict& verdict) {
  if (!awaits_verdict()) refuse("verdict", state_);
  if (verdict.codeword >= kRetryCodewords || !awaited_[verdict.codeword]) {
    throw std::invalid_argument("read retry: a verdict on codeword " + std::to_string(verdict.codeword) +
                                ", which was not asked for");
  }
  awaited_.reset(verdict.codeword);
  const bool hard = state_ != RetryState::kT2S;
  const bool forced = (state_ == RetryState::kT1 && settings_.force_t1_fail) ||
                      (state_ == RetryState::kT2H && settings_.force_t2h_fail) ||
                      (state_ == RetryState::kT2S && settings_.force_t2s_fail) ||
                      (hard && retries_ < settings_.force_steps);
  const bool ok = verdict.ok && !forced;
  const bool corrupted = ok && verdict.crc_ok && settings_.corrupt_crc && !crc_corrupted_;
  const bool good = ok && verdict.crc_ok && !corrupted;
  if ((verdict.ok && forced) || corrupted) flags_ |= retry_status::kInjected;
  crc_corrupted_ |= corrupted;
  if (good) {
    const std::size_t way = state_ == RetryState::kT1 ? 0 : state_ == RetryState::kT2H ? 1 : 1 + level_;
    ++counters_.codewords[way];
    counters_.corrected_bits += verdict.corrected;
    auto& histogram = state_ == RetryState::kT1 ? counters_.t1_iterations : counters_.t2_iterations;
    ++histogram[iteration_bin(verdict.iterations)];
    tiers_ |= 1U << std::min<std::size_t>(way, 2);
  } else {
    failed_.set(verdict.codeword);
    if (ok) {
      ++counters_.miscorrections;
      flags_ |= retry_status::kMiscorrected;
    }
    if (state_ == RetryState::kT1) {
      weight_ += std::min(verdict.weight, kMaxSyndromeWeight);
      ++weighed_;
    }
  }
  if (awaited_.none()) {
    decoding_ = state_;
    enter(RetryState::kCrc);
  }
}

void ReadRetry::time_out() {
  if (state_ == RetryState::kRestoreFeature && sent_) {
    flags_ |= retry_status::kRestoreFailed;
    changed_ = false;
    enter(code_ == RetryCode::kOk ? RetryState::kDone : RetryState::kFail);
    return;
  }
  if (!awaits_flash() && !awaits_verdict()) refuse("time_out", state_);
  leave(aborting_ ? RetryCode::kAborted : RetryCode::kTimeout);
}

RetryResult ReadRetry::result() const {
  if (state_ != RetryState::kDone && state_ != RetryState::kFail) refuse("result", state_);
  namespace s = retry_status;
  const std::uint32_t status = flags_ | static_cast<std::uint32_t>(code_) << s::kCodeShift |
                               retries_ << s::kRetriesShift | final_step() << s::kStepShift |
                               level_ << s::kSoftShift | tiers_ << s::kTiersShift |
                               static_cast<std::uint32_t>(pending_.count()) << s::kFailedShift;
  return {request_.tag, code_, pending_, status, {}};
}

RetryResult ReadRetry::take_result() {
  const RetryResult taken = result();
  if (code_ == RetryCode::kOk || code_ == RetryCode::kUncorrectable) count_sectors();
  enter(RetryState::kIdle);
  return taken;
}

// ---- states -------------------------------------------------------------------------------------------------------

void ReadRetry::enter(RetryState state) {
  state_ = state;
  sent_ = false;
}

void ReadRetry::enter_decode(RetryState state) {
  awaited_ = pending_;
  failed_.reset();
  if (state == RetryState::kT1) weight_ = weighed_ = 0;
  enter(state);
}

void ReadRetry::leave(RetryCode code) {
  code_ = code;
  enter(changed_ ? RetryState::kRestoreFeature : RetryState::kFail);
}

void ReadRetry::advance() {
  if (!internal()) refuse("advance", state_);
  if (aborting_ && state_ != RetryState::kUpdateOrt) {
    if (state_ == RetryState::kCrc) pending_ = failed_;
    return leave(RetryCode::kAborted);
  }
  switch (state_) {
    case RetryState::kLookupOrt:
      return look_up();
    case RetryState::kCrc:
      return judge();
    case RetryState::kNextRetry:
      return next_retry();
    case RetryState::kSoftSetup:
      return enter(RetryState::kSoftRead);
    default:
      return update_ort();
  }
}

void ReadRetry::look_up() {
  entry_ = settings_.ort_enable ? ort_.at(request_.group, request_.layer) : OptimalReferences::Entry{};
  if (entry_.valid) flags_ |= retry_status::kOrtHit;
  const bool from_ort = entry_.valid && settings_.ort_first && !request_.sensed && entry_step() != 0;
  first_from_ort_ = from_ort;
  step_ = from_ort ? entry_step() : 0;
  tried_ = static_cast<std::uint16_t>(1U << step_);
  enter(request_.sensed ? RetryState::kNextRetry : from_ort ? RetryState::kSetFeature : RetryState::kIssueRead);
}

void ReadRetry::judge() {
  pending_ = failed_;
  if (pending_.none()) return enter(RetryState::kUpdateOrt);
  switch (decoding_) {
    case RetryState::kT1:
      return enter_decode(RetryState::kT2H);
    case RetryState::kT2H:
      note_weight();
      return enter(RetryState::kNextRetry);
    default:  // kT2S
      if (level_ >= settings_.max_soft || level_ >= kSoftLevels) return leave(RetryCode::kUncorrectable);
      ++level_;
      soft_read_ = 0;
      return enter(RetryState::kSoftSetup);
  }
}

void ReadRetry::note_weight() {
  // Means compared without dividing.
  const bool better =
      best_weighed_ == 0 || std::uint64_t{weight_} * best_weighed_ < std::uint64_t{best_weight_} * weighed_;
  if (!better) return;
  best_step_ = step_;
  best_weight_ = weight_;
  best_weighed_ = weighed_;
}

unsigned ReadRetry::entry_step() const { return std::min<unsigned>(entry_.step, settings_.last_step); }

int ReadRetry::next_step() const {
  const auto untried = [&](int step) {
    return step >= 0 && step <= static_cast<int>(settings_.last_step) && (tried_ >> step & 1U) == 0;
  };
  if (first_from_ort_ && untried(0)) return 0;
  const int from = entry_.valid ? static_cast<int>(entry_step()) : 1;
  for (int distance = 0; distance < static_cast<int>(kRetryTableSteps); ++distance) {
    if (untried(from + distance)) return from + distance;
    if (untried(from - distance)) return from - distance;
  }
  return -1;
}

void ReadRetry::next_retry() {
  const int step = next_step();
  if (step >= 0 && retries_ < settings_.max_retries) {
    step_ = static_cast<unsigned>(step);
    tried_ = static_cast<std::uint16_t>(tried_ | 1U << step);
    ++retries_;
    ++counters_.retries;
    return enter(RetryState::kSetFeature);
  }
  if (settings_.max_soft == 0) return leave(RetryCode::kUncorrectable);
  level_ = 1;
  soft_read_ = 0;
  enter(RetryState::kSoftSetup);
}

void ReadRetry::update_ort() {
  const OptimalReferences::Entry entry{true, static_cast<std::uint8_t>(final_step()),
                                       static_cast<std::uint8_t>(level_)};
  if (settings_.ort_enable && settings_.ort_update && (retries_ != 0 || level_ != 0) && !(entry == entry_)) {
    ort_.set(request_.group, request_.layer, entry);
    flags_ |= retry_status::kOrtUpdated;
  }
  enter(changed_ ? RetryState::kRestoreFeature : RetryState::kDone);
}

void ReadRetry::count_sectors() {
  for (unsigned c = 0; c < kRetryCodewords; c += 2) {
    if (!request_.codewords[c] && !request_.codewords[c + 1]) continue;
    ++(pending_[c] || pending_[c + 1] ? counters_.uncorrectable_sectors : counters_.decoded_sectors);
  }
}

}  // namespace wordline::ecc
