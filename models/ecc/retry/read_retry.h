// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The read-retry controller without a clock: one read of one page, from the first sensing to data or to a report why
/// there are none. This text is the specification of rtl/read_retry; states, commands, results and counters are the
/// same. It moves no data, has no times (tlm/device/ecc/clocked_retry.h), and counts no time-outs: its owner says when
/// one is over.
///
/// Escalation: tier 1 on hard bits, tier 2 on the same bits (only the codewords that tier 1 left), then the same at
/// other steps of the retry table, then three reads as soft input of tier 2, then seven, then failure. Each stage takes
/// only the codewords that are still wrong. A decoded codeword whose CRC does not fit counts as wrong.
///
/// Order of steps: a read starts from step 0, or from the step in the table of optimal references (ORT) when
/// `ort_first` is set. When that was another step than 0, step 0 is the first retry: the entry may be older than the
/// data. Else the untried step nearest to the entry comes next (to step 1 when there is none), the higher one of two.
/// Soft reads are centred on the step with the least mean syndrome weight per codeword that tier 1 left, the earlier
/// one of two that are equal. All reads of a soft level are made; those of the level before are not used again.
///
/// The ORT (optimal_references.h) is written when a read needed more than its first sensing and succeeded.
///
/// A job may say where its read begins (RetryRequest::started): a step then stands for the table's entry and for
/// ort_first. So does the soft level of a job, or of an entry with `ort_levels`: the read begins with its soft reads
/// around the step. When these fail, all goes on as if nothing had been read, from step 0, which is no retry.
///
/// Every SET_VREF and every SOFT_READ makes a RESTORE due, also when it fails, times out or is aborted; a read ends
/// only after it. A RESTORE that fails is not repeated but reported (kRestoreFailed): the die's references are then
/// unknown.
///
/// A command that was given is never withdrawn: an abort takes effect when its answer (or its time-out) is there, and
/// has none from the moment on at which the outcome of the read is known.
///
/// Gaps: one read at a time in an object (a channel has one for each die); no search for references between the steps
/// of the table; offsets are in the die's own units; weights of one syndrome stand for a bit error rate.
#pragma once

#include "models/ecc/retry/codeword_tracking.h"
#include "models/ecc/retry/die_references.h"
#include "models/ecc/retry/injected_errors.h"
#include "models/ecc/retry/optimal_references.h"
#include "models/ecc/retry/retry_commands.h"
#include "models/ecc/retry/retry_counters.h"
#include "models/ecc/retry/retry_messages.h"
#include "models/ecc/retry/retry_settings.h"
#include "models/ecc/retry/retry_state.h"
#include "models/ecc/retry/soft_sensing.h"
#include "models/ecc/retry/step_order.h"

namespace wordline::ecc {

/// Two ways to use it. A model calls start(), then next(): kFlash and kDecode are done as flash_command() and
/// decode_command() say, after accept(); kNothing waits for flash_done(), verdict() or time_out(); kResult is fetched
/// by take_result(). A comparison with the RTL follows each clock: advance() in states that wait for nothing, accept()
/// when a command is taken, and so on. A call that does not fit the state throws std::logic_error.
class ReadRetry {
 public:
  /// All three may be shared and must outlive the object.
  ReadRetry(const RetrySettings& settings, OptimalReferences& ort, RetryCounters& counters)
      : settings_(settings), ort_(ort), counters_(counters) {}

  void start(const RetryRequest& request);
  /// Runs through the states that wait for nothing.
  RetryAction next() { return run_to_action(*this); }
  /// The command offered was taken. kLoadLlr has no answer: call next() again.
  void accept();

  void flash_done(bool ok);
  /// In any order of codewords.
  void verdict(const CodewordVerdict& verdict);
  void time_out();  ///< the answer awaited will not come
  void abort();     ///< any time
  /// In kDone and kFail; the object is then idle.
  RetryResult take_result();

  [[nodiscard]] RetryState state() const { return phase_.state(); }
  [[nodiscard]] bool idle() const { return phase_.idle(); }
  [[nodiscard]] bool offers_flash() const;                                     ///< a flash command waits to be taken
  [[nodiscard]] bool offers_decode() const { return phase_.offers_decode(); }  ///< a decoder command waits to be taken
  [[nodiscard]] bool awaits_flash() const { return phase_.awaits_flash(); }    ///< a flash command's answer is awaited
  [[nodiscard]] bool awaits_verdict() const { return phase_.awaits_verdict(); }
  [[nodiscard]] const CodewordMask& awaited() const { return codewords_.awaited(); }  ///< verdicts that are to come
  /// The command offered, or the one whose answer is awaited.
  [[nodiscard]] FlashCommand flash_command() const { return ecc::flash_command(phase_, context()); }
  [[nodiscard]] DecodeCommand decode_command() const { return ecc::decode_command(phase_, context()); }
  [[nodiscard]] RetryResult result() const;  ///< in kDone and kFail
  [[nodiscard]] const RetryRequest& request() const { return request_; }
  /// Something other than the default references may be set in the die.
  [[nodiscard]] bool references_changed() const { return references_.changed(); }
  [[nodiscard]] bool ort_updated() const { return (history_ & retry_status::kOrtUpdated) != 0; }  ///< by this read

  void advance();  ///< one step of a state that waits for nothing
  [[nodiscard]] bool internal() const;

 private:
  void enter_decode(RetryState state);
  void leave(RetryCode code);
  void look_up();
  void judge();
  void next_retry();
  void update_ort();
  void end_restore(bool ok);
  [[nodiscard]] CommandContext context() const;

  static constexpr const char* kName = "read retry";

  const RetrySettings& settings_;
  OptimalReferences& ort_;
  RetryCounters& counters_;

  RetryRequest request_;
  RetryPhase phase_{kName};
  RetryState decoding_ = RetryState::kIdle;  // which one the CRC state judges
  CodewordTracking codewords_{kName};
  StepOrder steps_{settings_};
  SoftCentre centre_;
  SoftReads soft_;
  DieReferences references_;
  InjectedErrors errors_{settings_};
  bool aborting_ = false;
  RetryCode code_ = RetryCode::kOk;
  std::uint32_t history_ = 0;  // bits of retry_status, the tiers included
};

}  // namespace wordline::ecc
