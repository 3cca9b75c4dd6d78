// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/load.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/checks/validate.h"
#include "models/config/bus_modes.h"
#include "models/config/schema.h"
#include "models/config/toml_depth.h"

namespace wordline::config {
namespace {

namespace fs = std::filesystem;

Raw raw_of(const toml::node& node) {
  if (const auto* v = node.as_integer()) return {v->get()};
  if (const auto* v = node.as_floating_point()) return {v->get()};
  if (const auto* v = node.as_boolean()) return {v->get()};
  if (const auto* v = node.as_string()) return {v->get()};
  if (const auto* array = node.as_array()) {
    std::vector<Raw> list;
    for (const toml::node& element : *array) list.push_back(raw_of(element));
    return {std::move(list)};
  }
  return {Raw::Other{node.is_table() ? "a table" : "a date or time"}};
}

std::string place_of(const std::string& file, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", file, region.begin.line, region.begin.column);
}

/// "; did you mean channels.count?", or where to look.
std::string suggestion(std::string_view name) {
  std::string near = nearest(name, key_names());
  if (near.empty()) {  // the right word in the wrong table
    const auto last = name.substr(name.rfind('.') + 1);
    for (const auto known : key_names()) {
      if (known.substr(known.rfind('.') + 1) == last) near = known;
    }
  }
  if (!near.empty()) return fmt::format("; did you mean {}?", near);
  const auto table = table_of(name);
  const auto& tables = table_names();
  const bool known = std::find(tables.begin(), tables.end(), table) != tables.end();
  return known ? fmt::format("; see: wordline explain {}", table) : "; see: wordline explain";
}

/// What to say of a key that the schema does not have.
std::string unknown_key(std::string_view name) {
  if (const auto now = what_became_of(name); !now.empty()) return fmt::format("{} {}", name, now);
  return fmt::format("unknown key {}{}", name, suggestion(name));
}

bool is_table(std::string_view name) {
  const auto inside = [&](std::string_view key) {
    return key.size() > name.size() && key.substr(0, name.size()) == name && key[name.size()] == '.';
  };
  const auto& names = key_names();
  return std::any_of(names.begin(), names.end(), inside);
}

/// Files that extend others: each is read in the call of the one that extends it, and again for each other one that
/// does.
constexpr std::size_t kMostExtends = 50, kMostFiles = 1000;

/// May be written as a list of one table, [[nand.region]].
constexpr std::string_view kRegion = "nand.region";

class Loader {
 public:
  Loader() {
    for (const Key& key : schema()) {
      settings_.push_back({default_value(key), "default"});
      marks_.push_back({0, fmt::format("default of {}", key.name), false});
    }
  }

  void file(const std::string& path) { read(path, path, ""); }

  void set(const std::string& text) {
    const std::string place = "--set " + text;
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      problem(place, "no value, expected key=value");
      return;
    }
    std::string name = text.substr(0, equals);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    const std::string value = text.substr(equals + 1);
    const int index = find_key(name);
    if (index < 0) {
      if (is_table(name)) {
        problem(place, fmt::format("{} is a table, expected one of its keys; see: wordline explain {}", name, name));
      } else {
        problem(place, unknown_key(name));
      }
      return;
    }
    if (line_too_deep(value) != 0) {
      problem(place, kTooDeep);
      return;
    }
    Raw raw;
    try {
      const toml::table table = toml::parse("value = " + value);
      raw = table.size() == 1 ? raw_of(*table.get("value")) : bare_value(value);
    } catch (const toml::parse_error&) {
      raw = bare_value(value);  // 45us, nvme, [45us, 65us]
    }
    apply(index, raw, place, "--set");
  }

  Loaded finish() {
    Loaded loaded{};
    follow_mode();
    const auto& keys = schema();
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i].set(loaded.config, settings_[i].value);
    scale_blocks(loaded.config);
    // With a file missing, what does not fit together may only be what that file says.
    const auto found = incomplete_ ? std::vector<Conflict>() : conflicts(loaded.config);
    for (const Conflict& conflict : found) {
      const Mark* fault = nullptr;
      bool bad = false;
      for (const std::string_view name : conflict.keys) {
        const Mark& mark = marks_.at(static_cast<std::size_t>(find_key(name)));
        bad = bad || mark.bad;
        if (fault == nullptr || mark.rank > fault->rank) fault = &mark;
      }
      // A key with a problem of its own kept another value: what follows from that one misleads.
      if (!bad) problem(fault->place, conflict.text);
    }
    if (!incomplete_) unused_totals(loaded.config);
    if (!problems_.empty()) throw ConfigError(problems_);
    loaded.settings = std::move(settings_);
    return loaded;
  }

 private:
  /// Where a key was set last. Later layers rank higher: extended file, file, --set.
  struct Mark {
    unsigned rank;
    std::string place;
    bool bad;
  };

  /// Keys of the bus take their value from channels.mode where they were not set, or only in a file below the one that
  /// chose the mode: a drive's own rate does not hold for another mode.
  void follow_mode() {
    const auto at = [](std::string_view name) { return static_cast<std::size_t>(find_key(name)); };
    const Setting& mode = settings_[at("channels.mode")];
    if (mode.origin == "default") return;
    const Mark chosen = marks_[at("channels.mode")];
    Config config{};
    schema()[at("channels.mode")].set(config, mode.value);
    const std::string origin = fmt::format("channels.mode = {}", find_bus_mode(config.channels.mode)->name);
    for (const auto& [name, text] : bus_mode_values(config.channels.mode)) {
      Setting& setting = settings_[at(name)];
      const bool below = marks_[at(name)].rank < chosen.rank && setting.origin != "--set";
      if (below) marks_[at(name)] = chosen;
      if (below || setting.origin == "default") setting = {convert(schema()[at(name)], bare_value(text)).value, origin};
    }
  }

  /// A total set after the mode was chosen is meant to count. (Set before, or together, it may belong to the other
  /// mode.)
  void unused_totals(const Config& config) {
    if (config.nand.timing.mode == ArrayTiming::kPinned) return;
    const auto mark = [&](const char* key) -> const Mark& {
      return marks_.at(static_cast<std::size_t>(find_key(key)));
    };
    for (const char* key : {"nand.timing.t_r", "nand.timing.t_prog", "nand.timing.t_bers"}) {
      if (mark(key).rank > mark("nand.timing.mode").rank) {
        problem(mark(key).place, fmt::format("{} has no effect, expected nand.timing.mode = pinned beside it", key));
      }
    }
  }

  void problem(const std::string& place, const std::string& text) {
    if (!problems_.empty()) problems_ += '\n';
    problems_ += fmt::format("{}: error: {}", place, text);
  }

  void apply(int index, const Raw& raw, const std::string& place, const std::string& origin) {
    const auto i = static_cast<std::size_t>(index);
    Converted converted = convert(schema()[i], raw);
    if (!converted.problem.empty()) {
      problem(place, converted.problem);
      marks_[i].bad = true;
      return;
    }
    settings_[i] = {std::move(converted.value), origin};
    marks_[i] = {rank_, place, marks_[i].bad};
    if (origin == "--set") marks_[i].rank = ++rank_;
  }

  /// `said_at`: place of the `extends` that names the file; empty for the file of the command line.
  void read(const fs::path& path, const std::string& shown, const std::string& said_at) {
    const std::string before = said_at.empty() ? shown : said_at;
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || fs::is_directory(path, error) || !in) {
      incomplete_ = true;
      problem(before, said_at.empty() ? "cannot be read" : fmt::format("extends: {} cannot be read", shown));
      return;
    }
    const auto open = std::find_if(open_.begin(), open_.end(), [&](const auto& o) { return o.first == canonical; });
    if (open != open_.end()) {
      std::vector<std::string_view> chain;
      for (auto at = open; at != open_.end(); ++at) chain.push_back(at->second);
      chain.push_back(shown);
      incomplete_ = true;
      problem(before, fmt::format("extends makes a cycle: {}", fmt::join(chain, " -> ")));
      return;
    }
    if (too_many_) return;
    if (open_.size() >= kMostExtends || files_ >= kMostFiles) {
      too_many_ = incomplete_ = true;
      problem(before, fmt::format("extends: more than {} files in a row, or {} in all", kMostExtends, kMostFiles));
      return;
    }
    ++files_;
    std::ostringstream stream;
    stream << in.rdbuf();
    const std::string text = stream.str();
    if (const std::size_t line = line_too_deep(text); line != 0) {
      incomplete_ = true;
      problem(fmt::format("{}:{}", shown, line), kTooDeep);
      return;
    }
    toml::table table;
    try {
      table = toml::parse(text, shown);
    } catch (const toml::parse_error& e) {
      incomplete_ = true;
      problem(place_of(shown, e.source()), std::string(e.description()));
      return;
    }
    open_.emplace_back(canonical, shown);
    if (const toml::node* extends = table.get("extends")) extend(*extends, path, shown);
    ++rank_;
    flatten(table, "", shown);
    open_.pop_back();
  }

  void extend(const toml::node& extends, const fs::path& path, const std::string& shown) {
    const auto one = [&](const toml::node& node) {
      const auto* name = node.as_string();
      if (name == nullptr) {
        problem(place_of(shown, node.source()),
                fmt::format("extends is {}, expected a file name or a list of file names", written(raw_of(node))));
        return;
      }
      const fs::path base =
          fs::path(name->get()).is_absolute() ? fs::path(name->get()) : path.parent_path() / name->get();
      read(base, base.lexically_normal().string(), place_of(shown, node.source()));
    };
    if (const auto* list = extends.as_array()) {
      for (const toml::node& node : *list) one(node);
    } else {
      one(extends);
    }
  }

  void flatten(const toml::table& table, const std::string& prefix, const std::string& file) {
    // In the order of the file: the library keeps keys sorted.
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto& x = a.first->source().begin;
      const auto& y = b.first->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    for (const auto& [key, node] : entries) {
      const std::string name = prefix + std::string(key->str());
      if (name == "extends") continue;
      const std::string key_place = place_of(file, key->source());
      const int index = find_key(name);
      if (index >= 0) {
        apply(index, raw_of(*node), place_of(file, node->source()),
              fmt::format("{}:{}", file, node->source().begin.line));
      } else if (is_table(name)) {
        const toml::array* list = node->as_array();
        const bool region = name == kRegion && list != nullptr && list->is_homogeneous(toml::node_type::table);
        if (region && list->size() > 1) {
          problem(key_place, fmt::format("{} comes {} times, expected once: a die has two page sizes, nand.page and "
                                         "nand.region.page",
                                         kRegion, list->size()));
        } else if (const toml::table* inner = region ? list->get_as<toml::table>(0) : node->as_table()) {
          flatten(*inner, name + ".", file);
        } else {
          problem(key_place, fmt::format("{} is {}, expected a table; see: wordline explain {}", name,
                                         written(raw_of(*node)), name));
        }
      } else if (node->is_table() && prefix.empty()) {
        const std::string near = nearest(name, table_names());
        problem(key_place,
                fmt::format("unknown table {}{}", name,
                            near.empty() ? "; see: wordline explain" : fmt::format("; did you mean {}?", near)));
      } else {
        problem(key_place, unknown_key(name));
      }
    }
  }

  std::vector<Setting> settings_;
  std::vector<Mark> marks_;
  std::vector<std::pair<fs::path, std::string>> open_;
  std::size_t files_ = 0;  // read so far
  bool too_many_ = false;
  unsigned rank_ = 0;
  bool incomplete_ = false;  // a file could not be read
  std::string problems_;
};

}  // namespace

Loaded load(const std::string& path, const std::vector<std::string>& sets) {
  Loader loader;
  if (!path.empty()) loader.file(path);
  for (const std::string& set : sets) loader.set(set);
  return loader.finish();
}

}  // namespace wordline::config
