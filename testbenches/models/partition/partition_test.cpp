// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/partition/partition.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "models/checks/load.h"
#include "models/engines/estimate.h"

namespace wordline::testing::partition_test {
namespace {

using engines::PartitionRow;

PartitionRow row(std::uint32_t cores, std::vector<std::string> engines, double iops, const std::string& limit,
                 double busy, const std::string& next = "dies") {
  PartitionRow r;
  r.placement.cores = cores;
  r.placement.engines = std::move(engines);
  r.placement.name = std::to_string(cores) + r.placement.engine_text();
  r.iops = iops;
  r.limit = limit;
  r.utilisation = busy;
  r.busiest = next;
  r.p99_9_of = "read";
  r.cores.assign(cores, busy);
  return r;
}

TEST(Partition, SaysWhereTheCoreStopsBeingTheLimit) {
  const auto words =
      engines::partition_words({row(1, {}, 100e3, "cores", 0.99), row(2, {}, 200e3, "cores", 0.95),
                                row(3, {}, 300e3, "dies", 0.91), row(4, {}, 300e3, "dies", 0.91),
                                row(1, {"l2p"}, 300e3, "queue_depth", 0.7), row(1, {"job"}, 100e3, "cores", 0.99),
                                row(2, {"job"}, 150e3, "cores", 0.95), row(3, {"job"}, 150e3, "cores", 0.95)});
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(words[0],
            "With no engine, the core is the limit up to 2 cores (200000 IOPS); from 3 cores on it is not: the busiest "
            "die is (91 % busy).");
  EXPECT_EQ(
      words[1],
      "With l2p, the core is not the limit at 1 core: the queue depth limits; the busiest die is the busiest at 70 %.");
  EXPECT_EQ(words[2], "With job, the core is the limit from 1 to 3 cores (the busiest 95 % busy).");
  EXPECT_EQ(words[3].substr(0, 37), "  From 2 cores to 3 nothing is gained");
}

TEST(Partition, NamesWhateverLimits) {
  const auto what = [](const std::string& limit) {
    const std::string text = engines::partition_words({row(1, {}, 100e3, limit, 0.9, "decoders")}).at(0);
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(what("engine_parse"), "the engine parse is (90 % busy).");
  EXPECT_EQ(what("gc"), "GC is (90 % busy).");
  EXPECT_EQ(what("write_buffer"), "the write buffer is (90 % busy).");
  EXPECT_EQ(what("tags"), "the number of tags limits; the busiest decoder is the busiest at 90 %.");
}

TEST(Partition, TableHasARowPerPlacementAndFits) {
  std::vector<PartitionRow> rows;
  for (const auto& placement : engines::all_placements()) {
    rows.push_back(row(placement.cores, placement.engines, 1'234'567, "cores", 1.0));
    rows.back().placement = placement;
  }
  std::istringstream text(engines::partition_text(rows));
  std::size_t lines = 0;
  bool table = true;
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 120U) << line;
    table = table && line.find("mean:") != 0;
    lines += table ? 1 : 0;
  }
  EXPECT_EQ(lines, rows.size() + 1);
}

TEST(Partition, RowsWithoutEffectAreFolded) {
  std::vector<PartitionRow> rows{row(1, {}, 100e3, "cores", 0.99), row(1, {"gc"}, 100e3, "cores", 0.99),
                                 row(1, {"victim"}, 100e3, "cores", 0.99), row(1, {"job"}, 150e3, "cores", 0.95),
                                 row(2, {"gc"}, 100e3, "cores", 0.99)};
  engines::find_alike(rows);
  for (const PartitionRow& r : rows) EXPECT_EQ(r.like, "") << "without requests nothing was measured";
  for (PartitionRow& r : rows) r.requests = 10;
  engines::find_alike(rows);
  EXPECT_EQ(rows[0].like, "");
  EXPECT_EQ(rows[1].like, "1none");
  EXPECT_EQ(rows[2].like, "1none");
  EXPECT_EQ(rows[3].like, "");
  EXPECT_EQ(rows[4].like, "") << "two cores were measured";
  const std::string text = engines::partition_text(rows);
  EXPECT_NE(text.find("Without effect on this workload, equal to \"1none\" in every number but gates and energy: 1gc, "
                      "1victim\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\n1gc "), std::string::npos);
  EXPECT_EQ(text.find("With victim"), std::string::npos);
}

TEST(Partition, ANamedRowSaysItsEngines) {
  std::vector<PartitionRow> rows{row(1, {"retry"}, 100e3, "cores", 0.99), row(1, {"l2p"}, 120e3, "cores", 0.99)};
  rows[0].placement.name = "as it is";
  rows[0].placement.drives_engines = true;
  rows[1].placement.name = "hardware lookup";
  std::istringstream text(engines::partition_text(rows));
  std::string head, first, second, legend;
  for (std::string* line : {&head, &first, &second, &legend}) std::getline(text, *line);
  const auto column = head.find("engines");
  ASSERT_NE(column, std::string::npos) << head;
  EXPECT_EQ(first.substr(column, 2), "a ");
  EXPECT_EQ(second.substr(column, 2), "b ");
  EXPECT_EQ(legend, "engines: a = retry (the drive's own); b = l2p");
  const auto json = nlohmann::json::parse(engines::partition_json(rows, {}));
  EXPECT_TRUE(json["placements"][0]["engines_of_the_drive"].get<bool>());
  EXPECT_FALSE(json["placements"][1]["engines_of_the_drive"].get<bool>());
}

TEST(Partition, GatesAreARangeWhereAnEngineIsOnlyEstimated) {
  const std::string result = R"({"ios": {"read": {"count": 1, "iops": 1.0, "lat_ps": {"sum": 1, "p99_9": 1}}},
    "utilisation": {"cores": [0.5]}, "bottleneck": {"resource": "dies", "utilisation": 0.9, "busiest": "cores"},
    "firmware_cycles": {"boot": 1}, "engines": {"completion": {"operations": 2, "busy": 0.1}}})";
  config::Config config{};
  config.engines[engines::EngineId::kCompletion] = {true, 8_ns, 4_ns, 4};
  engines::Placement placement;
  placement.engines = {"completion"};
  const PartitionRow r = engines::partition_row(placement, config, result);
  const auto range = engines::engine_range(engines::EngineId::kCompletion, config);
  EXPECT_DOUBLE_EQ(r.gates_range.low, engines::kCoreGates + range.low.gates);
  EXPECT_DOUBLE_EQ(r.gates_range.high, engines::kCoreGates + range.high.gates);
  EXPECT_DOUBLE_EQ(r.energy_range_pj.low, 2 * range.low.energy.count());
  EXPECT_DOUBLE_EQ(r.energy_range_pj.high, 2 * range.high.energy.count());
  EXPECT_LT(r.gates_range.low, r.gates);
  EXPECT_GT(r.gates_range.high, r.gates);
  // 26.6 + 8.608 x 0.378 and x 1.045
  EXPECT_NE(engines::partition_text({r}).find(" 30-36 dies"), std::string::npos) << engines::partition_text({r});
}

TEST(Partition, ReadsARunsResult) {
  const std::string result = R"({"ios": {
    "read": {"count": 3, "iops": 300.0, "lat_ps": {"sum": 60000000, "p99_9": 30000000}},
    "write": {"count": 1, "iops": 100.0, "lat_ps": {"sum": 20000000, "p99_9": 90000000}},
    "trim": {"count": 0, "iops": 0.0, "lat_ps": {"sum": 0, "p99_9": 0}}},
    "utilisation": {"cores": [0.5, 0.25]}, "bottleneck": {"resource": "dies", "utilisation": 0.9, "busiest": "cores"},
    "firmware_cycles": {"boot": 1000, "loop": 100, "ftl_read": 300},
    "engines": {"completion_entry": {"operations": 4, "busy": 0.25}, "l2p": {"operations": 8, "busy": 0.125}}})";
  engines::Placement placement;
  placement.name = "two";
  placement.cores = 2;
  placement.engines = {"l2p"};
  config::Config config{};
  config.engines[engines::EngineId::kL2p] = {true, 8_ns, 2_ns, 16};
  const PartitionRow r = engines::partition_row(placement, config, result);
  EXPECT_EQ(r.requests, 4U);
  EXPECT_DOUBLE_EQ(r.iops, 400);
  EXPECT_DOUBLE_EQ(r.mean_us, 20);
  EXPECT_DOUBLE_EQ(r.p99_9_us, 30);
  EXPECT_EQ(r.p99_9_of, "read");
  EXPECT_DOUBLE_EQ(r.cycles_per_io, 100) << "boot apart";
  const auto l2p = engines::engine_estimate(engines::EngineId::kL2p, config);
  EXPECT_DOUBLE_EQ(r.gates, 2 * engines::kCoreGates + l2p.gates);
  EXPECT_DOUBLE_EQ(r.energy_pj, 100 * engines::core_estimate().energy.count() + 2 * l2p.energy.count());
  EXPECT_FALSE(r.core_limits());

  const auto json = nlohmann::json::parse(engines::partition_json({r}, {{"config", "c.toml"}}));
  EXPECT_EQ(json["config"], "c.toml");
  EXPECT_EQ(json["placements"][0]["iops"], 400.0);
  EXPECT_EQ(json["placements"][0]["limit"]["resource"], "dies");
  EXPECT_EQ(json["placements"][0]["engines_busy"]["l2p"], 0.125);
  EXPECT_FALSE(json["placements"][0]["engines_busy"].contains("completion_entry")) << "no placement is without";
  EXPECT_EQ(json["words"].size(), 1U);
  EXPECT_EQ(json["placements"][0]["estimated_gates_range"][0], json["placements"][0]["estimated_gates"]);
  EXPECT_EQ(json["placements"][0]["estimated_gates_range"][1], json["placements"][0]["estimated_gates"]);
  EXPECT_EQ(json["synthesised"]["l2p"]["estimate_before"], 24980);
  EXPECT_NE(engines::partition_text({r}).find(" 62.6 dies"), std::string::npos) << engines::partition_text({r});

  EXPECT_THROW((void)engines::partition_row(placement, config, "{}"), std::runtime_error);
  EXPECT_THROW((void)engines::partition_row(placement, config, "not JSON"), std::runtime_error);
}

}  // namespace
}  // namespace wordline::testing::partition_test
