// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/options.h"

#include <algorithm>

#include "models/units/text.h"

namespace wordline::workload::fio {
Option option_of(std::string_view name) {
  for (const auto& rows : {pattern_options(), amount_options(), pacing_options(), placement_options(), log_options()}) {
    for (const ObeyedOption& row : rows) {
      if (row.name == name) return {Option::Kind::kObeyed, row.apply, {}};
    }
  }
  for (const std::string_view row : noted_options()) {
    if (row == name) return {Option::Kind::kNoted, nullptr, {}};
  }
  for (const RefusedOption& row : refused_options()) {
    if (row.name == name) return {Option::Kind::kRefused, nullptr, row.reason};
  }
  return {};
}

std::string nearest_option(std::string_view name) {
  std::string best;
  // No option is longer: what is, is another word.
  if (name.size() > 48) return best;
  // A third of the letters wrong is still a slip; more is another word.
  std::size_t limit = std::max<std::size_t>(1, name.size() / 3) + 1;
  const auto consider = [&](std::string_view known) {
    const std::size_t distance = edit_distance(name, known);
    if (distance < limit) {
      limit = distance;
      best = known;
    }
  };
  for (const auto& rows : {pattern_options(), amount_options(), pacing_options(), placement_options(), log_options()}) {
    for (const ObeyedOption& row : rows) consider(row.name);
  }
  for (const std::string_view row : noted_options()) consider(row);
  return best;
}

}  // namespace wordline::workload::fio
