// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/native_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cpu/native_costs_builtin.h"
#include "tlm/device/cpu/core.h"

namespace wordline::cpu {
namespace {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

std::uint32_t tag_of(std::string_view name) {
  std::uint32_t tag = 0;
  while (tag < WL_COST_COUNT && cost_tag_name(tag) != name) ++tag;
  return tag;
}

/// Names of the tags for which `wanted` is true, behind one another.
template <class Wanted>
std::string names_if(Wanted wanted) {
  std::vector<std::string_view> names;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    if (wanted(tag)) names.push_back(cost_tag_name(tag));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_policy(std::string_view name) {
#define WL_POLICY(identifier, policy, text) \
  if (name == policy) return true;
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
  return false;
}

/// By which of host, ftl and flash a core has, as bits in the order of cpu.task_core.
constexpr std::string_view kTasks[] = {"",      "host",       "ftl",       "host+ftl",
                                       "flash", "host+flash", "ftl+flash", "host+ftl+flash"};

constexpr std::string_view kBusy = "+busy";

bool is_tasks(std::string_view name) {
  if (name.size() > kBusy.size() && name.substr(name.size() - kBusy.size()) == kBusy) name.remove_suffix(kBusy.size());
  return std::find(std::begin(kTasks), std::end(kTasks), name) != std::end(kTasks);
}

std::string row_of(std::string_view name, std::uint64_t cycles, std::uint64_t entries) {
  return fmt::format("{} = {:.3f}  # {} times\n", name, static_cast<double>(cycles) / static_cast<double>(entries),
                     entries);
}

}  // namespace

void NativeCostTable::read(std::istream& in, const std::string& path) {
  std::map<std::string, unsigned, std::less<>> seen_at;  // line by name
  std::string text;
  unsigned number = 0;
  while (std::getline(in, text)) {
    ++number;
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, number, what));
    };
    std::string_view line = text;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) fail(fmt::format("expected `tag_name = cycles`, found `{}`", line));
    const std::string_view name = trim(line.substr(0, equals));
    const std::string_view value = trim(line.substr(equals + 1));
    const auto dot = name.find('.');
    const std::string_view of = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    if (!of.empty() && !is_policy(of) && !is_tasks(of)) {
      fail(fmt::format("no FTL policy is called `{}`, nor a core's tasks: host, host+ftl, ...", of));
    }
    const std::uint32_t tag = tag_of(name.substr(dot == std::string_view::npos ? 0 : dot + 1));
    if (tag == WL_COST_COUNT) {
      fail(fmt::format("no cost tag is called `{}`; tags are {}", name, names_if([](std::uint32_t) { return true; })));
    }
    unsigned& seen = seen_at[std::string(name)];
    if (seen != 0) fail(fmt::format("`{}` was given on line {} already", name, seen));
    double cycles = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), cycles);
    if (error != std::errc() || end != value.data() + value.size() || !(cycles >= 0) || !(cycles <= 1e9)) {
      fail(fmt::format("`{}` is not a number of cycles from 0 to 1e9", value));
    }
    seen = number;
    rows_[std::string(of)][tag] = cycles;
  }
  const Rows& all = rows_[""];
  const std::string missing = names_if([&all](std::uint32_t tag) { return !all[tag]; });
  if (!missing.empty()) {
    throw std::runtime_error(
        fmt::format("{}: no cycles for {}; `wordline calibrate firmware` writes a full table", path, missing));
  }
}

void NativeCostTable::put(std::string_view of, std::array<double, WL_COST_COUNT>& costs) const {
  const auto own = rows_.find(of);
  if (own == rows_.end()) return;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    if (own->second[tag]) costs[tag] = *own->second[tag];
  }
}

NativeCosts NativeCostTable::of(const CostsOf& wanted) const {
  NativeCosts costs;
  put("", costs.cycles);
  put(wanted.tasks, costs.cycles);
  costs.busy = costs.cycles;
  put(std::string(wanted.tasks) + std::string(kBusy), costs.busy);
  put(wanted.policy, costs.cycles);
  put(wanted.policy, costs.busy);
  return costs;
}

NativeCostTable::NativeCostTable(const std::string& path) {
  if (path.empty()) {
    std::istringstream text(kBuiltinNativeCosts);
    read(text, "native_costs.table");
    return;
  }
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(
        fmt::format("{}: cannot read the cost table (cpu.native_costs); leave it empty for the built-in one", path));
  }
  read(file, path);
}

std::string tasks_of(const TaskCores& task_core, std::uint32_t core) {
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < task_core.size(); ++i) tasks |= std::size_t{task_core[i] == core} << i;
  return std::string(kTasks[tasks]);
}

void write_native_costs(const std::string& path, const std::vector<CoreStatistics>& cores, const TaskCores& task_core) {
  const NativeCosts builtin = NativeCostTable().of();
  std::string out =
      "# Mean cycles of a stretch of firmware by cost tag (models/firmware/contract/), for cpu.native_costs.\n";
  std::string by_tasks;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    std::uint64_t cycles = 0;
    std::uint64_t entries = 0;
    unsigned entered = 0;
    for (const CoreStatistics& core : cores) {
      cycles += core.cycles[tag];
      entries += core.entries[tag];
      entered += core.entries[tag] != 0 ? 1 : 0;
    }
    if (entries == 0) {
      out += fmt::format("{} = {:.3f}  # never entered: the built-in value\n", cost_tag_name(tag), builtin.cycles[tag]);
      continue;
    }
    out += row_of(cost_tag_name(tag), cycles, entries);
    for (std::uint32_t i = 0; i < cores.size() && entered > 1; ++i) {
      const std::string tasks = tasks_of(task_core, i);
      if (cores[i].entries[tag] == 0 || tasks.empty()) continue;
      by_tasks += row_of(fmt::format("{}.{}", tasks, cost_tag_name(tag)), cores[i].cycles[tag], cores[i].entries[tag]);
    }
  }
  out += by_tasks;
  std::ofstream file(path);
  file << out;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot write the cost table", path));
}

}  // namespace wordline::cpu
