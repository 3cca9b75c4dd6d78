// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The map unit in whole runs: what a small write costs with pages of several sizes, and the statistics of pages.
#include <gtest/gtest.h>

#include <cmath>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::map_unit_test {
namespace {

using Json = nlohmann::json;

/// The die of 4 GiB with pages of another size, its program time pinned to that of 16 KiB pages.
std::vector<std::string> page_of(unsigned kib) {
  return {"nand.page=" + std::to_string(kib) + "KiB", "nand.blocks_per_plane=" + std::to_string(8192 / kib),
          "nand.spare=" + std::to_string(kib * 138) + "B", "nand.timing.page=16KiB", "cpu.model=native"};
}

double mean_us(const Json& result) { return result["ios"]["write"]["lat_ps"]["mean"].get<double>() * 1e-6; }

constexpr double kLpageUs = (4096 + 552) / 800.0;  // transfer of a logical page with its spare at 800 MB/s
constexpr double kReadUs = 60;

double program_us(unsigned page_kib) { return 1200 * std::pow(1.1, std::log2(page_kib / 16.0)); }

/// Transfer of a page and its program, which takes 10 % longer by doubling of the page; for the share that finds the
/// page mapped tR and the transfer of what is kept.
double closed_form_us(unsigned page_kib, const Json& result) {
  const double count = result["ios"]["write"]["count"].get<double>();
  const double share = result["pages"]["modify_ratio"].get<double>();
  const double kept = result["pages"]["modify_sectors"].get<double>() / count;  // logical pages by write
  return page_kib / 4 * kLpageUs + program_us(page_kib) + share * kReadUs + kept * kLpageUs;
}

/// Where the rest stays in the die, that share transfers the logical page that is written and no other.
double closed_form_in_die_us(unsigned page_kib, const Json& result) {
  const double share = result["pages"]["modify_ratio"].get<double>();
  return (1 - share) * page_kib / 4 * kLpageUs + share * (kReadUs + kLpageUs) + program_us(page_kib);
}

Run writes(unsigned page_kib, const std::vector<std::string>& keys, const std::string& job) {
  Run run{"configs/ssds/mlc_4gib.toml",
          "[w]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=1\n" + job + "\n",
          page_of(page_kib),
          {}};
  run.sets.insert(run.sets.end(), keys.begin(), keys.end());
  return run;
}

// A write costs its transfer and the program of a page, which grow with the page, and for the share that finds its page
// mapped a read of the rest. With logical pages that pack, a program is shared by all that fit a page.
TEST(MapUnitRuns, SmallWritesPayForLargePagesWhereThePageIsTheMapUnit) {
  const std::vector<std::string> by_page{"ftl.map=page", "ftl.write_back=false"};
  const std::vector<std::string> in_die{"ftl.map=page", "ftl.write_back=false", "ftl.read_modify=die"};
  double last_page = 0, last_lpage = 1e9;
  for (const unsigned kib : {4U, 8U, 16U, 32U}) {
    SCOPED_TRACE(kib);
    const Json page = run_drive(writes(kib, by_page, "size=64m\nnumber_ios=1500")).result;
    const Json die = run_drive(writes(kib, in_die, "size=64m\nnumber_ios=1500")).result;
    const Json lpage = run_drive(writes(kib, {}, "size=64m\nnumber_ios=1500")).result;
    EXPECT_GT(mean_us(page), last_page);
    // The rest: submission, fetch, DMA, firmware, status, completion.
    EXPECT_GT(mean_us(page), closed_form_us(kib, page));
    EXPECT_NEAR(mean_us(page), closed_form_us(kib, page), 0.02 * mean_us(page));
    const double programs = page["stages"]["write"]["total_ps"]["program"].get<double>() * 1e-6 / 1500;
    EXPECT_GT(programs, 1200 * std::pow(1.1, std::log2(kib / 16.0)));
    EXPECT_LT(page["stages"]["write"]["total_ps"]["dma"].get<double>() * 1e-6 / 1500, 5) << "without the program";
    EXPECT_GT(mean_us(die), closed_form_in_die_us(kib, die));
    EXPECT_NEAR(mean_us(die), closed_form_in_die_us(kib, die), 0.02 * mean_us(die));
    EXPECT_EQ(die["pages"]["modify_ratio"], page["pages"]["modify_ratio"]);
    EXPECT_EQ(die["pages"]["modify_reads"], 0);
    EXPECT_LE(mean_us(die), mean_us(page));
    EXPECT_EQ(lpage["stages"]["write"]["total_ps"]["program"], 0);
    EXPECT_LT(mean_us(lpage), last_lpage);
    last_page = mean_us(page);
    last_lpage = mean_us(lpage);
  }
}

// A drive with pages of 2 KiB maps and corrects 2 KiB: such a write programs one page, of one codeword, and reads
// nothing; a page of 4 KiB costs more, and a second write to it reads it first.
TEST(MapUnitRuns, APageOfTwoKiBTakesAWriteOfTwoKiBWhole) {
  const std::string job = "[w]\nrw=randwrite\nbs=2k\nnorandommap\niodepth=1\nsize=16m\nnumber_ios=1500\n";
  const auto run_with = [&](unsigned kib) {
    wordline::testing::Run run{"configs/ssds/mlc_4gib.toml", job, page_of(kib), {"--verify-all"}};
    run.sets.insert(run.sets.end(), {"ftl.map=page", "ftl.write_back=false"});
    return run_drive(run).result;
  };
  const Json two = run_with(2), four = run_with(4);
  const double t_prog = 1200 * std::pow(1.1, -3);
  const double transfer = 2324 / 800.0;
  EXPECT_GT(mean_us(two), t_prog + transfer);
  EXPECT_NEAR(mean_us(two), t_prog + transfer, 0.02 * t_prog);
  EXPECT_EQ(two["pages"]["host_programs"], 1500);
  EXPECT_EQ(two["pages"]["modify_reads"], 0);
  EXPECT_EQ(two["flash"]["waf"].get<double>(), 1.0);
  EXPECT_EQ(two["check"]["mismatches"], 0);
  EXPECT_GT(four["pages"]["modify_reads"], 0);
  EXPECT_EQ(four["flash"]["waf"].get<double>(), 2.0);
  EXPECT_GT(mean_us(four), 1.08 * mean_us(two));
  EXPECT_EQ(four["check"]["mismatches"], 0);
}

// Indirection units of 16 KiB for 4 KiB: random writes of 4 KiB program four times as much, in the host's part and in
// GC's, since each is a read-modify-write of a unit.
TEST(MapUnitRuns, SmallWritesOnLargeUnitsCostAsManyTimesAsTheyFitThem) {
  const auto waf_of = [](const char* unit) {
    const Json r = run_drive({"configs/ssds/small.toml",
                              "[w]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=16\nnumber_ios=60000\n",
                              {"ftl.map=page", std::string("ftl.map_unit=") + unit, "precondition.fill=steady",
                               "cpu.model=native"},
                              {"--verify-all"}})
                       .result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    return r["flash"]["waf"].get<double>();
  };
  const double one = waf_of("4KiB");
  for (const auto& [unit, times] : {std::pair{"8KiB", 2}, {"16KiB", 4}, {"32KiB", 8}}) {
    SCOPED_TRACE(unit);
    EXPECT_NEAR(waf_of(unit) / one, times, 0.05 * times);
  }
}

TEST(MapUnitRuns, CountPagesAndWhatTheyCost) {
  // Eight logical pages, written one by one in order: the second to fourth of each page read what is there.
  const Json r = run_drive({"configs/ssds/mlc_4gib.toml",
                            "[w]\nrw=write\nbs=4k\niodepth=1\nsize=32k\n",
                            {"ftl.map=page", "ftl.write_back=false", "cpu.model=native"},
                            {"--verify-all"}})
                     .result;
  const Json& pages = r["pages"];
  EXPECT_EQ(pages["host_programs"], 8);
  EXPECT_EQ(pages["moved_programs"], 0);
  EXPECT_EQ(pages["modify_reads"], 6);
  EXPECT_EQ(pages["modify_sectors"], 2 * (1 + 2 + 3));
  EXPECT_EQ(pages["modify_copies"], 0);
  EXPECT_EQ(pages["modify_in_die"], 0);
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

  // In the die: the same programs, without the transfers.
  const Json d = run_drive({"configs/ssds/mlc_4gib.toml",
                            "[w]\nrw=write\nbs=4k\niodepth=1\nsize=32k\n",
                            {"ftl.map=page", "ftl.write_back=false", "ftl.read_modify=die", "cpu.model=native"},
                            {"--verify-all"}})
                     .result;
  EXPECT_EQ(d["pages"]["modify_in_die"], 6);
  EXPECT_EQ(d["pages"]["modify_reads"], 0);
  for (const char* same : {"host_programs", "false_sectors", "modify_ratio", "unusable_sectors"}) {
    EXPECT_EQ(d["pages"][same], pages[same]) << same;
  }
  EXPECT_EQ(d["flash"]["waf_parts"], r["flash"]["waf_parts"]);
  EXPECT_EQ(d["check"]["mismatches"], 0);

  const Json s = run_drive({"configs/ssds/mlc_4gib.toml",
                            "[w]\nrw=write\nbs=4k\niodepth=1\nsize=32k\n",
                            {"ftl.write_back=false", "cpu.model=native"},
                            {}})
                     .result;
  EXPECT_EQ(s["pages"]["host_programs"], 8);
  EXPECT_EQ(s["pages"]["false_sectors"], 8 * 3);
  EXPECT_TRUE(s["pages"]["modify_ratio"].is_null());
  EXPECT_TRUE(s["pages"]["unusable_sectors"].is_null());
}

// A page that was written in part again and again: in the die its errors are programmed again each time, the controller
// corrects them. Reads of a worn drive tell the difference.
TEST(MapUnitRuns, ErrorsAddUpInTheDieAndNotInTheController) {
  const auto errors_by_codeword = [](const char* where) {
    const Json r = run_drive({"configs/ssds/mlc_4gib.toml",
                              "[w]\nrw=randrw\nrwmixread=50\nbs=4k\nnorandommap\niodepth=1\nsize=1m\nio_size=16m\n",
                              {"ftl.map=page", "ftl.write_back=false", std::string("ftl.read_modify=") + where,
                               "nand.aging.pe_cycles=3000", "cpu.model=native"},
                              {}})
                       .result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["pages"]["modify_ratio"].get<double>(), 0.9);
    return r["ecc"]["bit_errors_corrected"].get<double>() /
           (r["ecc"]["tier1"].get<double>() + r["ecc"]["tier2"].get<double>());
  };
  const double controller = errors_by_codeword("controller"), die = errors_by_codeword("die");
  EXPECT_GT(controller, 1);
  EXPECT_GT(die, 2 * controller) << controller;
}

// Mixed lengths from a block of 512 bytes to two pages, deallocation, several overwrites; every block read back.
TEST(MapUnitRuns, InTheDieNothingIsLost) {
  for (const char* cpu : {"native", "iss"}) {
    for (const char* fill : {"none", "sequential"}) {
      SCOPED_TRACE(std::string(cpu) + " " + fill);
      const Json r = run_drive({"configs/ssds/mlc_4gib.toml",
                                "[global]\nnorandommap\nsize=6m\n"
                                "[block]\nrw=randwrite\nbs=512\niodepth=2\nnumber_ios=500\n"
                                "[small]\nrw=randrw\nrwmixread=30\nbs=4k\niodepth=8\nnumber_ios=2500\n"
                                "[odd]\nrw=randrw\nrwmixread=30\nbs=10k\niodepth=2\nnumber_ios=500\n"
                                "[large]\nrw=randwrite\nbs=32k\niodepth=2\nnumber_ios=300\n"
                                "[trim]\nrw=randtrim\nbs=20k\niodepth=1\nnumber_ios=100\n",
                                {"ftl.map=page", "ftl.write_back=false", "ftl.read_modify=die",
                                 "nand.blocks_per_plane=24", "nand.wls_per_layer=16", "ftl.over_provisioning=0.5",
                                 std::string("precondition.fill=") + fill, std::string("cpu.model=") + cpu},
                                {"--verify-all"}})
                         .result;
      EXPECT_EQ(r["check"]["mismatches"], 0);
      EXPECT_GT(r["gc"]["superblocks"], 5);
      EXPECT_GT(r["pages"]["modify_in_die"], 500);
      EXPECT_GT(r["pages"]["modify_reads"], 100);
    }
  }
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
    wordline::testing::Run run{
        "configs/ssds/small.toml",
        "[global]\nnorandommap\nsize=100%\n"
        "[part]\nrw=randwrite\nbs=1536\niodepth=4\nnumber_ios=1500\n"
        "[small]\nrw=randrw\nrwmixread=30\nbs=4k\niodepth=8\nnumber_ios=3000\n"
        "[large]\nrw=randrw\nrwmixread=30\nbs=52k\niodepth=4\nnumber_ios=1500\n"
        "[trim]\nrw=randtrim\nbs=20k\niodepth=1\nnumber_ios=300\n",
        {"nand.blocks_per_plane=56", "channels.count=1", "channels.packages=1", "ftl.over_provisioning=0.5"},
        {"--verify-all"}};
    run.sets.push_back(std::string("cpu.model=") + cpu);
    run.sets.insert(run.sets.end(), GetParam().keys.begin(), GetParam().keys.end());
    const Json r = run_drive(run).result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["gc"]["superblocks"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, MapUnitDrives,
    ::testing::Values(Mode{"pages", {"ftl.map=page"}}, Mode{"pages_through", {"ftl.map=page", "ftl.write_back=false"}},
                      Mode{"sectors_through", {"ftl.write_back=false"}},
                      Mode{"pages_of_two_kib", {"ftl.map=page", "nand.page=2KiB", "nand.blocks_per_plane=160"}},
                      Mode{"pages_apart", {"ftl.packing=false", "ftl.power_safe=false"}}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing::map_unit_test
