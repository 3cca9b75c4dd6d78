// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/improvements.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <optional>

#include "models/config/schema.h"
#include "models/engines/gate_times.h"

namespace wordline::config {
namespace {

using Sets = std::vector<std::string>;

class Table {
 public:
  explicit Table(const Loaded& loaded) : loaded_(loaded) {}

  /// "key=value" with the key's value times `up` over `down`; nothing where that is not a whole number of its units and
  /// `exact`.
  [[nodiscard]] std::optional<std::string> scaled(const char* key, int up, int down, bool exact = false) const {
    const Key& of = schema().at(static_cast<std::size_t>(find_key(key)));
    const Value& value = loaded_.settings.at(static_cast<std::size_t>(find_key(key))).value;
    std::vector<std::string> parts;
    const auto part = [&](const Scalar& scalar) {
      Scalar result = scalar;
      if (const auto* whole = std::get_if<std::int64_t>(&scalar)) {
        if (exact && *whole * up % down != 0) return false;
        result = *whole * up / down;
      } else if (const auto* real = std::get_if<double>(&scalar)) {
        result = *real * up / down;
      }
      if (has_unit(of.kind)) {
        parts.push_back(format_quantity(of.kind, result));
      } else if (const auto* whole = std::get_if<std::int64_t>(&result)) {
        parts.push_back(std::to_string(*whole));
      } else {
        parts.push_back(format_real(std::get<double>(result)));
      }
      return true;
    };
    if (const auto* scalar = std::get_if<Scalar>(&value)) {
      if (!part(*scalar)) return std::nullopt;
      return fmt::format("{}={}", key, parts.front());
    }
    for (const Scalar& scalar : std::get<std::vector<Scalar>>(value)) {
      if (!part(scalar)) return std::nullopt;
    }
    const char* const mark = has_unit(of.kind) ? "\"" : "";
    std::string list;
    for (const std::string& text : parts) list += fmt::format("{}{}{}{}", list.empty() ? "" : ", ", mark, text, mark);
    return fmt::format("{}=[{}]", key, list);
  }

  struct Factor {
    const char* key;
    int up, down;
    bool exact = false;
  };
  /// All of them, or nothing.
  [[nodiscard]] std::vector<Sets> way(std::initializer_list<Factor> factors) const {
    Sets sets;
    for (const Factor& factor : factors) {
      const auto set = scaled(factor.key, factor.up, factor.down, factor.exact);
      if (!set) return {};
      sets.push_back(*set);
    }
    return {sets};
  }

 private:
  const Loaded& loaded_;
};

void add_flash(const Table& table, const Config& c, const Need& workload, std::vector<Improvement>& all) {
  Improvement dies{"dies", "dies x2", {}, {}, false, false, {}};
  const auto more_dies = [&](const char* less, const char* note) {
    const auto way = table.way({{"channels.packages", 2, 1}, {less, 1, 2, true}});
    if (way.empty()) return;
    dies.ways.push_back(way.front());
    dies.notes.emplace_back(note);
  };
  more_dies("nand.wls_per_layer", "of half the capacity: half the word lines of a layer");
  more_dies("nand.layers", "of half the capacity: half the layers");
  more_dies("nand.blocks_per_plane", "of half the capacity: half the blocks");
  if (c.nand.region.blocks_per_plane != 0) {
    dies.why_not = "the dies have two page sizes, and half of such a die is another drive";
  } else if (dies.ways.empty()) {
    dies.why_not = "word lines of a layer, layers and blocks of a plane are odd: the dies cannot be halved";
  }
  all.push_back(std::move(dies));

  Improvement channels{"channels", "flash bus x2", {}, {}, false, false, {}};
  channels.ways = table.way({{"channels.rate", 2, 1}});
  channels.notes.emplace_back("the same channels at twice the rate");
  for (const char* const key : {"channels.packages", "channels.dies_per_package"}) {
    for (const Sets& way : table.way({{"channels.count", 2, 1}, {key, 1, 2, true}})) {
      channels.ways.push_back(way);
      channels.notes.emplace_back("twice the channels, with half the dies each: their decoders, too");
    }
  }
  all.push_back(std::move(channels));

  Improvement t_r{"t_r", "tR /2", {}, {}, false, false, {}};
  t_r.ways =
      c.nand.timing.mode == ArrayTiming::kPinned
          ? table.way({{"nand.timing.t_r", 1, 2}})
          : table.way(
                {{"nand.timing.t_precharge", 1, 2}, {"nand.timing.t_sense", 1, 2}, {"nand.timing.t_discharge", 1, 2}});
  if (!workload.reads && !workload.collected) t_r.why_not = "the workload reads nothing, and GC moved nothing";
  all.push_back(std::move(t_r));

  Improvement t_prog{"t_prog", "tPROG /2", {}, {}, false, false, {}};
  t_prog.ways = c.nand.timing.mode == ArrayTiming::kPinned
                    ? table.way({{"nand.timing.t_prog", 1, 2}})
                    : table.way({{"nand.timing.t_pgm", 1, 2}, {"nand.timing.t_vfy", 1, 2}});
  if (!workload.writes) t_prog.why_not = "the workload writes nothing";
  all.push_back(std::move(t_prog));

  Improvement retry{"retry", "aging /2", {}, {}, false, false, {}};
  retry.ways = table.way({{"nand.aging.pe_cycles", 1, 2}, {"nand.aging.retention_days", 1, 2}});
  retry.notes.emplace_back("half the P/E cycles and half the retention: fewer retries");
  if (c.nand.aging.pe_cycles == 0 && c.nand.aging.retention_days == 0) {
    retry.why_not = "the flash is fresh (nand.aging.pe_cycles = 0, retention_days = 0)";
  }
  all.push_back(std::move(retry));

  Improvement decoders{"decoders", "decoders x2", table.way({{"ecc.clock", 2, 1}}), {}, false, false, {}};
  if (!workload.reads && !workload.collected) decoders.why_not = "the workload reads nothing, and GC moved nothing";
  all.push_back(std::move(decoders));
}

void add_controller(const Table& table, const Config& c, const Need& workload, std::vector<Improvement>& all) {
  const auto add = [&](const char* resource, const char* change, std::vector<Sets> ways, std::string why_not = {}) {
    all.push_back({resource, change, std::move(ways), {}, false, false, std::move(why_not)});
  };
  const auto unless = [](bool applies, const char* reason) { return applies ? std::string() : std::string(reason); };
  add("cores", "core clock x2", table.way({{"cpu.clock", 2, 1}}));
  Sets engines;
  for (const engines::EngineRow& row : engines::kEngines) {
    if (!row.timed() || !c.engines.by_row[static_cast<std::size_t>(row.id)].on) continue;
    for (const char* const what : {"interval", "latency"}) {
      const std::string key = fmt::format("engines.{}_{}", row.name, what);
      if (const auto set = table.scaled(key.c_str(), 1, 2)) engines.push_back(*set);
    }
  }
  if (engines::completion_engine(c).on) {
    if (const auto set = table.scaled("nvme.completion_time", 1, 2)) engines.push_back(*set);
  }
  add("engines", "engines x2", {engines}, unless(!engines.empty(), "no engine takes time"));
  add("dram", "DRAM x2", table.way({{"dram.bandwidth", 2, 1}}));
  Sets host;
  for (const char* const key : {"host.submission_cost", "host.interrupt_cost", "host.completion_cost"}) {
    if (is_default(key, c)) continue;
    if (const auto set = table.scaled(key, 1, 2)) host.push_back(*set);
  }
  if (!host.empty()) add("host_cores", "host's costs /2", {host});
  add("link", "link x2", table.way({{"link.bandwidth", 2, 1}}));
  add("link_latency", "link latency /2", table.way({{"link.latency", 1, 2}}));
  add("dma", "DMA set-up /2", table.way({{"link.dma_setup", 1, 2}}),
      unless(c.link.dma_setup > Picoseconds(0), "link.dma_setup is 0"));
  add("write_latency", "write latency /2", table.way({{"nvme.write_latency", 1, 2}}),
      !workload.writes ? "the workload writes nothing"
                       : unless(c.nvme.write_latency > Picoseconds(0), "nvme.write_latency is 0"));
  add("write_buffer", "write buffer x2", table.way({{"ftl.write_buffer", 2, 1}}),
      unless(workload.write_buffer, "no write waited for a slot of it"));
  add("read_buffer", "read buffer x2", table.way({{"ftl.read_buffer", 2, 1}}),
      unless(workload.read_buffer, "no read waited for a slot of it"));
  add("gc_buffer", "GC buffer x2", table.way({{"ftl.gc_buffer", 2, 1}}),
      unless(workload.gc_buffer, "GC did not wait for it"));
  add("gc", "over-provisioning x2", table.way({{"ftl.over_provisioning", 2, 1}}),
      unless(workload.collected, "GC moved nothing"));
  all.back().notes.emplace_back("of the same flash less is for the user, and the workload goes over that");
  add("tags", "tags x2", table.way({{"nvme.tags", 2, 1}}),
      unless(workload.queue_depth == 0 || workload.queue_depth > c.nvme.tags, "the workload never uses all of them"));
}

void add_load(const Need& workload, std::vector<Improvement>& all) {
  all.push_back({"queue_depth", "queue depth x2", {{}}, {}, true, false, {}});
  if (workload.open_loop) all.back().why_not = "requests arrive at times of their own";
  all.push_back({workload.open_loop ? "arrival_rate" : "host", "host x2", {{}}, {}, false, true, {}});
  all.back().notes.emplace_back("twice the rate, half the think time");
  if (!workload.paced) all.back().why_not = "the workload has no rate and no think time";
}

}  // namespace

std::vector<Improvement> improvements(const Loaded& loaded, const Need& workload) {
  const Table table(loaded);
  std::vector<Improvement> all;
  add_flash(table, loaded.config, workload, all);
  add_controller(table, loaded.config, workload, all);
  add_load(workload, all);
  return all;
}

Way valid_way(const Improvement& improvement, const std::string& config, const std::vector<std::string>& sets) {
  Way found;
  if (!improvement.why_not.empty()) {
    found.why_not = improvement.why_not;
    return found;
  }
  for (std::size_t i = 0; i < improvement.ways.size(); ++i) {
    std::vector<std::string> all = sets;
    all.insert(all.end(), improvement.ways[i].begin(), improvement.ways[i].end());
    try {
      static_cast<void>(load(config, all));
      found.sets = improvement.ways[i];
      found.note = i < improvement.notes.size() ? improvement.notes[i] : std::string();
      found.why_not.clear();
      return found;
    } catch (const ConfigError& error) {
      const std::string text = error.what();
      found.why_not = fmt::format("no such drive: {}", text.substr(0, text.find('\n')));
    }
  }
  return found;
}

}  // namespace wordline::config
