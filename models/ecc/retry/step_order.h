// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Order in which one read takes the steps of the retry table (read_retry.h says it in words): which were tried, which
/// comes next. RTL: rtl/read_retry/retry_step_picker.sv. Gap: no search for references between the steps.
#pragma once

#include <cstdint>

#include "models/ecc/retry/optimal_references.h"
#include "models/ecc/retry/retry_settings.h"

namespace wordline::ecc {

class StepOrder {
 public:
  explicit StepOrder(const RetrySettings& settings) : settings_(settings) {}  ///< it outlives the object

  void start();  ///< a read begins
  /// The first step, with the ORT's entry (not valid: none). `sensed`: step 0 was read already.
  void look_up(const OptimalReferences::Entry& entry, bool sensed) { look_up(entry, sensed, settings_.ort_first); }
  /// `first`: also when nothing was read yet.
  void look_up(const OptimalReferences::Entry& entry, bool sensed, bool first);
  /// The next retry; false: all steps are tried, or as many as are allowed.
  bool advance();

  [[nodiscard]] unsigned step() const { return step_; }                 ///< step of the last hard read
  [[nodiscard]] unsigned retries() const { return retries_; }           ///< taken
  [[nodiscard]] bool starts_from_entry() const { return from_entry_; }  ///< the first read is at another step than 0
  [[nodiscard]] const OptimalReferences::Entry& entry() const { return entry_; }

 private:
  [[nodiscard]] unsigned entry_step() const;  // the table may have become shorter
  [[nodiscard]] int untried() const;          // -1: none

  const RetrySettings& settings_;
  OptimalReferences::Entry entry_;
  bool from_entry_ = false;
  std::uint16_t tried_ = 0;  // steps
  unsigned retries_ = 0;
  unsigned step_ = 0;
};

}  // namespace wordline::ecc
