// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the hardware engines, from their table: a switch for each, and three times for those that are pipelines.
#include <fmt/core.h>

#include <string>
#include <utility>

#include "models/config/assign.h"
#include "models/config/schema.h"
#include "models/engines/table/engine_table.h"

namespace wordline::config {
namespace {

/// The name of a key, or its text, must outlive the table of keys.
template <std::size_t row>
struct Texts {
  const std::string name = fmt::format("engines.{}", engines::kEngines[row].name);
  const std::string latency = name + "_latency", interval = name + "_interval", depth = name + "_depth";
  const std::string latency_text =
      fmt::format("Time of one operation of {}, without the memory that it waits for.", name);
  const std::string interval_text =
      fmt::format("Time from the beginning of an operation of {} to that of the next.", name);
  const std::string depth_text = fmt::format("Operations of {} under way at once; further ones wait.", name);
};

/// A template, since the functions of a field are plain ones.
template <std::size_t row>
void add_keys_of(std::vector<Key>& keys) {
  static const Texts<row> texts;
  constexpr const engines::EngineRow& engine = engines::kEngines[row];
  const Field on = {
      [](Config& c, const Value& v) { c.engines.by_row[row].on = std::get<std::int64_t>(std::get<Scalar>(v)) == 1; },
      [](const Config& c) -> Value { return Scalar(std::int64_t{c.engines.by_row[row].on ? 1 : 0}); }};
#define ROW_FIELD(member)                                                               \
  Field {                                                                               \
    [](Config& c, const Value& v) { assign(c.engines.by_row[row].member, v); },         \
        [](const Config& c) -> Value { return value_of(c.engines.by_row[row].member); } \
  }
  const engines::Times& times = engine.times;
  keys.push_back(choice(texts.name, engine.by_default.on ? "on" : "off", {"off", "on"}, engine.text, "", on));
  if (!engine.timed()) return;
  keys.push_back({texts.latency, Kind::kTime, "", times.latency, "0ps", "1ms", texts.latency_text, times.source,
                  ROW_FIELD(latency)});
  keys.push_back({texts.interval, Kind::kTime, "", times.interval, "0ps", "1ms", texts.interval_text, times.source,
                  ROW_FIELD(interval)});
  keys.push_back({texts.depth, Kind::kInteger, "operations", times.depth, "1", "64", texts.depth_text, times.source,
                  ROW_FIELD(depth)});
#undef ROW_FIELD
}

template <std::size_t... rows>
void add_all(std::vector<Key>& keys, std::index_sequence<rows...>) {
  (add_keys_of<rows>(keys), ...);
}

}  // namespace

void add_engine_keys(std::vector<Key>& keys) {
  keys.push_back(choice(
      "engines.model", "model", {"model", "rtl"},
      "rtl = those of engines.parse, engines.l2p and engines.victim that are on, with host.model = nvme "
      "the completion engine, and with ftl.parity = dies the XOR units, run in gates, Verilated (rtl/engines, "
      "rtl/parity): what they answer and how long they take is the gates', at 500 MHz, and a difference from the "
      "model ends the run. Slower. The other engines have no gates in the drive.",
      "", FIELD(engines.model)));
  keys.push_back(
      needing("engines.model = rtl",
              choice("engines.gates", "all", {"all", "parse", "l2p", "victim", "parity", "completion_entry"},
                     "Which of those that engines.model = rtl names run in gates: all, or one; parity = the XOR "
                     "units.",
                     "", FIELD(engines.gates))));
  add_all(keys, std::make_index_sequence<engines::kEngineCount>());
  constexpr const char* kRtl = "engines.model = rtl: the model has no ports";
  keys.push_back(needing(
      kRtl, {"engines.rtl.parse", Kind::kString, "", "\"\"", "", "",
             "With engines.model = rtl, a shared object with a command parser of your own for engines.parse, made by "
             "wordline_rtl_block() of CMake (docs/own_rtl.md), relative to the working directory; empty: the shipped "
             "one. Its ports are checked in every clock, its answers are compared with the model's, and its clocks, at "
             "500 MHz, are the drive's.",
             "", FIELD(engines.rtl.parse)}));
  keys.push_back(needing(kRtl, {"engines.rtl.l2p", Kind::kString, "", "\"\"", "", "",
                                "As engines.rtl.parse, an L2P lookup for engines.l2p.", "", FIELD(engines.rtl.l2p)}));
  keys.push_back(
      needing(kRtl, {"engines.rtl.victim", Kind::kString, "", "\"\"", "", "",
                     "As engines.rtl.parse, a victim selector for engines.victim.", "", FIELD(engines.rtl.victim)}));
}

}  // namespace wordline::config
