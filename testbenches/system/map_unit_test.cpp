// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The map unit in whole runs: what a small write costs with pages of several sizes, and the statistics of pages.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

using Json = nlohmann::json;

/// The die of 4 GiB with pages of another size, its program time pinned to that of 16 KiB pages.
std::vector<std::string> page_of(unsigned kib) {
  return {"nand.page=" + std::to_string(kib) + "KiB", "nand.blocks_per_plane=" + std::to_string(8192 / kib),
          "nand.spare=" + std::to_string(kib / 4 * 552) + "B", "nand.timing.page=16KiB", "cpu.model=native"};
}

double mean_us(const Json& result) { return result["ios"]["write"]["lat_ps"]["mean"].get<double>() * 1e-6; }

Run writes(unsigned page_kib, const std::vector<std::string>& keys, const std::string& job) {
  Run run{"configs/ssds/mlc_4gib.toml", "[w]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=1\n" + job + "\n",
          page_of(page_kib), {}};
  run.sets.insert(run.sets.end(), keys.begin(), keys.end());
  return run;
}

// A write costs its transfer and the program of a page, which grow with the page, and for the share that finds its page
// mapped a read of the rest. With sectors that pack, a program is shared by all that fit a page.
TEST(MapUnitRuns, SmallWritesPayForLargePagesWhereThePageIsTheMapUnit) {
  const std::vector<std::string> by_page{"ftl.map=page", "ftl.write_back=false"};
  double last_page = 0, last_sector = 1e9;
  for (const unsigned kib : {4U, 8U, 16U, 32U}) {
    SCOPED_TRACE(kib);
    const Json page = run_drive(writes(kib, by_page, "size=64m\nnumber_ios=1500")).result;
    const Json sector = run_drive(writes(kib, {}, "size=64m\nnumber_ios=1500")).result;
    EXPECT_GT(mean_us(page), last_page);
    EXPECT_LT(mean_us(sector), last_sector);
    last_page = mean_us(page);
    last_sector = mean_us(sector);
  }
}

TEST(MapUnitRuns, CountPagesAndWhatTheyCost) {
  // Eight sectors, written one by one in order: the second to fourth of each page read what is there.
  const Json r = run_drive({"configs/ssds/mlc_4gib.toml", "[w]\nrw=write\nbs=4k\niodepth=1\nsize=32k\n",
                            {"ftl.map=page", "ftl.write_back=false", "cpu.model=native"}, {"--verify-all"}}).result;
  const Json& pages = r["pages"];
  EXPECT_EQ(pages["host_programs"], 8);
  EXPECT_EQ(pages["moved_programs"], 0);
  EXPECT_EQ(pages["modify_reads"], 6);
  EXPECT_EQ(pages["modify_sectors"], 2 * (1 + 2 + 3));
  EXPECT_EQ(pages["modify_copies"], 0);
  EXPECT_EQ(pages["false_sectors"], 2 * (3 + 2 + 1));
  EXPECT_EQ(pages["modify_ratio"].get<double>(), 0.75);
  EXPECT_EQ(pages["unusable_sectors"], 8 * 4 - 8);
  EXPECT_EQ(r["flash"]["programs"], 8);
  EXPECT_EQ(r["flash"]["waf"].get<double>(), 4.0);
  EXPECT_EQ(r["flash"]["waf_parts"]["host"].get<double>(), 1.0);
  EXPECT_EQ(r["flash"]["waf_parts"]["merge"].get<double>(), 1.5);
  EXPECT_EQ(r["flash"]["waf_parts"]["padding"].get<double>(), 1.5);
  EXPECT_EQ(r["flash"]["buffered_sectors"], 0);
  EXPECT_EQ(r["check"]["mismatches"], 0);

  const Json s = run_drive({"configs/ssds/mlc_4gib.toml", "[w]\nrw=write\nbs=4k\niodepth=1\nsize=32k\n",
                            {"ftl.write_back=false", "cpu.model=native"}, {}}).result;
  EXPECT_EQ(s["pages"]["host_programs"], 8);
  EXPECT_EQ(s["pages"]["false_sectors"], 8 * 3);
  EXPECT_TRUE(s["pages"]["modify_ratio"].is_null());
  EXPECT_TRUE(s["pages"]["unusable_sectors"].is_null());
}

struct Mode {
  const char* name;
  std::vector<std::string> keys;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }
class MapUnitDrives : public ::testing::TestWithParam<Mode> {};

// Mixed lengths, a small drive overwritten several times, every block read back.
TEST_P(MapUnitDrives, LoseNothing) {
  for (const char* cpu : {"native", "iss"}) {
    SCOPED_TRACE(cpu);
    wordline::testing::Run run{"configs/ssds/small.toml",
            "[global]\nnorandommap\nsize=24m\n"
            "[part]\nrw=randwrite\nbs=1536\niodepth=4\nnumber_ios=1500\n"
            "[small]\nrw=randrw\nrwmixread=30\nbs=4k\niodepth=8\nnumber_ios=3000\n"
            "[large]\nrw=randrw\nrwmixread=30\nbs=52k\niodepth=4\nnumber_ios=1500\n"
            "[trim]\nrw=randtrim\nbs=20k\niodepth=1\nnumber_ios=300\n",
            GetParam().keys, {"--verify-all"}};
    run.sets.push_back(std::string("cpu.model=") + cpu);
    run.sets.insert(run.sets.end(), {"nand.blocks_per_plane=56", "channels.count=1", "channels.packages=1",
                                     "ftl.over_provisioning=0.5"});
    const Json r = run_drive(run).result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["gc"]["superblocks"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, MapUnitDrives,
    ::testing::Values(Mode{"pages", {"ftl.map=page"}}, Mode{"pages_through", {"ftl.map=page", "ftl.write_back=false"}},
                      Mode{"sectors_through", {"ftl.write_back=false"}},
                      Mode{"pages_apart", {"ftl.packing=false", "ftl.power_safe=false"}}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing
