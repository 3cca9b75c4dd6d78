// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that do not fit together: pages, dies, addresses, capacity, buffers, lists by cell type. Every gate is tested
// at its last good value, too.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/checks/load.h"
#include "models/config/schema.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::geometry_conflict_test {
namespace {

class GeometryConflicts : public DriveFile {};

TEST_F(GeometryConflicts, Page) {
  EXPECT_EQ(with({"nand.page=18KiB"}),
            "--set nand.page=18KiB: error: nand.page is 18432 bytes, expected 2 KiB or a multiple of 4 KiB");
  EXPECT_EQ(with({"nand.page=2KiB"}), "");
  EXPECT_EQ(with({"nand.page=3KiB"}),
            "--set nand.page=3KiB: error: nand.page is 3072 bytes, expected 2 KiB or a multiple of 4 KiB");
  EXPECT_EQ(with({"nand.page=2KiB", "nand.spare=276B"}), "");
  EXPECT_EQ(
      with({"nand.page=2KiB", "nand.spare=275B"}),
      "--set nand.spare=275B: error: nand.spare is 275 bytes, expected at least 276: 276 bytes of CRC and parity per "
      "2 KiB of nand.page");
  EXPECT_EQ(with({"nand.spare=2208B"}), "");
  EXPECT_EQ(with({"nand.spare=2207B"}),
            "--set nand.spare=2207B: error: nand.spare is 2207 bytes, expected at least 2208: 276 bytes of CRC and "
            "parity per "
            "2 KiB of nand.page");
}

TEST_F(GeometryConflicts, APageThatTheRetryControllerHolds) {
  EXPECT_EQ(with({"nand.planes=16", "nand.page=16KiB"}), "");
  EXPECT_EQ(with({"nand.spare=4416B", "channels.packages=1", "nand.planes=16", "nand.page=32KiB"}),
            "--set nand.page=32KiB: error: a page of 16 planes has 256 codewords, expected at most 128, what a "
            "read-retry controller holds: fewer planes or a smaller page");
}

TEST_F(GeometryConflicts, Dies) {
  EXPECT_EQ(
      with({"channels.count=64", "channels.packages=64", "channels.dies_per_package=16"}),
      "--set channels.dies_per_package=16: error: channels.count x channels.packages x channels.dies_per_package is "
      "65536 dies, expected at most 65535");
}

TEST_F(GeometryConflicts, Addresses) {
  EXPECT_EQ(with({"nand.page=56KiB", "nand.spare=8KiB"}), "");
  EXPECT_EQ(with({"nand.page=64KiB", "nand.spare=8832B"}), "") << "three column address cycles";
  // 13 bits of pages, 4 of planes, 11 of blocks, 4 of dies fill four row cycles; twice the blocks are one bit too many.
  std::vector<std::string> full = {"channels.count=1",
                                   "channels.packages=1",
                                   "channels.dies_per_package=9",
                                   "nand.page=4KiB",
                                   "nand.planes=9",
                                   "nand.layers=683",
                                   "nand.wls_per_layer=2",
                                   "",
                                   "ftl.over_provisioning=10.0"};
  full[7] = "nand.blocks_per_plane=1025";
  EXPECT_EQ(with(full), "");
  full[7] = "nand.blocks_per_plane=2049";
  EXPECT_EQ(
      with(full).find("--set nand.blocks_per_plane=2049: error: a row address of die, block, plane and page needs 33 "
                      "bits, expected at most 32: fewer blocks, pages or planes"),
      0U)
      << with(full);
}

TEST_F(GeometryConflicts, Capacity) {
  // 1,024 dies x blocks x 384 pages x 8 logical pages, raw and divided by 1.1, four bytes each: 2,147,479,552 are
  // there.
  const std::vector<std::string> big = {"channels.count=32", "channels.packages=32", "nand.layers=32",
                                        "nand.blocks_per_plane=89", "ftl.over_provisioning=0.1"};
  EXPECT_EQ(with(big), "");
  auto more = big;
  more.emplace_back("nand.blocks_per_plane=90");
  EXPECT_EQ(
      with(more),
      "--set nand.blocks_per_plane=90: error: the map of 257377745 exported and 283115520 raw logical pages "
      "needs 2161973088 bytes, expected at most the 2147479552 of DRAM that cores address (1 TiB of flash with map "
      "units of 4 KiB): larger units (ftl.logical_page, or ftl.map = page and ftl.map_unit), or ftl.map_access = port")
      << "a part of its blocks would leave too few to spare";
  const std::vector<std::string> spare = {"channels.count=32", "channels.packages=32", "nand.layers=32",
                                          "ftl.over_provisioning=0.28", "nand.blocks_per_plane=200"};
  const std::string text = with(spare);
  EXPECT_NE(text.find("or ftl.map_access = port. nand.scale_down = 3 models it by fewer blocks per die, 67 of each "
                      "plane: with the same dies, channels and over-provisioning the times stay"),
            std::string::npos)
      << text;
  auto scaled = spare;
  scaled.emplace_back("nand.scale_down=3");
  EXPECT_EQ(with(scaled), "") << "what it says to write is accepted";
}

TEST_F(GeometryConflicts, AScaledDriveKeepsEnoughBlocks) {
  EXPECT_EQ(with({"nand.blocks_per_plane=214", "nand.scale_down=8", "ftl.over_provisioning=0.5"}), "");
  EXPECT_EQ(
      with({"nand.blocks_per_plane=214", "nand.scale_down=30"})
          .find("--set nand.scale_down=30: error: nand.scale_down = 30 leaves 7 of the blocks of a plane, expected at "
                "least 8"),
      0U);
  const auto whole = config::load("drive.toml", {"nand.blocks_per_plane=400", "ftl.spare_blocks=9"}).config;
  const auto part = config::load("drive.toml", {"nand.blocks_per_plane=400", "ftl.spare_blocks=9",
                                                "ftl.over_provisioning=0.2", "nand.scale_down=4"})
                        .config;
  EXPECT_EQ(part.nand.geometry.blocks_per_plane, 100U);
  EXPECT_EQ(part.ftl.spare_blocks, 3U);
  EXPECT_EQ(part.dies(), whole.dies());
}

TEST_F(GeometryConflicts, SpareBlocks) {
  // 100 superblocks, 8.7 % spare: 92 hold data, 8 are left; GC from 6 on and two open ones need all of them.
  EXPECT_EQ(with({"nand.blocks_per_plane=100", "ftl.over_provisioning=0.087", "ftl.gc_start_superblocks=6"}), "");
  EXPECT_EQ(
      with({"nand.blocks_per_plane=100", "ftl.over_provisioning=0.087", "ftl.gc_start_superblocks=7"}),
      "--set ftl.gc_start_superblocks=7: error: ftl.over_provisioning leaves 8 of 100 superblocks to spare, expected "
      "at least "
      "9: ftl.gc_start_superblocks = 7 and 2 open ones; more over-provisioning or more blocks");
  EXPECT_EQ(with({"ftl.gc_start_superblocks=2", "ftl.gc_reserve_superblocks=2"}), "");
  EXPECT_EQ(with({"ftl.gc_start_superblocks=2", "ftl.gc_reserve_superblocks=3"}),
            "--set ftl.gc_reserve_superblocks=3: error: ftl.gc_reserve_superblocks = 3 is above "
            "ftl.gc_start_superblocks = 2, expected "
            "no more: "
            "host writes would wait before GC begins");
}

TEST_F(GeometryConflicts, Buffers) {
  EXPECT_EQ(with({"ftl.write_buffer=192KiB", "ftl.read_buffer=8KiB", "ftl.gc_buffer=96KiB"}), "");
  EXPECT_EQ(with({"ftl.write_buffer=188KiB", "ftl.read_buffer=4KiB", "ftl.gc_buffer=92KiB"}),
            "--set ftl.write_buffer=188KiB: error: ftl.write_buffer holds 47 logical pages, expected at least 48: two "
            "program "
            "operations of all planes\n"
            "--set ftl.read_buffer=4KiB: error: ftl.read_buffer holds 1 logical page, expected at least 2: two reads\n"
            "--set ftl.gc_buffer=92KiB: error: ftl.gc_buffer holds 23 logical pages, expected at least 24: one program "
            "operation of all planes");
  EXPECT_EQ(with({"ftl.read_buffer=513KiB"}),
            "--set ftl.read_buffer=513KiB: error: ftl.read_buffer is 525312 bytes, expected a multiple of 4 KiB");
  EXPECT_EQ(
      with({"nvme.max_transfer_sectors=96"}),
      "--set nvme.max_transfer_sectors=96: error: nvme.max_transfer_sectors is 96, expected a power of two (MDTS is an "
      "exponent)");
  EXPECT_EQ(with({"nvme.max_transfer_sectors=1"}),
            "--set nvme.max_transfer_sectors=1: error: nvme.max_transfer_sectors is 1, expected a whole number from 2 "
            "to 512");
  EXPECT_EQ(with({"nvme.max_transfer_sectors=4", "nand.page=2KiB"}), "");
  EXPECT_EQ(with({"nvme.max_transfer_sectors=2", "nand.page=2KiB"}),
            "--set nand.page=2KiB: error: nvme.max_transfer_sectors is 2 logical pages of 2 KiB, expected at least 4: "
            "MDTS counts pages of 4 KiB, and 0 stands for no limit");
  // How many bytes, the firmware says: MemoryNeeded.IsTight.
  const std::string memory = with({"nvme.tags=2048", "ftl.write_buffer=4GiB"});
  EXPECT_EQ(memory.find("--set ftl.write_buffer=4GiB: error: the firmware's rings, commands, slot and superblock "
                        "tables need "),
            0U)
      << memory;
  EXPECT_NE(memory.find(" bytes, expected at most the 8388608 of tightly coupled memory: fewer tags, smaller buffers, "
                        "fewer superblocks or channels"),
            std::string::npos)
      << memory;
}

TEST_F(GeometryConflicts, ListsByCellType) {
  EXPECT_EQ(with({"nand.timing.senses_per_page=[1, 2, 4]"}), "");
  EXPECT_EQ(with({"nand.timing.senses_per_page=[1, 2]"}),
            "--set nand.timing.senses_per_page=[1, 2]: error: nand.timing.senses_per_page has 2 numbers, expected 3: "
            "nand.cell "
            "has 3 page types");
  EXPECT_EQ(
      with({"nand.timing.senses_per_page=[2, 2, 2]"}),
      "--set nand.timing.senses_per_page=[2, 2, 2]: error: nand.timing.senses_per_page sums to 6, expected 7: every "
      "reference belongs to one page");
  EXPECT_EQ(
      with({"nand.timing.mode=pinned"}),
      "--set nand.timing.mode=pinned: error: nand.timing.t_r has 0 times, expected 1 or 3: nand.cell has 3 page types "
      "and "
      "nand.timing.mode is pinned\n"
      "--set nand.timing.mode=pinned: error: nand.timing.t_prog has 0 times, expected 1: a word line is programmed in "
      "one shot and nand.timing.mode is pinned");
  const std::vector<std::string> pinned = {"nand.timing.mode=pinned", "nand.timing.t_r=[45us]", "nand.program=page"};
  auto three = pinned;
  three.emplace_back("nand.timing.t_prog=[300us, 700us, 1100us]");
  EXPECT_EQ(with(three), "");
  auto two = pinned;
  two.emplace_back("nand.timing.t_prog=[300us, 700us]");
  EXPECT_EQ(with(two),
            "--set nand.timing.t_prog=[300us, 700us]: error: nand.timing.t_prog has 2 times, expected 1 or 3: "
            "nand.cell has 3 "
            "page types and nand.timing.mode is pinned");
}

TEST_F(GeometryConflicts, TotalsThatWouldBeIgnored) {
  EXPECT_EQ(with({"nand.timing.t_bers=5ms"}),
            "--set nand.timing.t_bers=5ms: error: nand.timing.t_bers has no effect, expected nand.timing.mode = pinned "
            "beside "
            "it");
  // A pinned device derived for a comparison keeps its totals in the file.
  write_file("pinned.toml", "[nand.timing]\nmode = \"pinned\"\nt_r = [\"45us\"]\nt_prog = [\"700us\"]\n");
  EXPECT_EQ(problems("pinned.toml"), "");
  EXPECT_EQ(problems("pinned.toml", {"nand.timing.mode=derived"}), "");
}

TEST_F(GeometryConflicts, Ispp) {
  EXPECT_EQ(with({"nand.ispp.window=540mV"}), "");
  EXPECT_EQ(with({"nand.ispp.window=440mV"}),
            "--set nand.ispp.window=440mV: error: nand.ispp.state_loops is 3, expected at most the 2 loops of "
            "nand.ispp.window / "
            "nand.ispp.step");
  EXPECT_EQ(with({"nand.ispp.step=5mV"}),
            "--set nand.ispp.step=5mV: error: nand.ispp.window / nand.ispp.step gives 325 loops, expected 1 to 251");
}

}  // namespace
}  // namespace wordline::testing::geometry_conflict_test
