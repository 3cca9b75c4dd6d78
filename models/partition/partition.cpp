// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/partition/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

#include "models/engines/estimate.h"
#include "models/engines/gate_times.h"
#include "models/engines/synthesised.h"

namespace wordline::engines {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 120;  // columns of the tables and of the words

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

/// What a resource is called in a sentence.
std::string spoken(const std::string& resource) {
  static const std::map<std::string, std::string> kNames{{"cores", "the core"},
                                                         {"dies", "the busiest die"},
                                                         {"channels", "the busiest channel"},
                                                         {"dram", "the DRAM port"},
                                                         {"link", "the PCIe link"},
                                                         {"decoders", "the busiest decoder"},
                                                         {"retry", "read retry"},
                                                         {"gc", "GC"},
                                                         {"read_buffer", "the read buffer"},
                                                         {"write_buffer", "the write buffer"},
                                                         {"gc_buffer", "the GC buffer"},
                                                         {"free_space", "free space"},
                                                         {"flash_jobs", "the number of flash jobs"},
                                                         {"tags", "the number of tags"},
                                                         {"queue_depth", "the queue depth"},
                                                         {"host", "the host"},
                                                         {"t_r", "tR"},
                                                         {"t_prog", "tPROG"},
                                                         {"dma", "the DMA set-up"},
                                                         {"write_latency", "the write latency"},
                                                         {"link_latency", "the way over the link"},
                                                         {"arrival_rate", "the arrival rate"}};
  const auto found = kNames.find(resource);
  if (found != kNames.end()) return found->second;
  constexpr std::string_view kEngine = "engine_";
  if (resource.compare(0, kEngine.size(), kEngine) == 0) return "the engine " + resource.substr(kEngine.size());
  return resource;
}

/// What limits is no group of resources with a busy share: the load, or a time of the drive.
bool has_no_share(const std::string& limit) {
  static const std::set<std::string> kNames{"queue_depth", "arrival_rate",  "tags",         "host",        "t_r",
                                            "t_prog",      "write_latency", "link_latency", "same_sector", "map_cache",
                                            "no_data",     "none",          "engines"};
  return kNames.count(limit) != 0;
}

std::string short_name(const PartitionRow& row) {
  if (has_no_share(row.limit)) return row.limit;
  return fmt::format("{} {:.0f}%", row.limit, 100 * row.utilisation);
}

/// Lines of at most kColumns, all but the first set in.
std::string wrapped(std::string text) {
  std::size_t begin = 0;
  while (text.size() - begin > kColumns) {
    const std::size_t space = text.rfind(' ', begin + kColumns);
    if (space == std::string::npos || space <= begin + 2) break;
    text.replace(space, 1, "\n  ");
    begin = space + 1;
  }
  return text;
}

std::string cores_text(const PartitionRow& row) {
  std::vector<double> percent;
  for (const double busy : row.cores) percent.push_back(100 * busy);
  return fmt::format("{:.0f}", fmt::join(percent, "/"));
}

/// Rows that differ in cores only, in the order in which they first appear, by number of cores.
std::vector<std::vector<const PartitionRow*>> series(const std::vector<PartitionRow>& rows) {
  std::vector<std::vector<const PartitionRow*>> out;
  for (const PartitionRow& row : rows) {
    if (!row.like.empty()) continue;
    const auto fits = [&row](const std::vector<const PartitionRow*>& s) {
      return s.front()->placement.engines == row.placement.engines && s.front()->placement.sets == row.placement.sets &&
             std::none_of(s.begin(), s.end(),
                          [&row](auto* other) { return other->placement.cores == row.placement.cores; });
    };
    auto found = std::find_if(out.begin(), out.end(), fits);
    if (found == out.end()) found = out.insert(out.end(), std::vector<const PartitionRow*>{});
    found->push_back(&row);
  }
  for (auto& s : out) {
    std::sort(s.begin(), s.end(), [](auto* a, auto* b) { return a->placement.cores < b->placement.cores; });
  }
  return out;
}

std::string title(const PartitionRow& row) {
  std::string out = row.placement.engines.empty() ? "no engine" : row.placement.engine_text();
  for (const std::string& set : row.placement.sets) out += " " + set;
  return out;
}

/// `a` has all engines of `b`.
bool has_all(const Placement& a, const Placement& b) {
  return std::all_of(b.engines.begin(), b.engines.end(), [&a](const std::string& name) {
    return std::find(a.engines.begin(), a.engines.end(), name) != a.engines.end();
  });
}

bool measured_alike(const PartitionRow& a, const PartitionRow& b) {
  return a.requests != 0 && a.requests == b.requests && a.iops == b.iops && a.mean_us == b.mean_us &&
         a.p99_9_us == b.p99_9_us && a.cycles_per_io == b.cycles_per_io && a.cores == b.cores;
}

/// Which rows were left out of the table, by the row that they are like.
std::string alike_text(const std::vector<PartitionRow>& rows) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const PartitionRow& row : rows) {
    if (row.like.empty()) continue;
    auto found = std::find_if(groups.begin(), groups.end(), [&row](const auto& g) { return g.first == row.like; });
    if (found == groups.end()) found = groups.insert(found, {row.like, {}});
    found->second.push_back(row.placement.has_plain_name() ? row.placement.engine_text() : row.placement.name);
  }
  std::string out;
  for (const auto& [like, names] : groups) {
    out +=
        wrapped(fmt::format("Without effect on this workload, equal to \"{}\" in every number but gates and energy: {}",
                            like, fmt::join(names, ", "))) +
        '\n';
  }
  return out;
}

/// Letters for the sets of engines of rows whose names do not say them, and what each letter means.
class EngineLetters {
 public:
  explicit EngineLetters(const std::vector<PartitionRow>& rows) {
    for (const PartitionRow& row : rows) named_ = named_ || !row.placement.has_plain_name();
    for (const PartitionRow& row : rows) {
      if (named_ && row.like.empty() && !known(text(row))) sets_.push_back(text(row));
    }
    named_ = named_ && sets_.size() <= 26;
  }
  [[nodiscard]] bool needed() const { return named_; }
  [[nodiscard]] std::string letter(const PartitionRow& row) const {
    const auto at = std::find(sets_.begin(), sets_.end(), text(row)) - sets_.begin();
    return std::string(1, static_cast<char>('a' + at));
  }
  [[nodiscard]] std::string legend() const {
    std::string out = "engines:";
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      out += fmt::format("{} {} = {}", i == 0 ? "" : ";", static_cast<char>('a' + i), sets_[i]);
    }
    return wrapped(out) + '\n';
  }

 private:
  static std::string text(const PartitionRow& row) {
    return row.placement.engine_text() + (row.placement.drives_engines ? " (the drive's own)" : "");
  }
  [[nodiscard]] bool known(const std::string& text) const {
    return std::find(sets_.begin(), sets_.end(), text) != sets_.end();
  }

  std::vector<std::string> sets_;
  bool named_ = false;
};

/// In thousands; a range, where engines are only estimated.
std::string gates_text(const PartitionRow& row) {
  const auto& [low, high] = row.gates_range;
  if (low == high) return fmt::format("{:.1f}", row.gates * 1e-3);
  return fmt::format("{:.0f}-{:.0f}", low * 1e-3, high * 1e-3);
}

std::string count(std::uint32_t cores) { return fmt::format("{} {}", cores, cores == 1 ? "core" : "cores"); }

}  // namespace

PartitionRow partition_row(const Placement& placement, const config::Config& config, const std::string& text) {
  PartitionRow row;
  row.placement = placement;
  try {
    const Json result = Json::parse(text);
    double sum = 0;
    std::uint64_t most = 0;
    for (const auto& [op, io] : result.at("ios").items()) {
      const auto n = io.at("count").get<std::uint64_t>();
      row.requests += n;
      row.iops += io.at("iops").get<double>();
      sum += io.at("lat_ps").at("sum").get<double>();
      if (n <= most) continue;
      most = n;
      row.p99_9_of = op;
      row.p99_9_us = io.at("lat_ps").at("p99_9").get<double>() * 1e-6;
    }
    if (row.requests == 0) throw std::runtime_error("the workload has no requests");
    const auto requests = static_cast<double>(row.requests);
    row.mean_us = sum / requests * 1e-6;
    double cycles = 0;
    for (const auto& [tag, n] : result.at("firmware_cycles").items()) {
      if (tag != "boot") cycles += n.get<double>();
    }
    row.cycles_per_io = cycles / requests;
    row.cores = result.at("utilisation").at("cores").get<std::vector<double>>();
    const Json& bottleneck = result.at("bottleneck");
    row.limit = bottleneck.at("resource").get<std::string>();
    row.utilisation = bottleneck.at("utilisation").get<double>();
    row.busiest = bottleneck.at("busiest").get<std::string>();
    const Estimate core = core_estimate();
    row.gates = core.gates * placement.cores;
    row.gates_range = {row.gates, row.gates};
    for (const EngineRow& engine : kEngines) {
      row.gates += engine_estimate(engine.id, config).gates;
      const EstimateRange range = engine_range(engine.id, config);
      row.gates_range.low += range.low.gates;
      row.gates_range.high += range.high.gates;
    }
    row.energy_pj = row.cycles_per_io * core.energy.count();
    row.energy_range_pj = {row.energy_pj, row.energy_pj};
    if (result.contains("engines")) {
      for (const auto& [name, engine] : result.at("engines").items()) {
        if (name == kCompletionEntries) continue;  // of every placement, as command fetch is
        const EngineRow* const known = find_engine(name);
        if (known == nullptr) throw std::runtime_error(fmt::format("no estimate for engine {}", name));
        const double operations = engine.at("operations").get<double>() / requests;
        const EstimateRange range = engine_range(known->id, config);
        row.energy_pj += engine_estimate(known->id, config).energy.count() * operations;
        row.energy_range_pj.low += range.low.energy.count() * operations;
        row.energy_range_pj.high += range.high.energy.count() * operations;
        row.engines.emplace_back(name, engine.at("busy").get<double>());
      }
    }
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("{}: result.json: {}", placement.name, error.what()));
  }
  return row;
}

void find_alike(std::vector<PartitionRow>& rows) {
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    const auto found = std::find_if(rows.begin(), row, [&row](const PartitionRow& other) {
      return other.like.empty() && other.placement.sets == row->placement.sets &&
             other.placement.engines.size() < row->placement.engines.size() &&
             has_all(row->placement, other.placement) && measured_alike(other, *row);
    });
    if (found != row) row->like = found->placement.name;
  }
}

std::vector<std::string> partition_words(const std::vector<PartitionRow>& rows) {
  std::vector<std::string> out;
  const auto all = series(rows);
  for (const auto& s : all) {
    const auto limited = [](auto* row) { return row->core_limits(); };
    const auto free = std::find_if_not(s.begin(), s.end(), limited);
    std::string text = fmt::format("With {}, ", title(*s.front()));
    const auto what = [](const PartitionRow& row) {
      if (has_no_share(row.limit)) {
        return fmt::format("{} limits; {} is the busiest at {:.0f} %", spoken(row.limit), spoken(row.busiest),
                           100 * row.utilisation);
      }
      return fmt::format("{} is ({:.0f} % busy)", spoken(row.limit), 100 * row.utilisation);
    };
    if (free == s.begin()) {
      text += fmt::format("the core is not the limit at {}: {}.", count((*free)->placement.cores), what(**free));
    } else if (free != s.end()) {
      const PartitionRow& last_limited = **(free - 1);
      text += fmt::format("the core is the limit up to {} ({:.0f} IOPS); from {} on it is not: {}.",
                          count(last_limited.placement.cores), last_limited.iops, count((*free)->placement.cores),
                          what(**free));
    } else if (s.size() == 1) {
      text += fmt::format("the core is the limit at {} ({:.0f} % busy).", count(s.front()->placement.cores),
                          100 * s.front()->utilisation);
    } else {
      text += fmt::format("the core is the limit from {} to {} (the busiest {:.0f} % busy).",
                          s.front()->placement.cores, count(s.back()->placement.cores), 100 * s.back()->utilisation);
    }
    out.push_back(text);
    // Cores that bring nothing: the firmware has three tasks, and the busiest one cannot be divided.
    for (std::size_t i = 1; i < s.size(); ++i) {
      if (s[i - 1]->core_limits() && s[i]->core_limits() && s[i]->iops < 1.01 * s[i - 1]->iops) {
        out.push_back(
            fmt::format("  From {} to {} nothing is gained: the busiest task has a core of its own already, "
                        "and one task runs on one core.",
                        count(s[i - 1]->placement.cores), s[i]->placement.cores));
        break;
      }
    }
  }
  return out;
}

std::string partition_text(const std::vector<PartitionRow>& rows) {
  const EngineLetters letters(rows);
  std::size_t width = 9;
  const std::size_t most = letters.needed() ? 28 : 36;
  for (const PartitionRow& row : rows) width = std::max(width, std::min(row.placement.name.size(), most));
  const std::string tail = rows.empty() ? "" : rows.front().p99_9_of;
  const std::string head = letters.needed() ? " engines" : "";
  std::string out =
      fmt::format("{:<{}}{} {:>9} {:>9} {:>9} {:>9} {:>15} {:>8} {:>7} {}\n", "placement", width, head, "IOPS",
                  "mean us", "p99.9 us", "cycles/IO", "cores busy %", "nJ/IO *", "kGE *", "limit");
  for (const PartitionRow& row : rows) {
    if (!row.like.empty()) continue;
    out += fmt::format("{:<{}}{:<{}} {:>9.0f} {:>9.2f} {:>9.2f} {:>9.1f} {:>15} {:>8.2f} {:>7} {}\n",
                       row.placement.name.substr(0, width), width, letters.needed() ? " " + letters.letter(row) : "",
                       head.size(), row.iops, row.mean_us, row.p99_9_us, row.cycles_per_io, cores_text(row),
                       row.energy_pj * 1e-3, gates_text(row), short_name(row));
  }
  if (letters.needed()) out += letters.legend();
  out += alike_text(rows);
  out += fmt::format("mean: all requests; p99.9: {} requests; limit: what fills the latency.\n", tail);
  out += "*: cores and engines only, NAND2 equivalents with flip-flops, without memories: parse, l2p and victim as\n";
  out += "synthesised, a range with other engines, the energy estimated by us (docs/partitioning.md).\n";

  std::set<std::uint32_t> cores;
  for (const PartitionRow& row : rows) {
    if (row.like.empty()) cores.insert(row.placement.cores);
  }
  const auto all = series(rows);
  if (cores.size() > 1) {
    std::size_t left = 7;
    for (const auto& s : all) left = std::max(left, title(*s.front()).size());
    const std::string note = "   (c: the core limits)";
    left = std::min(left, kColumns - 11 * cores.size() - note.size());
    out += fmt::format("\n{:<{}}", "IOPS", left);
    for (const std::uint32_t n : cores) out += fmt::format(" {:>10}", count(n));
    out += note + "\n";
    for (const auto& s : all) {
      out += fmt::format("{:<{}}", title(*s.front()).substr(0, left), left);
      for (const std::uint32_t n : cores) {
        const auto at = std::find_if(s.begin(), s.end(), [n](auto* row) { return row->placement.cores == n; });
        out += at == s.end() ? fmt::format(" {:>10}", "-")
                             : fmt::format(" {:>8.0f} {}", (*at)->iops, (*at)->core_limits() ? "c" : " ");
      }
      out += '\n';
    }
  }
  out += '\n';
  for (const std::string& line : partition_words(rows)) out += wrapped(line) + '\n';
  return out;
}

std::string partition_json(const std::vector<PartitionRow>& rows,
                           const std::vector<std::pair<std::string, std::string>>& head) {
  Json json = Json::object();
  for (const auto& [key, value] : head) json[key] = value;
  json["placements"] = Json::array();
  for (const PartitionRow& row : rows) {
    Json engines = Json::object();
    for (const auto& [name, busy] : row.engines) engines[name] = rounded(busy);
    std::vector<double> cores;
    for (const double busy : row.cores) cores.push_back(rounded(busy));
    json["placements"].push_back(
        {{"name", row.placement.name},
         {"cores", row.placement.cores},
         {"task_core", row.placement.task_core},
         {"engines", row.placement.engines},
         {"engines_of_the_drive", row.placement.drives_engines},
         {"set", row.placement.sets},
         {"like", row.like},
         {"requests", row.requests},
         {"iops", rounded(row.iops)},
         {"mean_us", rounded(row.mean_us)},
         {"p99_9_us", rounded(row.p99_9_us)},
         {"p99_9_of", row.p99_9_of},
         {"cycles_per_io", rounded(row.cycles_per_io)},
         {"cores_busy", cores},
         {"engines_busy", engines},
         {"estimated_pj_per_io", rounded(row.energy_pj)},
         {"estimated_pj_per_io_range", {rounded(row.energy_range_pj.low), rounded(row.energy_range_pj.high)}},
         {"estimated_gates", std::round(row.gates)},
         {"estimated_gates_range", {std::round(row.gates_range.low), std::round(row.gates_range.high)}},
         {"limit", {{"resource", row.limit}, {"utilisation", rounded(row.utilisation)}, {"busiest", row.busiest}}},
         {"core_limits", row.core_limits()}});
  }
  json["synthesised"] = Json::object();
  for (const Synthesised& block : kSynthesised) {
    json["synthesised"][std::string(row_of(block.id).name)] = {{"block", block.block},
                                                               {"gate_equivalents", block.gate_equivalents()},
                                                               {"estimate_before", block.estimate_before},
                                                               {"flip_flops", block.flip_flops},
                                                               {"memory_bits", block.memory_bits}};
  }
  json["words"] = partition_words(rows);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wordline::engines
