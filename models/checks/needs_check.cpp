// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/needs_check.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "models/config/policy_names.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

const Key& key_of(std::string_view name) {
  const int index = find_key(name);
  if (index < 0) throw std::logic_error(fmt::format("no key is called {}", name));
  return schema()[static_cast<std::size_t>(index)];
}

/// "rtl" or "retry or first": whether `value` is one of them.
bool is_among(std::string_view value, std::string_view words) {
  constexpr std::string_view kOr = " or ";
  while (true) {
    const auto end = words.find(kOr);
    if (words.substr(0, end) == value) return true;
    if (end == std::string_view::npos) return false;
    words.remove_prefix(end + kOr.size());
  }
}

}  // namespace

std::string typed_value(const Key& key, const Config& config) {
  std::string value = format_value(key, key.get(config));
  const bool is_word = key.kind == Kind::kEnum || has_unit(key.kind);
  return is_word && !key.is_list() ? value.substr(1, value.size() - 2) : value;
}

std::vector<Conflict> unmet_needs(const Config& config) {
  std::vector<Conflict> found;
  const std::string_view policy = policy_names().at(config.ftl.policy);
  for (const Key& key : schema()) {
    if (key.needs.empty() || is_default(key.name, config)) continue;
    if (!key.policy.empty() && !has_keys_of(policy, key.policy)) continue;  // refused for that
    const std::string_view condition = key.needs.substr(0, key.needs.find(": "));
    const auto equals = condition.find(" = ");
    const Key& other = key_of(condition.substr(0, equals));
    const std::string value = typed_value(other, config);
    if (is_among(value, condition.substr(equals + 3))) continue;
    found.push_back({{key.name, other.name},
                     fmt::format("{} = {} has no effect with {} = {}, expected {}", key.name, typed_value(key, config),
                                 other.name, value, key.needs)});
  }
  return found;
}

}  // namespace wordline::config
