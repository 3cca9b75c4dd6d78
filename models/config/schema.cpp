// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace wordline::config {
namespace {

std::vector<Key> make_schema() {
  std::vector<Key> keys;
  add_run_keys(keys);
  add_cpu_keys(keys);
  add_controller_keys(keys);
  add_ftl_keys(keys);
  add_ecc_keys(keys);
  add_placement_keys(keys);
  add_policy_keys(keys);
  add_power_keys(keys);
  add_channel_keys(keys);
  add_nand_keys(keys);
  add_engine_keys(keys);
  return keys;
}

}  // namespace

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

int find_key(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, int> map;
    for (const Key& key : schema()) {
      if (!map.emplace(key.name, static_cast<int>(map.size())).second) {
        throw std::logic_error(fmt::format("configuration key defined twice: {}", key.name));
      }
    }
    return map;
  }();
  const auto found = index.find(name);
  return found == index.end() ? -1 : found->second;
}

std::string_view what_became_of(std::string_view name) {
  struct Former {
    std::string_view name, now;
  };
  static constexpr Former kFormer[] = {
      {"ftl.gc_start_lines", "is renamed: use ftl.gc_start_superblocks"},
      {"ftl.gc_reserve_lines", "is renamed: use ftl.gc_reserve_superblocks"},
      {"ftl.idle_free_lines", "is renamed: use ftl.idle_free_superblocks"},
      {"observe.trigger_checkpoint",
       "is gone: the windows of observe.trigger are recorded by a second run; leave it out"},
  };
  for (const Former& key : kFormer) {
    if (key.name == name) return key.now;
  }
  return {};
}

const std::vector<std::string_view>& policy_names() {
  return schema().at(static_cast<std::size_t>(find_key("ftl.policy"))).choices;
}

bool is_default(std::string_view key, const Config& config) {
  static const Config defaults = [] {
    Config c{};
    for (const Key& row : schema()) row.set(c, default_value(row));
    return c;
  }();
  const Key& row = schema().at(static_cast<std::size_t>(find_key(key)));
  return row.get(config) == row.get(defaults);
}

const std::vector<std::string_view>& key_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const Key& key : schema()) all.push_back(key.name);
    return all;
  }();
  return names;
}

const std::vector<std::string_view>& table_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const Key& key : schema()) {
      const std::string_view table = table_of(key.name);
      if (std::find(all.begin(), all.end(), table) == all.end()) all.push_back(table);
    }
    return all;
  }();
  return names;
}

std::string_view table_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

Value default_value(const Key& key) {
  Converted converted = convert(key, bare_value(key.default_text));
  if (!converted.problem.empty()) throw std::logic_error("default of " + converted.problem);
  return std::move(converted.value);
}

}  // namespace wordline::config
