// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// One attempt of a read retry that firmware controls: the read-retry controller without its decisions. Calls, commands
/// and answers are those of ReadRetry; so are the ways through the states:
///
///   level 0:  SET_FEATURE, ISSUE_READ, WAIT_DATA, T1, T2H
///   others:  SOFT_SETUP, SOFT_READ two, three, five or seven times, LLR_LOAD, T2S
///
/// and, when all has been decoded or the attempt is the last, RESTORE_FEATURE. After another one the references stay as
/// they are: the next attempt sets its own, and a read in between has to set them back first.
///
/// Counters are those of ReadRetry: attempts of one read add up to what that counts. Logical pages without data are
/// counted by the last attempt.
/// Gaps: no abort, no time-out, no table of optimal references: they are firmware's. Nothing of it is in rtl/.
#pragma once

#include "models/ecc/retry/codeword_tracking.h"
#include "models/ecc/retry/optimal_references.h"
#include "models/ecc/retry/retry_commands.h"
#include "models/ecc/retry/retry_counters.h"
#include "models/ecc/retry/retry_messages.h"
#include "models/ecc/retry/retry_settings.h"
#include "models/ecc/retry/retry_state.h"
#include "models/ecc/retry/soft_sensing.h"

namespace wordline::ecc {

class RetryAttempt {
 public:
  /// Settings and counters may be shared and must outlive the object. The table is not used: it is firmware's.
  RetryAttempt(const RetrySettings& settings, const OptimalReferences& /*ort*/, RetryCounters& counters)
      : settings_(settings), counters_(counters) {}

  /// RetryRequest::attempt says what to do.
  void start(const RetryRequest& request);
  RetryAction next() { return run_to_action(*this); }
  void accept();
  void advance();
  void flash_done(bool ok);
  void verdict(const CodewordVerdict& verdict);
  void abort() {}
  RetryResult take_result();

  [[nodiscard]] RetryState state() const { return phase_.state(); }
  [[nodiscard]] bool idle() const { return phase_.idle(); }
  [[nodiscard]] bool internal() const { return phase_.internal(); }
  [[nodiscard]] bool offers_flash() const { return phase_.offers_flash(); }
  [[nodiscard]] bool offers_decode() const { return phase_.offers_decode(); }
  [[nodiscard]] FlashCommand flash_command() const { return ecc::flash_command(phase_, context()); }
  [[nodiscard]] DecodeCommand decode_command() const { return ecc::decode_command(phase_, context()); }

 private:
  void enter_decode(RetryState state);
  void leave(RetryCode code);
  [[nodiscard]] CommandContext context() const;

  static constexpr const char* kName = "attempt of a read retry";

  const RetrySettings& settings_;
  RetryCounters& counters_;

  RetryRequest request_;
  RetryPhase phase_{kName};
  RetryState decoding_ = RetryState::kIdle;  // which one the CRC state judges
  CodewordTracking codewords_{kName};
  SoftReads soft_;
  RetryCode code_ = RetryCode::kOk;
  AttemptReport report_;
};

}  // namespace wordline::ecc
