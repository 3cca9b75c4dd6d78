// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The states of a read-retry controller, once for ReadRetry, RetryAttempt, the RTL's wrapper and waveforms: names,
/// which command belongs to a state, and whether that command is offered, or its answer awaited, in it. The transitions
/// between the states are in read_retry.h and retry_attempt.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "models/ecc/retry/retry_messages.h"

namespace wordline::ecc {

enum class RetryState : std::uint8_t {
  kIdle,
  kLookupOrt,
  kIssueRead,
  kWaitData,
  kT1,
  kT2H,
  kCrc,
  kNextRetry,
  kSetFeature,
  kSoftSetup,
  kSoftRead,
  kLlrLoad,
  kT2S,
  kUpdateOrt,
  kRestoreFeature,
  kDone,
  kFail,
};
inline constexpr std::size_t kRetryStates = 17;

[[nodiscard]] const char* to_string(RetryState state);
/// By number of the state, as a waveform shows them.
[[nodiscard]] std::initializer_list<std::string_view> retry_state_names();

/// What a controller does in a state.
struct RetryStateRow {
  std::optional<FlashOp> flash;    ///< command to the flash channel controller
  std::optional<DecodeOp> decode;  ///< command to the decoders
  bool offers = false;             ///< the command is offered in this state
  bool answered = false;           ///< the answer comes in this state: once the command was taken, or at once
  bool internal = false;           ///< waits for nothing
};

namespace retry_rows {

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
inline constexpr RetryStateRow kRest{{}, {}, false, false, false};
inline constexpr RetryStateRow kInternal{{}, {}, false, false, true};

// clang-format off
inline constexpr std::array<RetryStateRow, kRetryStates> kAll{{
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

}  // namespace retry_rows

[[nodiscard]] inline const RetryStateRow& row_of(RetryState state) {
  return retry_rows::kAll[static_cast<std::size_t>(state)];
}

/// What follows a flash command that went well in `state`. `more`: after a soft read, another one of its level follows.
[[nodiscard]] constexpr RetryState after_flash(RetryState state, bool more) {
  switch (state) {
    case RetryState::kSetFeature:
      return RetryState::kIssueRead;
    case RetryState::kWaitData:
      return RetryState::kT1;
    case RetryState::kSoftSetup:
      return RetryState::kSoftRead;
    default:  // kSoftRead
      return more ? RetryState::kSoftRead : RetryState::kLlrLoad;
  }
}

/// Way of a codeword that `decoding` (kT1, kT2H, kT2S) decodes, at soft level `level`.
[[nodiscard]] inline DecodeWay decode_way(RetryState decoding, unsigned level) {
  if (decoding == RetryState::kT1) return DecodeWay::kT1;
  if (decoding == RetryState::kT2H) return DecodeWay::kT2H;
  return kSoftReads[level] <= 3 ? DecodeWay::kThreeReads : DecodeWay::kSevenReads;
}

/// Where a read stands: its state, and whether the command of that state was taken.
class RetryPhase {
 public:
  /// `owner` opens the texts of refuse(); it outlives the object.
  explicit RetryPhase(const char* owner) : owner_(owner) {}

  void enter(RetryState state) {
    state_ = state;
    taken_ = false;
  }
  void take() { taken_ = true; }  ///< the command offered was taken, and is answered in this state

  [[nodiscard]] RetryState state() const { return state_; }
  [[nodiscard]] bool idle() const { return state_ == RetryState::kIdle; }
  [[nodiscard]] bool ended() const { return state_ == RetryState::kDone || state_ == RetryState::kFail; }
  [[nodiscard]] bool taken() const { return taken_; }
  [[nodiscard]] bool internal() const { return row_of(state_).internal; }
  [[nodiscard]] bool offers_flash() const { return row_of(state_).flash && row_of(state_).offers && !taken_; }
  [[nodiscard]] bool offers_decode() const { return row_of(state_).decode && row_of(state_).offers && !taken_; }
  [[nodiscard]] bool awaits_flash() const { return row_of(state_).flash && awaits_answer(); }
  [[nodiscard]] bool awaits_verdict() const { return row_of(state_).decode && awaits_answer(); }

  /// Throws std::logic_error: `call` does not fit the state.
  [[noreturn]] void refuse(const char* call) const;

 private:
  [[nodiscard]] bool awaits_answer() const { return row_of(state_).answered && (taken_ || !row_of(state_).offers); }

  const char* owner_;
  RetryState state_ = RetryState::kIdle;
  bool taken_ = false;
};

/// Lets a machine with the calls of ReadRetry run through the states that wait for nothing: what its owner does next.
template <class Machine>
RetryAction run_to_action(Machine& machine) {
  while (machine.internal()) machine.advance();
  if (machine.offers_flash()) return RetryAction::kFlash;
  if (machine.offers_decode()) return RetryAction::kDecode;
  const RetryState state = machine.state();
  return state == RetryState::kDone || state == RetryState::kFail ? RetryAction::kResult : RetryAction::kNothing;
}

}  // namespace wordline::ecc
