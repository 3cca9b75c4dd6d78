// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/region_age.h"

#include <algorithm>
#include <charconv>

namespace wordline::config {
namespace {

/// Takes a text from its front, piece by piece.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool number(double& value) {
    skip_spaces();
    const char* const last = rest_.data() + rest_.size();
    const auto [end, error] = std::from_chars(rest_.data(), last, value, std::chars_format::fixed);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  bool sign(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  std::string_view rest_;
};

constexpr double kMostDays = 36'500;  // most days as nand.aging.retention_days

}  // namespace

std::optional<RegionAge> parse_region_age(std::string_view text) {
  Scanner scan(text);
  RegionAge age;
  const bool complete = scan.number(age.from) && scan.sign('-') && scan.number(age.to) && scan.sign('%') &&
                        scan.sign(':') && scan.number(age.days) && scan.sign('d') && scan.at_end();
  // Written so that a NaN is outside.
  const bool sound = age.from >= 0 && age.from < age.to && age.to <= 100 && age.days >= 0 && age.days <= kMostDays;
  if (!complete || !sound) return std::nullopt;
  return age;
}

}  // namespace wordline::config
