// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/tables.h"

#include <nlohmann/json.hpp>

#include "models/checks/lpage_engines.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"
#include "models/engines/table/engine_table.h"
#include "models/firmware/firmware.h"

namespace wordline::config {
namespace {

using Json = nlohmann::ordered_json;

Json engines_of(std::uint32_t bits) {
  Json names = Json::array();
  for (const engines::EngineRow& row : engines::kEngines) {
    if ((row.bit & bits) != 0) names.push_back(row.name);
  }
  return names;
}

Json policy(std::uint32_t number) {
  const wl_declared declared = wl_policy_declares(number);
  Json keys = Json::array();
  for (const Key& key : schema()) {
    if (!key.policy.empty() && has_keys_of(policy_names()[number], key.policy)) keys.push_back(key.name);
  }
  return {{"host_streams", declared.host_streams},       {"move_streams", declared.move_streams},
          {"chooses_word_lines", declared.by_word_line}, {"small_pages", declared.small_pages},
          {"refuses", engines_of(declared.refused)},     {"keys", std::move(keys)}};
}

}  // namespace

std::string tables_json() {
  Json policies, rows, keys;
  for (std::uint32_t number = 0; number < policy_names().size(); ++number) {
    policies[std::string(policy_names()[number])] = policy(number);
  }
  for (const engines::EngineRow& row : engines::kEngines) {
    Json needs = Json::array();
    for (const engines::Need& need : row.needs) needs.push_back(engines::row_of(need.engine).name);
    rows[std::string(row.name)] = {{"timed", row.timed()},
                                   {"needs", std::move(needs)},
                                   {"in_engine_block", row.home == engines::Home::kEngineBlock},
                                   {"maps_lpages", maps_lpages(row.id)}};
  }
  for (const Key& key : schema()) {
    if (!key.needs.empty()) keys[std::string(key.name)] = {{"needs", key.needs.substr(0, key.needs.find(": "))}};
  }
  const Json tables = {{"policies", policies}, {"engines", rows}, {"keys", keys}};
  return tables.dump(2) + "\n";
}

}  // namespace wordline::config
