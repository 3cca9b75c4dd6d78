// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/retry_state.h"

#include <fmt/format.h>

#include <stdexcept>

namespace wordline::ecc {

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

void RetryPhase::refuse(const char* call) const {
  throw std::logic_error(fmt::format("{}: {} in state {}", owner_, call, to_string(state_)));
}

}  // namespace wordline::ecc
