// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Errors made on purpose in the verdicts of one read (register ECC.INJECT), to test what comes after. Errors of the
/// flash and of the bus are not made here.
#pragma once

#include "models/ecc/retry/retry_messages.h"
#include "models/ecc/retry/retry_state.h"

namespace wordline::ecc {

class InjectedErrors {
 public:
  explicit InjectedErrors(const RetrySettings& settings) : settings_(settings) {}  ///< it outlives the object

  void start() { crc_corrupted_ = false; }  ///< a read begins

  struct Judged {
    bool ok;        ///< every check holds, and the decoder was not made to fail
    bool good;      ///< and the CRC fits
    bool injected;  ///< an error made on purpose changed the verdict
  };
  /// `decoding` is kT1, kT2H or kT2S; `retries` were taken.
  [[nodiscard]] Judged judge(const CodewordVerdict& verdict, RetryState decoding, unsigned retries) {
    const bool hard = decoding != RetryState::kT2S;
    const bool forced = (decoding == RetryState::kT1 && settings_.force_t1_fail) ||
                        (decoding == RetryState::kT2H && settings_.force_t2h_fail) ||
                        (decoding == RetryState::kT2S && settings_.force_t2s_fail) ||
                        (hard && retries < settings_.force_steps);
    const bool ok = verdict.ok && !forced;
    const bool corrupted = ok && verdict.crc_ok && settings_.corrupt_crc && !crc_corrupted_;
    crc_corrupted_ |= corrupted;
    return {ok, ok && verdict.crc_ok && !corrupted, (verdict.ok && forced) || corrupted};
  }

 private:
  const RetrySettings& settings_;
  bool crc_corrupted_ = false;
};

}  // namespace wordline::ecc
