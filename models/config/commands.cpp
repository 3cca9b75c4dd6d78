// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/commands.h"

#include <algorithm>
#include <cstdio>

#include "models/config/schema.h"
#include "models/config/sha256.h"
#include "models/units/index.h"

namespace wordline::config {
namespace {

constexpr std::size_t kCommentColumn = 44;

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

std::string padded(std::string line) {
  line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
  return line;
}

/// All keys as TOML, table by table.
std::string toml_of(const Loaded& loaded, bool origins) {
  std::string text;
  std::string_view table;
  const auto& keys = schema();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (table_of(keys[i].name) != table) {
      table = table_of(keys[i].name);
      text += (text.empty() ? "[" : "\n[") + std::string(table) + "]\n";
      if (table == "nand.timing" && loaded.config.nand.timing.mode == ArrayTiming::kPinned) {
        text += "# mode = pinned: micro-operations are scaled so that they sum to t_r, t_prog and t_bers.\n";
      }
    }
    const std::string line =
        std::string(keys[i].name.substr(table.size() + 1)) + " = " + format_value(keys[i], loaded.settings[i].value);
    text += (origins ? padded(line) + "# " + loaded.settings[i].origin : line) + "\n";
  }
  return text;
}

/// Text broken at spaces into lines of at most `width`, each after `indent`.
std::string wrapped(std::string_view text, const std::string& indent, std::size_t width = 100) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (column == 0 || column + 1 + word.size() > width) {
      out += (column == 0 ? "" : "\n") + indent;
      column = 0;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text = end == text.size() ? std::string_view() : text.substr(end + 1);
  }
  return out + "\n";
}

std::string explain_key(const Key& key) {
  std::string text = std::string(key.name) + "\n" + wrapped(key.text, "  ");
  text += "  value    " + expectation(key) + (key.unit.empty() ? "" : " (" + std::string(key.unit) + ")") + "\n";
  text += "  default  " + format_value(key, default_value(key)) + "\n";
  if (!key.source.empty()) text += "  source   " + std::string(key.source) + "\n";
  return text;
}

std::string size_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return format("%.4g %s", value, kUnits[unit]);
}

std::string setting(const Loaded& loaded, std::string_view name) {
  const auto index = static_cast<std::size_t>(find_key(name));
  std::string text = format_value(schema()[index], loaded.settings[index].value);
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return text;
}

}  // namespace

std::string check(const std::string& path, const std::vector<std::string>& sets) {
  const Loaded loaded = load(path, sets);
  const Config& c = loaded.config;
  const NandGeometry& g = c.nand.geometry;
  const Layout l = layout_of(c);
  const auto value = [&](std::string_view name) { return setting(loaded, name); };
  std::string text = path + ": valid\n";
  text +=
      format("  drive     %u channels x %u packages x %u dies = %u dies, %s raw, %s exported (%llu sectors of 4 KiB)\n",
             c.channels.count, c.channels.packages, c.channels.dies_per_package, l.dies,
             size_text(l.raw_sectors * kSectorBytes).c_str(), size_text(l.user_sectors * kSectorBytes).c_str(),
             static_cast<unsigned long long>(l.user_sectors));
  text += format("  die       %s, %u planes x %u blocks x %u pages x %s, programmed by %s (%s at once)\n",
                 value("nand.cell").c_str(), g.planes, g.blocks_per_plane, l.pages_per_block,
                 size_text(g.page.count()).c_str(), value("nand.program").c_str(),
                 size_text(std::uint64_t{l.sectors_per_unit} * kSectorBytes).c_str());
  if (c.nand.timing.mode == ArrayTiming::kPinned) {
    text += "  array     pinned: tR " + value("nand.timing.t_r") + ", tPROG " + value("nand.timing.t_prog") +
            ", tBERS " + value("nand.timing.t_bers") + "; micro-operations are scaled to these totals\n";
  } else {
    text += "  array     derived: sense " + value("nand.timing.t_sense") + ", pulse " + value("nand.timing.t_pgm") +
            ", verify " + value("nand.timing.t_vfy") + ", erase " + value("nand.timing.erase_loops") + " loops of " +
            value("nand.timing.t_erase_pulse") + "\n";
  }
  text += "  channel   " + value("channels.rate") + ", link " + value("link.bandwidth") + ", DRAM " +
          value("dram.bandwidth") + "\n";
  text += "  firmware  " + value("cpu.model") + ", " + value("cpu.cores") + " cores at " + value("cpu.clock") +
          ", tasks on " + value("cpu.task_core") + ", " + value("ftl.write_buffer") + " write buffer\n";
  text += "  at start  " +
          std::string(c.precondition.fill == PreconditionFill::kSequential ? "every sector written once, in order"
                                                                           : "fresh") +
          "\n";
  return text;
}

std::string print_config(const std::string& path, const std::vector<std::string>& sets) {
  return "# Effective configuration of " + path + "\n" + toml_of(load(path, sets), true);
}

std::string explain(const std::string& key_or_table) {
  std::string text;
  for (const Key& key : schema()) {
    const std::string_view name = key.name;
    const bool inside = name.size() > key_or_table.size() && name.substr(0, key_or_table.size()) == key_or_table &&
                        name[key_or_table.size()] == '.';
    if (key_or_table.empty() || name == key_or_table || inside) {
      text += (text.empty() ? "" : "\n") + explain_key(key);
    }
  }
  if (!text.empty()) return text;
  std::vector<std::string_view> names = key_names();
  names.insert(names.end(), table_names().begin(), table_names().end());
  const std::string near = nearest(key_or_table, names);
  throw ConfigError("error: unknown key " + key_or_table +
                    (near.empty() ? std::string("; all keys: wordline explain") : "; did you mean " + near + "?"));
}

std::string effective_toml(const Loaded& loaded) { return toml_of(loaded, false); }

std::string config_sha256(const Loaded& loaded) { return sha256(effective_toml(loaded)); }

}  // namespace wordline::config
