// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/injected_errors.h"

namespace wordline::ecc {

InjectedErrors::Judged InjectedErrors::judge(const CodewordVerdict& verdict, RetryState decoding, unsigned retries) {
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

}  // namespace wordline::ecc
