// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/ecc/retry/read_retry.h"

namespace wordline::ecc {

/// One attempt of a read retry that firmware leads: what is left of the read-retry controller when its decisions are
/// firmware's. Calls, commands and answers are those of ReadRetry; so are the ways through the states:
///
///   level 0:  SET_FEATURE, ISSUE_READ, WAIT_DATA, T1, T2H
///   level 1, 2:  SOFT_SETUP, SOFT_READ three or seven times, LLR_LOAD, T2S
///
/// and, when all has been decoded or the attempt is the last, RESTORE_FEATURE. After another one the references stay as
/// they are: the next attempt sets its own, and whoever reads something else first sets them back.
///
/// Counters are those of ReadRetry: attempts of one read add up to what that counts. Sectors without data are counted by the
/// last attempt.
/// Gaps: no abort and no time-out, which are firmware's. Nothing of it is in rtl/.
class RetryAttempt {
 public:
  /// `ort` is not used: the table of optimal references is firmware's.
  RetryAttempt(const RetrySettings& settings, const OptimalReferences& ort, RetryCounters& counters)
      : settings_(settings), counters_(counters) {
    static_cast<void>(ort);
  }

  /// RetryRequest::attempt says what to do.
  void start(const RetryRequest& request);
  RetryAction next();
  void accept();
  void advance();
  void flash_done(bool ok);
  void verdict(const CodewordVerdict& verdict);
  void abort() {}
  RetryResult take_result();

  [[nodiscard]] RetryState state() const { return state_; }
  [[nodiscard]] bool idle() const { return state_ == RetryState::kIdle; }
  [[nodiscard]] bool internal() const { return state_ == RetryState::kCrc; }
  [[nodiscard]] FlashCommand flash_command() const;
  [[nodiscard]] DecodeCommand decode_command() const;

 private:
  [[nodiscard]] bool offers_flash() const;
  [[nodiscard]] bool offers_decode() const;
  void enter(RetryState state);
  void enter_decode(RetryState state);
  void leave(RetryCode code);

  const RetrySettings& settings_;
  RetryCounters& counters_;

  RetryRequest request_;
  RetryState state_ = RetryState::kIdle;
  bool sent_ = false;  // the state's command was taken
  RetryCode code_ = RetryCode::kOk;
  CodewordMask pending_;   // without data
  CodewordMask awaited_;   // verdicts
  RetryState decoding_ = RetryState::kIdle;
  unsigned soft_read_ = 0;
  AttemptReport report_;
};

}  // namespace wordline::ecc
