// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every row of the table of engines reaches all that is made from it. What one engine does is tested with that engine.
#include "models/engines/table/engine_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "models/checks/validate.h"
#include "models/config/schema.h"
#include "models/engines/engine_set.h"
#include "models/engines/estimate.h"
#include "models/engines/gate_times.h"
#include "models/partition/placement.h"

namespace wordline::engines {
/// In the names of the tests.
void PrintTo(const EngineRow& row, std::ostream* out) { *out << row.name; }
}  // namespace wordline::engines

namespace wordline::testing {
namespace {

using config::Config;
using engines::EngineId;
using engines::EngineRow;
using engines::kEngines;

/// A configuration with the default of every key.
Config defaults() {
  Config c{};
  for (const config::Key& key : config::schema()) key.set(c, config::default_value(key));
  return c;
}
void switch_on(Config& c, EngineId id) {
  c.engines[id].on = true;
  for (const engines::Need& need : engines::row_of(id).needs) switch_on(c, need.engine);
}
/// The engine with what it needs, and no other.
Config only(EngineId id) {
  Config c = defaults();
  for (config::Engine& engine : c.engines.by_row) engine.on = false;
  switch_on(c, id);
  return c;
}
std::string key_of(const EngineRow& row) { return "engines." + std::string(row.name); }
/// Text of the conflicts that name the key.
std::string conflicts_of(const Config& c, const EngineRow& row) {
  std::string out;
  for (const config::Conflict& conflict : config::conflicts(c)) {
    if (std::count(conflict.keys.begin(), conflict.keys.end(), key_of(row)) != 0) out += conflict.text;
  }
  return out;
}

class EngineTable : public ::testing::TestWithParam<EngineRow> {};

TEST_P(EngineTable, HasItsKeysAndTheirDefaults) {
  const EngineRow& row = GetParam();
  const int key = config::find_key(key_of(row));
  ASSERT_GE(key, 0);
  const config::Key& on = config::schema()[static_cast<std::size_t>(key)];
  EXPECT_EQ(on.text, row.text);
  EXPECT_NE(row.text.find("on = "), std::string_view::npos) << "what hardware does";
  EXPECT_NE(row.text.find("off: "), std::string_view::npos) << "who does it else";
  for (const char* time : {"_latency", "_interval", "_depth"})
    EXPECT_EQ(config::find_key(key_of(row) + time) >= 0, row.timed()) << time;
  const config::Engine engine = defaults().engines[row.id];
  EXPECT_EQ(engine.on, row.by_default.on);
  EXPECT_EQ(engine.latency.count() > 0, row.timed());
  EXPECT_EQ(engine.depth > 0, row.timed());
  EXPECT_EQ(row.times.source.empty(), !row.timed()) << "a default says where it is from";
}

TEST_P(EngineTable, TheKeyMovesItsOwnBit) {
  const EngineRow& row = GetParam();
  Config c = defaults();
  const config::Key& key = config::schema()[static_cast<std::size_t>(config::find_key(key_of(row)))];
  const auto set = [&](const char* value) {
    key.set(c, config::convert(key, config::bare_value(value)).value);
    return engines::engine_set(c.engines);
  };
  EXPECT_EQ(set("on") ^ set("off"), row.bit);
}

TEST_P(EngineTable, CostsGatesWhenItIsThere) {
  const EngineRow& row = GetParam();
  Config c = only(row.id);
  EXPECT_GT(engines::engine_estimate(row.id, c).gates, 0);
  EXPECT_EQ(engines::engine_estimate(row.id, c).energy.count() > 0, row.timed());
  c.engines[row.id].on = false;
  EXPECT_EQ(engines::engine_estimate(row.id, c).gates, 0);
}

TEST_P(EngineTable, IsRefusedWithoutWhatItNeeds) {
  const EngineRow& row = GetParam();
  EXPECT_EQ(conflicts_of(only(row.id), row), "");
  for (const engines::Need& need : row.needs) {
    Config c = only(row.id);
    c.engines[need.engine].on = false;
    const std::string text = conflicts_of(c, row);
    EXPECT_NE(text.find("expected " + key_of(engines::row_of(need.engine)) + " = on"), std::string::npos) << text;
    EXPECT_NE(text.find(need.why), std::string::npos) << text;
  }
}

TEST_P(EngineTable, IsAPlacementOfItsOwnIfItNeedsNoOther) {
  const EngineRow& row = GetParam();
  const auto placements = engines::default_placements();
  const std::vector<std::string> alone{std::string(row.name)};
  const auto is_alone = [&](const engines::Placement& p) { return p.engines == alone; };
  EXPECT_EQ(std::any_of(placements.begin(), placements.end(), is_alone), row.needs.empty());
  for (const engines::Placement& p : placements) {
    const auto settings = p.settings();
    EXPECT_EQ(std::count(settings.begin(), settings.end(), key_of(row) + "=on") +
                  std::count(settings.begin(), settings.end(), key_of(row) + "=off"),
              1);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, EngineTable, ::testing::ValuesIn(kEngines),
                         [](const auto& row) { return std::string(row.param.name); });

/// The benches of the gates measure these clocks (testbenches/rtl/engines).
TEST(EngineTable, EnginesThatHaveGatesTakeTheirClocksByDefault) {
  const Config c = defaults();
  const auto time = [](unsigned clocks) { return engines::kGateClock * std::int64_t{clocks}; };
  for (const engines::GateTimes& gates : engines::kGateTimes) {
    const config::Engine& engine = c.engines[gates.id];
    const std::string_view name = engines::row_of(gates.id).name;
    EXPECT_EQ(engine.latency, time(gates.latency)) << name;
    EXPECT_EQ(engine.interval, time(gates.interval)) << name;
    EXPECT_EQ(engine.depth, gates.depth) << name;
  }
  EXPECT_EQ(c.nvme.completion_time, time(engines::kCompletionClocks));
}

/// Only commands of NVMe have completion entries.
TEST(EngineTable, CompletionEntriesAreThoseOfNvme) {
  Config c = defaults();
  const config::Engine engine = engines::completion_engine(c);
  EXPECT_TRUE(engine.on);
  EXPECT_EQ(engine.latency, c.nvme.completion_time);
  EXPECT_EQ(engine.interval, c.nvme.completion_time);
  c.host.model = config::HostModel::kDirect;
  EXPECT_FALSE(engines::completion_engine(c).on);
  c = defaults();
  c.nvme.completion_time = Picoseconds(0);
  EXPECT_FALSE(engines::completion_engine(c).on);
}

TEST(EngineTable, NamesAndBitsAreApart) {
  std::set<std::string_view> names, texts;
  std::uint32_t bits = 0;
  for (const EngineRow& row : kEngines) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(texts.insert(row.what).second) << row.what;
    EXPECT_EQ(row.bit & (row.bit - 1), 0U) << row.name;
    EXPECT_NE(row.bit, 0U) << row.name;
    EXPECT_EQ(bits & row.bit, 0U) << row.name;
    bits |= row.bit;
    EXPECT_EQ(engines::find_engine(row.name), &row);
    EXPECT_EQ(&engines::row_of(row.id), &row);
  }
  EXPECT_EQ(engines::find_engine("l2"), nullptr);
}

}  // namespace
}  // namespace wordline::testing
