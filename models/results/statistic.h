// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::results {

/// What a statistic can be. std::monostate: there is no value in this run (null in result.json). A double is a ratio or
/// a rate and is written with six decimals, energy in whole picojoules. A list has one element per core, channel, die
/// or stage.
using Value = std::variant<std::monostate, std::uint64_t, double, std::string, Picoseconds, Picojoules,
                           std::vector<double>, std::vector<std::uint64_t>, std::vector<std::int64_t>,
                           std::vector<Picoseconds>, std::vector<std::string>>;

[[nodiscard]] bool is_zero(const Value& value);
[[nodiscard]] bool is_empty_list(const Value& value);

/// Where a statistic stands in result.json: "flash.erases" is the member `erases` of the object `flash`. "rows[].time"
/// names the member `time` of each object in the array `rows`; its value is a list.
struct Name {
  Name(const char* exact_path) : pattern(exact_path), path(exact_path) {}  // NOLINT: a name is written as its path
  /// One statistic of several alike: Name("engines.NAME.busy", {"gc"}) is "engines.gc.busy", explained once, as
  /// "engines.NAME.busy". Each component in capitals stands for the next member. Throws std::logic_error when their
  /// numbers differ.
  Name(const char* pattern, std::initializer_list<std::string> members);

  std::string pattern;
  std::string path;
};

/// One number of the report, as its owner registered it: name, unit, a sentence for the glossary, and how to read it.
class Statistic {
 public:
  using Read = std::function<Value()>;

  Statistic(Name name, std::string unit, std::string text, Read read, bool is_sum);

  /// Places the statistic behind `path` of the same section. Without it a statistic follows those registered before.
  Statistic& after(std::string path);
  /// Adds the statistic to line `line` of its section in the summary, lines counted from 1: a count as "5 read
  /// retries", a ratio as "write amplification 1.5", with `label` for the words.
  Statistic& in_summary(unsigned line, std::string label);
  /// Shows the statistic in the summary, unless the value is 0.
  Statistic& in_summary_if_nonzero(unsigned line, std::string label);
  /// Leaves the key out of result.json while the value is 0, or a list without elements.
  Statistic& only_if_nonzero();
  /// Says when there is no value: "nothing written".
  Statistic& null_when(std::string reason);

  [[nodiscard]] const std::string& path() const { return name_.path; }
  [[nodiscard]] const std::string& pattern() const { return name_.pattern; }
  /// First component of the path, without the brackets of an array.
  [[nodiscard]] std::string_view section() const;
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& follows() const { return after_; }    // empty: no other
  [[nodiscard]] unsigned summary_line() const { return summary_line_; }  // 0: not in the summary
  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] bool hidden_in_summary_if_zero() const { return summary_if_nonzero_; }
  [[nodiscard]] bool absent_if_zero() const { return only_if_nonzero_; }
  [[nodiscard]] const std::string& null_reason() const { return null_reason_; }
  [[nodiscard]] bool is_sum() const { return !addends_.empty(); }

  /// The value now. Sums are added up in the order of registration.
  [[nodiscard]] Value read() const;

 private:
  friend class Registry;

  Name name_;
  std::string unit_, text_;
  Read read_;                  // unless it is a sum
  std::vector<Read> addends_;  // addends of a sum
  std::string after_, label_, null_reason_;
  unsigned summary_line_ = 0;
  bool summary_if_nonzero_ = false;
  bool only_if_nonzero_ = false;
};

}  // namespace wordline::results
