// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/partition/placement.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "models/checks/load.h"
#include "models/config/toml_depth.h"
#include "models/engines/table/engine_table.h"

namespace wordline::engines {
namespace {

constexpr std::uint32_t kMaxCores = 8;

bool holds(const std::vector<std::string>& engines, std::string_view name) {
  return std::find(engines.begin(), engines.end(), name) != engines.end();
}

/// The engines of the table for which `wanted` is true, in its order.
template <class Wanted>
std::vector<std::string> names_if(Wanted wanted) {
  std::vector<std::string> out;
  for (const EngineRow& row : kEngines) {
    if (wanted(row)) out.emplace_back(row.name);
  }
  return out;
}

std::vector<std::string> all_names() {
  return names_if([](const EngineRow&) { return true; });
}

/// What a set of engines lacks, empty if it works.
std::string lacks(const std::vector<std::string>& engines) {
  for (const EngineRow& row : kEngines) {
    if (!holds(engines, row.name)) continue;
    for (const Need& need : row.needs) {
      const std::string_view needed = row_of(need.engine).name;
      if (holds(engines, needed)) continue;
      return fmt::format("the {} engine needs the {} engine beside it: {}", row.name, needed, need.why);
    }
  }
  return {};
}

/// Engines by their bits, and what these need.
std::vector<std::string> with_needs(std::uint32_t set) {
  for (std::uint32_t before = 0; before != set;) {
    before = set;
    for (const EngineRow& row : kEngines) {
      if ((set & row.bit) == 0) continue;
      for (const Need& need : row.needs) set |= row_of(need.engine).bit;
    }
  }
  return names_if([set](const EngineRow& row) { return (set & row.bit) != 0; });
}

std::string plain_name(const Placement& p) {
  return fmt::format("{} {}, {}", p.cores, p.cores == 1 ? "core" : "cores",
                     p.engines.empty() ? "all in firmware" : p.engine_text());
}

Placement placement(std::uint32_t cores, std::vector<std::string> engines) {
  Placement p;
  p.cores = cores;
  p.task_core = default_task_core(cores);
  p.engines = std::move(engines);
  p.name = plain_name(p);
  return p;
}

class Reader {
 public:
  Reader(const std::string& path, const Placement& drive) : path_(path), drive_(drive) {}

  std::vector<Placement> read() {
    toml::table file;
    try {
      std::ifstream in(path_, std::ios::binary);
      if (!in) throw config::ConfigError(fmt::format("{}: error: cannot be read", path_));
      std::ostringstream stream;
      stream << in.rdbuf();
      const std::string text = stream.str();
      if (const std::size_t line = config::line_too_deep(text); line != 0) {
        throw config::ConfigError(fmt::format("{}:{}: error: {}", path_, line, config::kTooDeep));
      }
      file = toml::parse(text, path_);
    } catch (const toml::parse_error& error) {
      fail(error.source(), error.description());
    }
    for (const auto& [key, node] : file) {
      if (key.str() != "placement") {
        fail(node, fmt::format("unknown key {}, expected tables [[placement]]", key.str()));
      }
    }
    const auto* list = file["placement"].as_array();
    if (list == nullptr || list->empty()) {
      throw config::ConfigError(
          fmt::format("{}: error: no placement, expected at least one table [[placement]]", path_));
    }
    std::vector<Placement> out;
    for (const toml::node& node : *list) {
      const auto* table = node.as_table();
      if (table == nullptr) fail(node, "placement is no table, expected [[placement]]");
      const Placement next = one(*table);
      const auto equal = [&next](const Placement& p) { return p.settings() == next.settings(); };
      if (std::any_of(out.begin(), out.end(), equal)) continue;
      const auto same = [&next](const Placement& p) { return p.name == next.name; };
      if (std::any_of(out.begin(), out.end(), same)) {
        fail(node, fmt::format("a second placement is called \"{}\", expected a name of its own", next.name));
      }
      out.push_back(next);
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const toml::source_region& at, std::string_view text) const {
    throw config::ConfigError(fmt::format("{}:{}:{}: error: {}", path_, at.begin.line, at.begin.column, text));
  }
  [[noreturn]] void fail(const toml::node& at, std::string_view text) const { fail(at.source(), text); }

  Placement one(const toml::table& table) const {
    for (const auto& [key, node] : table) {
      static constexpr std::string_view kKeys[] = {"name", "cores", "engines", "task_core", "set"};
      if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys)) {
        fail(node, fmt::format("unknown key {}, expected name, cores, engines, task_core or set", key.str()));
      }
    }
    std::uint32_t count = drive_.cores;
    const auto* cores = table.get("cores");
    if (cores != nullptr) {
      const auto number = cores->value<std::int64_t>();
      if (!cores->is_integer() || *number < 1 || *number > kMaxCores) {
        fail(*cores, fmt::format("cores: expected a whole number from 1 to {}", kMaxCores));
      }
      count = static_cast<std::uint32_t>(*number);
    }
    std::vector<std::string> engines = drive_.engines;
    if (const auto* node = table.get("engines")) {
      const std::vector<std::string> names = strings(*node, "engines");
      for (const std::string& name : names) {
        if (find_engine(name) == nullptr) {
          fail(*node, fmt::format("no engine is called \"{}\", expected {}", name, fmt::join(all_names(), ", ")));
        }
      }
      engines = names_if([&names](const EngineRow& row) { return holds(names, row.name); });
      if (const std::string what = lacks(engines); !what.empty()) fail(*node, what);
    }
    Placement p = placement(count, std::move(engines));
    if (cores == nullptr) p.task_core = drive_.task_core;
    p.drives_engines = table.get("engines") == nullptr;
    if (const auto* node = table.get("task_core")) p.task_core = tasks(*node, p.cores);
    if (const auto* node = table.get("set")) p.sets = strings(*node, "set");
    if (const auto* node = table.get("name")) {
      if (!node->is_string() || node->as_string()->get().empty()) fail(*node, "name: expected a text");
      p.name = node->as_string()->get();
    }
    return p;
  }

  std::vector<std::string> strings(const toml::node& node, const char* what) const {
    const auto* array = node.as_array();
    if (array == nullptr) fail(node, fmt::format("{}: expected a list of texts", what));
    std::vector<std::string> out;
    for (const toml::node& element : *array) {
      if (!element.is_string()) fail(element, fmt::format("{}: expected a text", what));
      out.push_back(element.as_string()->get());
    }
    return out;
  }

  std::vector<std::uint32_t> tasks(const toml::node& node, std::uint32_t cores) const {
    const auto* array = node.as_array();
    if (array == nullptr || array->size() != 3)
      fail(node, "task_core: expected the core of the host, ftl and flash task");
    std::vector<std::uint32_t> out;
    for (const toml::node& element : *array) {
      const auto core = element.value<std::int64_t>();
      if (!element.is_integer() || *core < 0 || *core >= cores) {
        fail(element, fmt::format("task_core: expected a core below cores = {}", cores));
      }
      out.push_back(static_cast<std::uint32_t>(*core));
    }
    return out;
  }

  const std::string& path_;
  const Placement& drive_;
};

}  // namespace

std::vector<std::string> Placement::settings() const {
  std::vector<std::string> out{fmt::format("cpu.cores={}", cores),
                               fmt::format("cpu.task_core=[{}]", fmt::join(task_core, ","))};
  for (const EngineRow& row : kEngines) {
    out.push_back(fmt::format("engines.{}={}", row.name, holds(engines, row.name) ? "on" : "off"));
  }
  out.insert(out.end(), sets.begin(), sets.end());
  return out;
}

bool Placement::has_plain_name() const { return name == plain_name(*this); }

std::string Placement::engine_text() const {
  if (engines.empty()) return "none";
  const auto missing = names_if([this](const EngineRow& row) { return !holds(engines, row.name); });
  if (missing.empty()) return "all";
  if (missing.size() == 1) return "all but " + missing.front();
  return fmt::format("{}", fmt::join(engines, "+"));
}

std::vector<std::uint32_t> default_task_core(std::uint32_t cores) {
  if (cores == 1) return {0, 0, 0};
  if (cores == 2) return {0, 1, 0};
  return {0, 1, 2};
}

std::vector<Placement> default_placements() {
  std::vector<std::vector<std::string>> sets{{}};
  for (const EngineRow& row : kEngines) {
    if (row.needs.empty()) sets.push_back({std::string(row.name)});
  }
  for (const std::uint32_t chain : {WL_ENGINES_COLLECT, WL_ENGINES_FLASH, WL_ENGINES_BUFFER})
    sets.push_back(with_needs(chain));
  sets.push_back(all_names());
  std::vector<Placement> out;
  for (const std::vector<std::string>& engines : sets) {
    for (std::uint32_t cores = 1; cores <= 4; ++cores) out.push_back(placement(cores, engines));
  }
  return out;
}

std::vector<Placement> all_placements() {
  std::vector<Placement> out;
  for (std::uint32_t rows = 0; rows < 1U << kEngineCount; ++rows) {
    const auto engines =
        names_if([rows](const EngineRow& row) { return (rows >> static_cast<unsigned>(row.id) & 1U) != 0; });
    if (!lacks(engines).empty()) continue;
    for (std::uint32_t cores = 1; cores <= 4; ++cores) out.push_back(placement(cores, engines));
  }
  return out;
}

Placement placement_of(const config::Config& drive) {
  Placement p =
      placement(drive.cpu.cores, names_if([&drive](const EngineRow& row) { return drive.engines.on(row.id); }));
  p.task_core.assign(drive.cpu.task_core.begin(), drive.cpu.task_core.end());
  return p;
}

std::vector<Placement> read_placements(const std::string& path, const Placement& drive) {
  return Reader(path, drive).read();
}

}  // namespace wordline::engines
