// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with bad blocks, failing programs and erases, unreadable pages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/firmware/contract/geometry.h"
#include "models/nand/block_faults.h"
#include "run_drive.h"

namespace wordline::testing::bad_blocks_test {
namespace {

using Sets = std::vector<std::string>;

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const char* const kOverwrite = "[global]\nbs=64k\nnorandommap\n[overwrite]\nrw=randwrite\niodepth=16\nio_size=300%\n";
const Sets kSmall{"channels.dies_per_package=2", "nand.planes=2",     "nand.layers=2",
                  "nand.wls_per_layer=2",        "nand.page=16KiB",   "nand.spare=2208B",
                  "ftl.write_buffer=2MiB",       "ftl.gc_buffer=1MiB"};

std::uint64_t number(const nlohmann::json& json) { return json.get<std::uint64_t>(); }

struct Case {
  const char* name;
  const char* cpu;
  const char* plane_blocks;
  const char* fill;
  const char* spares;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class BadBlocks : public ::testing::TestWithParam<Case> {};

// 5 % of the blocks are bad from the factory: whoever knows of them before the first write meets none.
TEST_P(BadBlocks, AreOutOfTheWay) {
  const Case& c = GetParam();
  const auto run = run_drive(
      {"configs/ssds/small.toml",
       kOverwrite,
       kSmall + Sets{std::string("cpu.model=") + c.cpu, "nand.faults.bad_blocks=0.05", "nand.blocks_per_plane=128",
                     "ftl.over_provisioning=0.2", std::string("nand.plane_blocks=") + c.plane_blocks,
                     std::string("ftl.spare_blocks=") + c.spares, std::string("precondition.fill=") + c.fill},
       {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(run.result["flash"]["failures"], 0);
  EXPECT_GT(number(run.result["flash"]["erases"]), 0U);
  const auto& blocks = run.result["blocks"];
  EXPECT_EQ(blocks["retired_superblocks"], 0);
  EXPECT_EQ(blocks["grown_bad"], 0);
  EXPECT_GT(number(blocks["spares_used"]), 10U);
  EXPECT_EQ(number(blocks["marked_bad"]) > 0, std::string("none") == c.fill);
}

INSTANTIATE_TEST_SUITE_P(Drives, BadBlocks,
                         ::testing::Values(Case{"native_same_first_boot", "native", "same", "none", "26"},
                                           Case{"native_any_first_boot", "native", "any", "none", "14"},
                                           Case{"native_same_later_boot", "native", "same", "sequential", "26"},
                                           Case{"native_any_later_boot", "native", "any", "sequential", "14"},
                                           Case{"iss_any_first_boot", "iss", "any", "none", "14"},
                                           Case{"iss_any_later_boot", "iss", "any", "sequential", "14"}),
                         [](const auto& param) { return std::string(param.param.name); });

// One program and one erase in a hundred fails: blocks are replaced as they fail, and nothing is lost.
TEST(GrownBadBlocks, LoseNothing) {
  for (const bool any : {false, true}) {
    const auto run = run_drive(
        {"configs/ssds/small.toml",
         kOverwrite,
         kSmall + Sets{"cpu.model=native", "nand.aging.pe_cycles=3000", "nand.faults.program_failures=0.01",
                       "nand.faults.erase_failures=0.01", "nand.blocks_per_plane=300", "ftl.spare_blocks=140",
                       "ftl.over_provisioning=0.4", std::string("nand.plane_blocks=") + (any ? "any" : "same"),
                       std::string("channels.cache_program=") + (any ? "true" : "false")},
         {"--verify-all"}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    EXPECT_EQ(run.result["flash"]["uncorrectable"], 0);
    EXPECT_EQ(run.result["errors"]["write"]["write_protected"], 0);
    EXPECT_GT(number(run.result["blocks"]["grown_bad"]), 20U);
    EXPECT_GT(number(run.result["blocks"]["spares_used"]), 20U);
    EXPECT_EQ(run.result["blocks"]["retired_superblocks"], 0);
  }
}

/// Logical pages of the sequential fill that lie in unreadable pages.
std::uint64_t unreadable_lpages(const std::string& path, const Sets& sets) {
  const config::Config c = config::load(path, sets).config;
  const config::Layout l = config::layout_of(c);
  const wl_geometry geometry =
      wl_geometry_of(l.dies, l.lpages_per_mpage, l.pages_per_program, l.dies * l.programs_per_block);
  std::uint64_t count = 0;
  for (std::uint32_t die = 0; die < l.dies; ++die) {
    const nand::ArrayGeometry array(c.nand, l, DieId(static_cast<std::uint16_t>(die)));
    const nand::BlockTable blocks(array, false);
    const nand::BlockFaults faults(array, blocks, c.nand.faults, 0, c.run.seed);
    for (std::uint32_t block = 0; block < l.superblocks; ++block) {
      for (std::uint32_t page = 0; page < l.pages_per_block; ++page) {
        for (std::uint32_t s = 0; s < l.lpages_per_mpage; ++s) {
          const bool filled = wl_ppa_of(&geometry, {die, block, page, s}) < l.user_lpages;
          if (filled && faults.page_unreadable(s / l.lpages_per_page, block, page)) ++count;
        }
      }
    }
  }
  return count;
}

// One read in a thousand meets a page that cannot be read: the host's error, exactly so often, and the run goes on.
TEST(UnreadablePages, AreErrorsOfTheHostAndCounted) {
  const Sets sets = kSmall + Sets{"cpu.model=native", "precondition.fill=sequential",
                                  "nand.faults.unreadable_pages=0.001", "nand.blocks_per_plane=100", "nand.layers=8"};
  const auto run =
      run_drive({"configs/ssds/small.toml", "[global]\nbs=4k\n[all]\nrw=read\niodepth=16\nio_size=100%\n", sets, {}});
  const std::uint64_t injected = unreadable_lpages(WORDLINE_SSDS "/small.toml", sets);
  EXPECT_GT(injected, 50U);
  EXPECT_EQ(number(run.result["errors"]["read"]["unrecovered_read"]), injected);
  EXPECT_EQ(number(run.result["flash"]["uncorrectable"]), injected);
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
}

// GC meets them, too: what it cannot read is lost and stays an error until it is written.
TEST(UnreadablePages, OfGcAreErrorsOfTheHost) {
  for (const char* copy : {"off", "on"}) {
    const auto run = run_drive(
        {"configs/ssds/small.toml",
         std::string(kOverwrite) + "[look]\nrw=randread\nbs=4k\nnumber_ios=20000\n",
         kSmall + Sets{"cpu.model=native", "precondition.fill=sequential", "nand.faults.unreadable_pages=0.003",
                       "nand.blocks_per_plane=100", std::string("engines.copy=") + copy},
         {"--verify-all"}});
    EXPECT_EQ(run.result["status"], "completed");
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    EXPECT_GT(number(run.result["gc"]["sectors_copied"]), 1000U);
    EXPECT_GT(number(run.result["errors"]["read"]["unrecovered_read"]), 20U);
  }
}

}  // namespace
}  // namespace wordline::testing::bad_blocks_test
