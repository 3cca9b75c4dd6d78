// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_state.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace wordline::ecc {
namespace {

constexpr RetryStateRow row(FlashOp op, bool offers, bool answered) { return {op, {}, offers, answered, false}; }
constexpr RetryStateRow row(DecodeOp op, bool offers, bool answered) { return {{}, op, offers, answered, false}; }

/// The command is offered, taken, and answered, all in one state.
template <class Op>
constexpr RetryStateRow offer_and_wait(Op op) {
  return row(op, true, true);
}
/// Ends when the command is taken.
template <class Op>
constexpr RetryStateRow offer(Op op) {
  return row(op, true, false);
}
/// The command was taken in the state before.
template <class Op>
constexpr RetryStateRow wait_for(Op op) {
  return row(op, false, true);
}
constexpr RetryStateRow kRest{{}, {}, false, false, false};
constexpr RetryStateRow kInternal{{}, {}, false, false, true};

// clang-format off
constexpr std::array<RetryStateRow, kRetryStates> kRows{{
    kRest,                                 // kIdle
    kInternal,                             // kLookupOrt
    offer(FlashOp::kRead),                 // kIssueRead
    wait_for(FlashOp::kRead),              // kWaitData
    offer_and_wait(DecodeOp::kT1),         // kT1
    offer_and_wait(DecodeOp::kT2H),        // kT2H
    kInternal,                             // kCrc
    kInternal,                             // kNextRetry
    offer_and_wait(FlashOp::kSetVref),     // kSetFeature
    offer_and_wait(FlashOp::kSetVref),     // kSoftSetup
    offer_and_wait(FlashOp::kSoftRead),    // kSoftRead
    offer(DecodeOp::kLoadLlr),             // kLlrLoad
    offer_and_wait(DecodeOp::kT2S),        // kT2S
    kInternal,                             // kUpdateOrt
    offer_and_wait(FlashOp::kRestore),     // kRestoreFeature
    kRest,                                 // kDone
    kRest,                                 // kFail
}};
// clang-format on

}  // namespace

const RetryStateRow& row_of(RetryState state) { return kRows.at(static_cast<std::size_t>(state)); }

std::initializer_list<std::string_view> retry_state_names() {
  static const std::initializer_list<std::string_view> kNames{
      "IDLE", "LOOKUP_ORT", "ISSUE_READ",      "WAIT_DATA",  "T1",        "T2H",
      "CRC",  "NEXT_RETRY", "SET_FEATURE",     "SOFT_SETUP", "SOFT_READ", "LLR_LOAD",
      "T2S",  "UPDATE_ORT", "RESTORE_FEATURE", "DONE",       "FAIL"};
  return kNames;
}

const char* to_string(RetryState state) {
  const auto number = static_cast<std::size_t>(state);
  return number < kRetryStates ? retry_state_names().begin()[number].data() : "?";
}

DecodeWay decode_way(RetryState decoding, unsigned level) {
  if (decoding == RetryState::kT1) return DecodeWay::kT1;
  if (decoding == RetryState::kT2H) return DecodeWay::kT2H;
  return level == 1 ? DecodeWay::kThreeReads : DecodeWay::kSevenReads;
}

void RetryPhase::refuse(const char* call) const {
  throw std::logic_error(fmt::format("{}: {} in state {}", owner_, call, to_string(state_)));
}

}  // namespace wordline::ecc
