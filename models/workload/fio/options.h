// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "models/workload/fio/values.h"

namespace wordline::workload::fio {

/// What becomes of an option: obeyed; noted, since it says how a host issues, schedules or reports I/O, which a drive
/// does not see; or refused with the reason.
struct Option {
  enum class Kind : std::uint8_t { kUnknown, kObeyed, kNoted, kRefused };
  Kind kind = Kind::kUnknown;
  void (*apply)(const Value&, Job&) = nullptr;  // kObeyed; throws Bad or Refused
  std::string_view reason;                      // kRefused
};

/// An option by its fio name or alias.
[[nodiscard]] Option option_of(std::string_view name);
/// The nearest option that is not refused, by edit distance; empty when nothing is near.
[[nodiscard]] std::string nearest_option(std::string_view name);

/// It says that there are files, not where: its value may be anything, and an environment variable of another machine.
[[nodiscard]] inline bool is_any_folder(std::string_view option) { return option == "directory"; }

/// Tables of options_*.cpp.
struct ObeyedOption {
  std::string_view name;
  void (*apply)(const Value&, Job&);
};
struct RefusedOption {
  std::string_view name;
  std::string_view reason;
};
template <class Row>
struct Rows {
  const Row* first;
  const Row* last;
  [[nodiscard]] const Row* begin() const { return first; }
  [[nodiscard]] const Row* end() const { return last; }
};
[[nodiscard]] Rows<ObeyedOption> pattern_options();    // where requests go, and which they are
[[nodiscard]] Rows<ObeyedOption> amount_options();     // how much, how long, which engine
[[nodiscard]] Rows<ObeyedOption> pacing_options();     // rates, pauses, the order of jobs, steady states
[[nodiscard]] Rows<ObeyedOption> placement_options();  // placement identifiers
[[nodiscard]] Rows<ObeyedOption> log_options();        // fio's logs
[[nodiscard]] Rows<std::string_view> noted_options();
[[nodiscard]] Rows<RefusedOption> refused_options();

}  // namespace wordline::workload::fio
