// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/checks/boot_info.h"
#include "models/checks/hold_up.h"
#include "models/checks/not_modelled.h"
#include "models/checks/other_names.h"
#include "models/checks/read_forecast.h"
#include "models/config/schema.h"
#include "models/config/sha256.h"
#include "models/firmware/contract/closing.h"
#include "models/firmware/contract/map_port.h"
#include "models/firmware/firmware.h"
#include "models/nand/initial_blocks.h"
#include "models/units/index.h"

namespace wordline::config {
namespace {

constexpr std::size_t kCommentColumn = 44;

std::string padded(std::string line) {
  line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
  return line;
}

enum class Keys : bool { kAll, kThatChangeResults };

/// As TOML, table by table.
std::string toml_of(const Loaded& loaded, bool origins, Keys which = Keys::kAll) {
  std::string text;
  std::string_view table;
  const auto& keys = schema();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (which == Keys::kThatChangeResults && keys[i].only_observes) continue;
    if (table_of(keys[i].name) != table) {
      table = table_of(keys[i].name);
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", table);
      if (table == "nand.timing" && loaded.config.nand.timing.mode == ArrayTiming::kPinned) {
        text += "# mode = pinned: micro-operations are scaled so that they sum to t_r, t_prog and t_bers.\n";
      }
    }
    const Setting& setting = loaded.settings[i];
    const std::string line =
        fmt::format("{} = {}", keys[i].name.substr(table.size() + 1), format_value(keys[i], setting.value));
    text += origins ? fmt::format("{}# {}\n", padded(line), setting.origin) : line + "\n";
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
  std::string text = fmt::format("{}\n{}", key.name, wrapped(key.text, "  "));
  text += fmt::format("  value    {}{}\n", expectation(key), key.unit.empty() ? "" : fmt::format(" ({})", key.unit));
  text += fmt::format("  default  {}\n", format_value(key, default_value(key)));
  if (!key.source.empty()) text += fmt::format("  source   {}\n", key.source);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// `word` begins a word of `text`: "collect" finds "collector".
bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return true;
  }
  return false;
}

bool has_all(std::string_view text, const std::vector<std::string>& words) {
  const std::string all = lower(text);
  return std::all_of(words.begin(), words.end(), [&](const auto& word) { return has_word(all, word); });
}

std::string first_sentence(std::string_view text) {
  const auto end = text.find(". ");
  return std::string(text.substr(0, end == std::string_view::npos ? end : end + 1));
}

/// The keys with all of these words in name, text or source, a line each: those first that have them in their names,
/// then those whose first sentence has them, which is printed. Empty: none.
std::string keys_about(const std::string& words) {
  std::istringstream in(lower(words));
  const std::vector<std::string> wanted{std::istream_iterator<std::string>(in), {}};
  std::array<std::string, 3> found;
  for (const Key& key : schema()) {
    const std::string sentence = first_sentence(key.text);
    if (!has_all(fmt::format("{} {} {}", key.name, key.text, key.source), wanted)) continue;
    const std::size_t rank = has_all(key.name, wanted)                                   ? 0
                             : has_all(fmt::format("{} {}", key.name, sentence), wanted) ? 1
                                                                                         : 2;
    found.at(rank) += fmt::format("{}\n{}", key.name, wrapped(sentence, "  "));
  }
  const std::string all = found[0] + found[1] + found[2];
  if (all.empty()) return "";
  return fmt::format("No key is called {}. Keys that are about it (wordline explain KEY says more):\n\n{}", words, all);
}

std::string size_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string bit_errors_text(double errors) {
  if (errors < 0.1) return "below 0.1";
  return fmt::format("{:.{}f}", errors, errors < 10 ? 1 : 0);
}

/// What spare blocks cost, and how many are taken from the start; empty: there are none.
std::string spares_text(const Config& c, const Layout& l) {
  const NandGeometry& g = c.nand.geometry;
  if (c.ftl.spare_blocks == 0) return {};
  std::string text = fmt::format("  spares    {} of {} blocks of each plane", c.ftl.spare_blocks, g.blocks_per_plane);
  double lost = 0;
  if (c.nand.faults.bad_blocks > 0) {
    const nand::InitialBlocks blocks = nand::initial_blocks(c, l);
    text += fmt::format("; factory-bad blocks take up to {} of a {}", blocks.worst_plane,
                        g.plane_blocks == PlaneBlocks::kAny ? "plane" : "die");
    lost = blocks.without_spare;
    if (blocks.without_spare != 0) text += fmt::format(", {} superblocks are lost", blocks.without_spare);
  }
  const double usable = g.blocks_per_plane - c.ftl.spare_blocks - lost;
  return text + fmt::format("; {:.1f} % are superblocks\n", 100.0 * usable / g.blocks_per_plane);
}

/// The map of a drive that has it behind the port, or cached; empty: it lies in the cores' window.
std::string map_text(const Config& c, const Layout& l) {
  if (l.map_pages != 0) {
    const std::uint64_t frames = std::min<std::uint64_t>(c.ftl.map_cache.count() / l.lpage.bytes(), l.map_pages);
    const auto share = [&](std::uint64_t pages) {
      return 100.0 * static_cast<double>(pages) / static_cast<double>(l.map_pages);
    };
    std::string text = fmt::format("  map       on flash, in {} map pages of {}; the cache holds {} of them, {:.3g} %",
                                   l.map_pages, size_text(l.lpage.bytes()), frames, share(frames));
    if (const Bytes lent = std::min(c.nvme.hmb, c.host.hmb); lent.count() != 0) {
      const std::uint64_t copies =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(lent.count()) / l.lpage.bytes(), l.map_pages);
      text += fmt::format(", host memory copies of {}, {:.3g} %", copies, share(copies));
    }
    return text + '\n';
  }
  const wl_boot_info info = boot_info_of(c, l);
  if (wl_map_port_words(&info) == 0) return {};
  return fmt::format("  map       {} units, {} behind the map port\n",
                     size_text(std::uint64_t{l.map_page} * l.lpage.bytes()), size_text(wl_map_port_words(&info) * 4));
}

/// What share of the drive is there; empty: all of it.
std::string scale_text(const Config& c, const Layout& l, const std::string& blocks) {
  const std::uint32_t factor = c.nand.geometry.scale_down;
  if (factor == 1) return {};
  return fmt::format("  scaled    by {}: {} of {} blocks of each plane; it stands for a drive that exports {}\n",
                     factor, c.nand.geometry.blocks_per_plane, blocks,
                     size_text(l.user_lpages * l.lpage.bytes() * factor));
}

/// The blocks with smaller pages; empty: there are none.
std::string region_text(const Config& c, const Layout& l) {
  const std::uint32_t blocks = c.nand.region.blocks_per_plane;
  if (blocks == 0) return {};
  const std::uint64_t lpages =
      std::uint64_t{l.dies} * c.nand.geometry.planes * blocks * l.small.pages * l.small.lpages_per_page;
  return fmt::format("  region    beside them {} blocks x {} pages x {}, {:.1f} % of the raw capacity\n", blocks,
                     l.small.pages, size_text(l.small.page.count()),
                     100.0 * static_cast<double>(lpages) / static_cast<double>(l.raw_lpages));
}

std::string state_text(const Precondition& p) {
  if (!p.file.empty()) return fmt::format("as {} says", p.file);
  const bool until_steady = p.fill == PreconditionFill::kSteady && p.overwrites == 0;
  const std::string then =
      until_steady       ? ", then overwritten at random until write amplification is steady"
      : p.overwrites > 0 ? fmt::format(", then overwritten at random {} times the exported capacity", p.overwrites)
                         : "";
  switch (p.fill) {
    case PreconditionFill::kSequential:
    case PreconditionFill::kSteady:
      return "every logical page written once, in order" + then;
    case PreconditionFill::kRandom:
      return "every logical page written once, in random order" + then;
    case PreconditionFill::kNone:
      break;
  }
  return "fresh";
}

std::string start_text(const Precondition& p) {
  std::string text = state_text(p);
  for (const RegionAge& region : p.ages) {
    text += fmt::format("; {}-{} % is {} days old", region.from, region.to, region.days);
  }
  return text;
}

/// What happens when the host's power fails.
std::string hold_up_text(const Config& c, const Layout& l) {
  if (!c.ftl.power_safe && c.power.hold_up == 0) return {};
  const HoldUpNeed need = hold_up_need(c, l);
  const double joules = need.joules();
  const std::string covers = c.power.hold_up == 0 ? "power.hold_up = 0J: taken at its word"
                             : c.power.hold_up >= joules
                                 ? fmt::format("power.hold_up = {:.3g} mJ covers it", 1e3 * c.power.hold_up)
                                 : fmt::format("power.hold_up = {:.3g} mJ does not cover it", 1e3 * c.power.hold_up);
  return fmt::format(
      "  power     a full write buffer needs some {:.3g} mJ in {:.3g} ms ({} programs): {:.3g} mF from {:g} V to {:g} "
      "V; {}; more where GC has to make room first\n",
      1e3 * joules, static_cast<double>(need.time.count()) * 1e-9, need.programs, 1e3 * capacitor_for(c.power, joules),
      c.power.capacitor_charged, c.power.capacitor_empty, covers);
}

/// What a mount by records takes of the drive; empty: there is none.
std::string recovery_text(const Config& c, const Layout& l) {
  if (c.ftl.recovery == Recovery::kNone) return {};
  const wl_boot_info info = boot_info_of(c, l);
  const std::uint32_t units = l.dies * l.programs_per_block;
  const std::uint32_t closing = wl_closing_room(&info, units, l.lpages_per_program);
  std::string text =
      fmt::format("  recovery  a closing record takes {:.2g} % of each superblock", 100.0 * closing / units);
  const std::uint32_t programs = info.ftl.word_line_programs, word_lines = 2 * l.dies;
  if (programs > 1) {
    // As the firmware has it (models/firmware/buffer/units.c); one more unit is for closing records.
    const std::uint64_t unit = l.lpages_per_program * l.lpage.bytes();
    const std::uint64_t held = std::min<std::uint64_t>((c.ftl.gc_buffer.count() / unit - 1) / programs, word_lines);
    text += fmt::format("; GC has room for {} word lines that are not complete", held);
    if (held < word_lines) {
      text += fmt::format(", and makes use of {}: ftl.gc_buffer = {}KiB", word_lines,
                          (std::uint64_t{word_lines} * programs + 1) * unit / 1024);
    }
  }
  return text + "\n";
}

/// What is left when a die has failed: superblocks hold a unit less in each row then
/// (models/firmware/space/dead_die.c).
std::string parity_text(const Config& c, const Layout& l) {
  if (c.ftl.parity == Parity::kNone) return {};
  const wl_boot_info info = boot_info_of(c, l);
  const std::uint32_t units = l.dies * l.programs_per_block;
  const std::uint32_t rows = (units - wl_closing_room(&info, units, l.lpages_per_program)) / l.dies;
  const std::uint64_t room = std::uint64_t{rows} * (l.dies - 2) * l.lpages_per_program;
  const std::uint64_t reserve =
      std::max<std::uint32_t>(info.gc_reserve_superblocks, 2) - (info.ftl.gc_pacing != 0 ? 1 : 0);
  const std::uint64_t needed = (l.user_lpages + room - 1) / room + reserve + wl_open_superblocks(&info);
  std::string text = fmt::format("  parity    one program in {}; ", l.dies);
  if (needed > l.superblocks) {
    return text + fmt::format(
                      "with a dead die the drive is read-only: its data and work take {} superblocks of {}; more "
                      "ftl.over_provisioning\n",
                      needed, l.superblocks);
  }
  const double left = static_cast<double>(l.superblocks * room) / static_cast<double>(l.user_lpages) - 1;
  return text + fmt::format("with a dead die it has {:.3g} % of over-provisioning left\n", 100 * left);
}

/// How much the host's data find of an SLC cache; empty: there is none.
std::string slc_cache_text(const Config& c, const Layout& l) {
  if (!c.ftl.has_slc_cache()) return {};
  const std::uint64_t page = std::uint64_t{l.lpages_per_mpage} * l.lpage.bytes();  // of all planes, of a word line
  const std::uint64_t each = page * l.dies * l.programs_per_block;
  return fmt::format("  slc cache {}, up to {} superblocks with one bit a cell: {} of the host's data; {}\n",
                     c.ftl.slc.cache == SlcCache::kStatic ? "static" : "dynamic", c.ftl.slc.superblocks,
                     size_text(each * c.ftl.slc.superblocks),
                     c.ftl.idle_after == Picoseconds(0) ? "GC alone empties it (ftl.idle_after = 0s)"
                                                        : "folded while the host is silent");
}

using Json = nlohmann::ordered_json;

/// As print_config() writes it, for programs.
Json json_of(const Key& key, const Value& value) {
  if (key.kind == Kind::kString && !key.is_list()) return std::get<std::string>(std::get<Scalar>(value));
  return Json::parse(format_value(key, value));
}

Json json_of(const Loaded& loaded) {
  Json tables = Json::object();
  const auto& keys = schema();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Json* at = &tables;
    std::string_view left = keys[i].name;
    for (auto dot = left.find('.'); dot != std::string_view::npos; dot = left.find('.')) {
      at = &(*at)[std::string(left.substr(0, dot))];
      left.remove_prefix(dot + 1);
    }
    (*at)[std::string(left)] = json_of(keys[i], loaded.settings[i].value);
  }
  return tables;
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
  text += fmt::format(
      "  drive     {} channels x {} packages x {} dies = {} dies, {} raw, {} exported ({} logical pages of {})\n",
      c.channels.count, c.channels.packages, c.channels.dies_per_package, l.dies,
      size_text(l.raw_lpages * l.lpage.bytes()), size_text(l.user_lpages * l.lpage.bytes()), l.user_lpages,
      size_text(l.lpage.bytes()));
  text += fmt::format("  die       {}, {} planes x {} blocks x {} pages x {}, programmed by {} ({} at once)\n",
                      value("nand.cell"), g.planes, g.blocks_per_plane, l.pages_per_block, size_text(g.page.count()),
                      value("nand.program"), size_text(std::uint64_t{l.lpages_per_program} * l.lpage.bytes()));
  text += scale_text(c, l, value("nand.blocks_per_plane"));
  text += region_text(c, l);
  text += map_text(c, l);
  text += spares_text(c, l);
  if (c.nand.timing.mode == ArrayTiming::kPinned) {
    text += fmt::format("  array     pinned: tR {}, tPROG {}, tBERS {}; micro-operations are scaled to these totals\n",
                        value("nand.timing.t_r"), value("nand.timing.t_prog"), value("nand.timing.t_bers"));
  } else {
    text += fmt::format("  array     derived: sense {}, pulse {}, verify {}, erase {} loops of {}\n",
                        value("nand.timing.t_sense"), value("nand.timing.t_pgm"), value("nand.timing.t_vfy"),
                        value("nand.timing.erase_loops"), value("nand.timing.t_erase_pulse"));
  }
  text += fmt::format("  channel   {}, link {}, DRAM {}\n", value("channels.rate"), value("link.bandwidth"),
                      value("dram.bandwidth"));
  text += fmt::format("  firmware  {}, {} cores at {}, tasks on {}, {} write buffer\n", value("cpu.model"),
                      value("cpu.cores"), value("cpu.clock"), value("cpu.task_core"), value("ftl.write_buffer"));
  const ReadForecast forecast = read_forecast(c);
  text += fmt::format(
      "  errors    first reads of the worst layer: {} bit errors in a codeword of {} bits, fresh {}; the decoder "
      "corrects {:.0f}{}\n",
      bit_errors_text(forecast.configured), forecast.codeword_bits, bit_errors_text(forecast.fresh),
      forecast.capability, forecast.configured > forecast.capability ? ": read retries, perhaps lost data" : "");
  text += recovery_text(c, l);
  text += parity_text(c, l);
  text += slc_cache_text(c, l);
  text += hold_up_text(c, l);
  text += fmt::format("  at start  {}\n", start_text(c.precondition));
  return text;
}

std::string print_config(const std::string& path, const std::vector<std::string>& sets) {
  return fmt::format("# Effective configuration of {}\n{}", path, toml_of(load(path, sets), true));
}

std::string print_configs(const std::string& path, const std::vector<std::vector<std::string>>& points) {
  std::string text;
  for (const auto& sets : points) {
    Json line = Json::object();
    try {
      line["config"] = json_of(load(path, sets));
    } catch (const ConfigError& error) {
      line["error"] = error.what();
    }
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
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
  const std::string absent = why_not_there(key_or_table);
  for (std::size_t from = 0; from < absent.size();) {  // line by line
    const std::size_t end = absent.find('\n', from);
    text += wrapped(std::string_view(absent).substr(from, end - from), "");
    from = end + 1;
  }
  if (const std::string here = called_here(key_or_table); !here.empty()) {
    text += (text.empty() ? "" : "\n") + wrapped(here, "");
  }
  const std::string about = keys_about(key_or_table);
  if (!about.empty()) return text.empty() ? about : fmt::format("{}\n{}", text, about);
  if (!text.empty()) return text;
  if (const auto now = what_became_of(key_or_table); !now.empty()) {
    throw ConfigError(fmt::format("error: {} {}", key_or_table, now));
  }
  std::vector<std::string_view> names = key_names();
  names.insert(names.end(), table_names().begin(), table_names().end());
  const std::string near = nearest(key_or_table, names);
  throw ConfigError(fmt::format("error: unknown key {}{}", key_or_table,
                                near.empty()
                                    ? "; all keys: wordline explain; what there is not: wordline explain not modelled"
                                    : fmt::format("; did you mean {}?", near)));
}

std::string effective_toml(const Loaded& loaded) { return toml_of(loaded, false); }

std::string config_sha256(const Loaded& loaded) { return sha256(toml_of(loaded, false, Keys::kThatChangeResults)); }

}  // namespace wordline::config
