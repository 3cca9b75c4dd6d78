// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/policy_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/config/schema.h"

namespace wordline::config {
namespace {

std::vector<std::string_view> parts_of(std::string_view policy) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto plus = policy.find('+');
    parts.push_back(policy.substr(0, plus));
    if (plus == std::string_view::npos) return parts;
    policy.remove_prefix(plus + 1);
  }
}

/// Why the tables of two policies, in any order, do not combine. `other` empty: with any.
struct Reason {
  std::string_view one, other, why;
};
constexpr Reason kReasons[] = {
    {"cube", "vert",
     "both choose the program window of a word line, cube by what was measured and vert by a fixed amount"},
    {"agcr", "agcr_li", "both choose the step of a program"},
    {"cube", "agcr_li",
     "agcr_li chooses the step by what the die has to do at that moment, and a follower of cube needs that of its "
     "leader"},
    {"agcr_li", "vert", "vert is as safe as the device's own step is; agcr_li has none at that step"},
    {"agcr", "vert", "vert is as safe as the device's own step is; a coarser one has not the same margin"},
    {"mpnfm", "", "mpnfm chooses between blocks of two page sizes, and the others place data in blocks of one"},
    {"sepbit", "", "sepbit has classes and victims of its own, which those of the other would replace"},
    {"page_greedy", "", "page_greedy is what the others do where they decide nothing"},
    {"page_cost_benefit", "", "page_cost_benefit chooses victims alone, and the others are made for the emptiest one"},
    {"page_d_choices", "", "page_d_choices chooses victims alone, and the others are made for the emptiest one"},
    {"page_fifo", "", "page_fifo chooses victims alone, and the others are made for the emptiest one"},
    {"page_hot_cold", "", "page_hot_cold has classes and victims of its own, which those of the other would replace"},
    {"vert", "", "vert is what cube is compared with: it chooses nothing by the data or by what was measured"},
    {"agcr_li", "", "agcr_li is what agcr is compared with: it decides nothing by the data"},
};

}  // namespace

bool has_policy(std::string_view policy, std::string_view part) {
  const auto parts = parts_of(policy);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

bool has_keys_of(std::string_view policy, std::string_view owner) {
  return has_policy(policy, owner) || policy.substr(0, owner.size() + 1) == fmt::format("{}_", owner);
}

std::string_view policy_spelling(std::string_view policy) {
  auto parts = parts_of(policy);
  std::sort(parts.begin(), parts.end());
  for (const std::string_view known : policy_names()) {
    auto of = parts_of(known);
    std::sort(of.begin(), of.end());
    if (of == parts) return known;
  }
  return policy;
}

std::string why_no_policy(std::string_view policy) {
  const auto parts = parts_of(policy);
  const auto& names = policy_names();
  const auto known = [&names](std::string_view part) {
    return std::find(names.begin(), names.end(), part) != names.end();
  };
  if (parts.size() < 2 || !std::all_of(parts.begin(), parts.end(), known)) return {};
  if (parts.size() > 2) return "a combination is of two policies";
  if (parts[0] == parts[1]) return "both are the same policy";
  for (const Reason& r : kReasons) {
    const auto is = [&r](std::string_view a, std::string_view b) {
      return a == r.one && (r.other.empty() || b == r.other);
    };
    if (is(parts[0], parts[1]) || is(parts[1], parts[0])) return std::string(r.why);
  }
  return {};
}

}  // namespace wordline::config
