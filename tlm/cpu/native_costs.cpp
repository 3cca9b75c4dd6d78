// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/cpu/native_costs.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "cpu/native_costs_builtin.h"
#include "tlm/cpu/core.h"

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

std::string all_names() {
  std::string out;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    if (tag != 0) out += ", ";
    out += cost_tag_name(tag);
  }
  return out;
}

NativeCosts parse(std::istream& in, const std::string& path) {
  NativeCosts costs;
  std::array<unsigned, WL_COST_COUNT> seen_at{};
  std::string text;
  unsigned number = 0;
  while (std::getline(in, text)) {
    ++number;
    const auto fail = [&](const std::string& what) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
    };
    std::string_view line = text;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) fail("expected `tag_name = cycles`, found `" + std::string(line) + "`");
    const std::string_view name = trim(line.substr(0, equals));
    const std::string_view value = trim(line.substr(equals + 1));
    const std::uint32_t tag = tag_of(name);
    if (tag == WL_COST_COUNT) fail("no cost tag is called `" + std::string(name) + "`; tags are " + all_names());
    if (seen_at[tag] != 0) {
      fail("`" + std::string(name) + "` was given on line " + std::to_string(seen_at[tag]) + " already");
    }
    double cycles = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), cycles);
    if (error != std::errc() || end != value.data() + value.size() || !(cycles >= 0) || !(cycles <= 1e9)) {
      fail("`" + std::string(value) + "` is not a number of cycles from 0 to 1e9");
    }
    costs.cycles[tag] = cycles;
    seen_at[tag] = number;
  }
  std::string missing;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    if (seen_at[tag] == 0) missing += (missing.empty() ? "" : ", ") + std::string(cost_tag_name(tag));
  }
  if (!missing.empty()) {
    throw std::runtime_error(path + ": no cycles for " + missing +
                             "; `wordline calibrate firmware` writes a full table");
  }
  return costs;
}

}  // namespace

const NativeCosts& builtin_native_costs() {
  static const NativeCosts costs = [] {
    std::istringstream text(kBuiltinNativeCosts);
    return parse(text, "native_costs.table");
  }();
  return costs;
}

NativeCosts load_native_costs(const std::string& path) {
  if (path.empty()) return builtin_native_costs();
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(path +
                             ": cannot read the cost table (cpu.native_costs); leave it empty for the built-in one");
  }
  return parse(file, path);
}

void write_native_costs(const std::string& path, const std::vector<CoreStatistics>& cores) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << "# Mean cycles of a stretch of firmware by cost tag (models/firmware/contract/), for cpu.native_costs.\n";
  out.setf(std::ios::fixed);
  out.precision(3);
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    std::uint64_t cycles = 0;
    std::uint64_t entries = 0;
    for (const CoreStatistics& core : cores) {
      cycles += core.cycles[tag];
      entries += core.entries[tag];
    }
    out << cost_tag_name(tag) << " = ";
    if (entries != 0) {
      out << static_cast<double>(cycles) / static_cast<double>(entries) << "  # " << entries << " times\n";
    } else {
      out << builtin_native_costs().cycles[tag] << "  # never entered: the built-in value\n";
    }
  }
  std::ofstream file(path);
  file << out.str();
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot write the cost table");
}

}  // namespace wordline::cpu
