// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The codewords of one read: which are still without data, and which verdicts of the decoding under way are to come.
/// Does not judge a verdict (injected_errors.h, the machine) and counts nothing (retry_counters.h).
#pragma once

#include "models/ecc/retry/retry_settings.h"

namespace wordline::ecc {

class CodewordTracking {
 public:
  /// `owner` opens the texts of errors; it outlives the object.
  explicit CodewordTracking(const char* owner) : owner_(owner) {}

  /// A read begins. Throws std::invalid_argument when it wants no codeword.
  void start(const CodewordMask& wanted);

  void begin_decoding();
  /// The verdict on a codeword came. Throws std::invalid_argument when none was awaited.
  void take_verdict(unsigned codeword) {
    if (codeword >= kRetryCodewords || !awaited_[codeword]) refuse(codeword);
    awaited_.reset(codeword);
  }
  void fail(unsigned codeword) { failed_.set(codeword); }  ///< by the verdict taken last
  [[nodiscard]] bool all_in() const { return awaited_.none(); }
  /// After the last verdict: the codewords that failed are those without data.
  void end_decoding() { pending_ = failed_; }

  [[nodiscard]] const CodewordMask& pending() const { return pending_; }  ///< without data when the decoding began
  [[nodiscard]] const CodewordMask& awaited() const { return awaited_; }  ///< verdicts that are to come

 private:
  [[noreturn]] void refuse(unsigned codeword) const;

  const char* owner_;
  CodewordMask pending_;
  CodewordMask awaited_;
  CodewordMask failed_;  // failed codewords of this decoding
};

}  // namespace wordline::ecc
