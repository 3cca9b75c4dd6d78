// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Values that are each good but do not fit together. Every gate is tested at its last good value, too.
#include <gtest/gtest.h>

#include "models/config/load.h"
#include "testbenches/models/config/scratch.h"

namespace wordline::testing {
namespace {

class Conflicts : public ::testing::Test {
 protected:
  void SetUp() override {
    enter_scratch();
    write_file("drive.toml", "");
  }
  static std::string with(const std::vector<std::string>& sets) { return problems("drive.toml", sets); }
};

TEST_F(Conflicts, TheKeySetLastIsAtFault) {
  write_file("base.toml", "[cpu]\ncores = 1\ntask_core = [0, 0, 0]\n");
  write_file("top.toml", "extends = \"base.toml\"\n[cpu]\ntask_core = [0, 1, 0]\n");
  EXPECT_EQ(problems("top.toml"),
            "top.toml:3:13: error: cpu.task_core puts the ftl task on core 1, expected a core below cpu.cores = 1");
  EXPECT_EQ(
      with({"cpu.cores=2"}),
      "--set cpu.cores=2: error: cpu.task_core puts the flash task on core 2, expected a core below cpu.cores = 2");
}

TEST_F(Conflicts, AKeyWithAProblemOfItsOwnBringsNoFurtherOnes) {
  EXPECT_EQ(
      with({"cpu.cores=2", "cpu.task_core=[0, 1, x]"}),
      "--set cpu.task_core=[0, 1, x]: error: cpu.task_core is [0, 1, \"x\"], expected a list of 3, each a whole number "
      "from 0 to 7");
}

TEST_F(Conflicts, Page) {
  EXPECT_EQ(with({"nand.page=18KiB"}),
            "--set nand.page=18KiB: error: nand.page is 18432 bytes, expected a multiple of 4 KiB");
  EXPECT_EQ(with({"nand.spare=2208B"}), "");
  EXPECT_EQ(with({"nand.spare=2207B"}),
            "--set nand.spare=2207B: error: nand.spare is 2207 bytes, expected at least 2208: 552 bytes of CRC and "
            "parity per "
            "4 KiB of nand.page");
}

TEST_F(Conflicts, Dies) {
  EXPECT_EQ(
      with({"channels.count=64", "channels.packages=64", "channels.dies_per_package=16"}),
      "--set channels.dies_per_package=16: error: channels.count x channels.packages x channels.dies_per_package is "
      "65536 dies, expected at most 65535");
}

TEST_F(Conflicts, Capacity) {
  // 1,024 dies x blocks x 384 pages x 8 sectors / 1.07, four bytes each.
  const std::vector<std::string> big = {"channels.count=32", "channels.packages=32", "nand.layers=32",
                                        "nand.blocks_per_plane=182", "ftl.over_provisioning=0.07"};
  EXPECT_EQ(with(big), "");
  auto more = big;
  more.emplace_back("nand.blocks_per_plane=183");
  EXPECT_EQ(with(more),
            "--set nand.blocks_per_plane=183: error: the map of 538007685 exported sectors needs 2152030740 bytes, "
            "expected at "
            "most the 2147479552 of DRAM (2 TiB exported)");
  EXPECT_EQ(
      with({"channels.count=64", "channels.packages=64", "nand.layers=1", "nand.wls_per_layer=1", "nand.planes=16",
            "nand.blocks_per_plane=65535"}),
      "--set nand.blocks_per_plane=65535: error: an address of die, block, page and sector needs 36 bits, expected at "
      "most 32: fewer dies, blocks, pages or planes\n"
      "--set nand.blocks_per_plane=65535: error: the map of 48167122542 exported sectors needs 192668490168 bytes, "
      "expected at most the 2147479552 of DRAM (2 TiB exported)");
}

TEST_F(Conflicts, SpareBlocks) {
  // 100 superblocks, 8.7 % spare: 92 hold data, 8 are left; collection from 6 on and two open ones need all of them.
  EXPECT_EQ(with({"nand.blocks_per_plane=100", "ftl.over_provisioning=0.087", "ftl.gc_start_lines=6"}), "");
  EXPECT_EQ(with({"nand.blocks_per_plane=100", "ftl.over_provisioning=0.087", "ftl.gc_start_lines=7"}),
            "--set ftl.gc_start_lines=7: error: ftl.over_provisioning leaves 8 of 100 superblocks to spare, expected "
            "at least "
            "9: ftl.gc_start_lines = 7 and 2 open ones; more over-provisioning or more blocks");
  EXPECT_EQ(with({"ftl.gc_start_lines=2", "ftl.gc_reserve_lines=2"}), "");
  EXPECT_EQ(with({"ftl.gc_start_lines=2", "ftl.gc_reserve_lines=3"}),
            "--set ftl.gc_reserve_lines=3: error: ftl.gc_reserve_lines = 3 is above ftl.gc_start_lines = 2, expected "
            "no more: "
            "host writes would wait before collection begins");
}

TEST_F(Conflicts, Buffers) {
  EXPECT_EQ(with({"ftl.write_buffer=512KiB"}), "");
  EXPECT_EQ(
      with({"ftl.write_buffer=508KiB"}),
      "--set ftl.write_buffer=508KiB: error: ftl.write_buffer holds 127 sectors, expected at least 128: one largest "
      "transfer (nvme.max_transfer_sectors)");
  EXPECT_EQ(with({"nvme.max_transfer_sectors=1", "ftl.write_buffer=96KiB", "ftl.gc_buffer=96KiB"}), "");
  EXPECT_EQ(with({"nvme.max_transfer_sectors=1", "ftl.write_buffer=92KiB", "ftl.gc_buffer=92KiB"}),
            "--set ftl.write_buffer=92KiB: error: ftl.write_buffer holds 23 sectors, expected at least 24: one program "
            "operation of all planes\n"
            "--set ftl.gc_buffer=92KiB: error: ftl.gc_buffer holds 23 sectors, expected at least 24: one program "
            "operation of "
            "all planes");
  EXPECT_EQ(with({"ftl.read_buffer=513KiB"}),
            "--set ftl.read_buffer=513KiB: error: ftl.read_buffer is 525312 bytes, expected a multiple of 4 KiB");
  EXPECT_EQ(
      with({"nvme.max_transfer_sectors=96"}),
      "--set nvme.max_transfer_sectors=96: error: nvme.max_transfer_sectors is 96, expected a power of two (MDTS is an "
      "exponent)");
  EXPECT_EQ(
      with({"nvme.tags=32768", "ftl.write_buffer=4GiB"}),
      "--set ftl.write_buffer=4GiB: error: the event ring of nvme.tags and the slot table of the buffers need 9465856 "
      "bytes, expected at most the 8388608 of tightly coupled memory");
}

TEST_F(Conflicts, ListsByCellType) {
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

TEST_F(Conflicts, TotalsThatWouldBeIgnored) {
  EXPECT_EQ(with({"nand.timing.t_bers=5ms"}),
            "--set nand.timing.t_bers=5ms: error: nand.timing.t_bers has no effect, expected nand.timing.mode = pinned "
            "beside "
            "it");
  // A pinned device derived for a comparison keeps its totals in the file.
  write_file("pinned.toml", "[nand.timing]\nmode = \"pinned\"\nt_r = [\"45us\"]\nt_prog = [\"700us\"]\n");
  EXPECT_EQ(problems("pinned.toml"), "");
  EXPECT_EQ(problems("pinned.toml", {"nand.timing.mode=derived"}), "");
}

TEST_F(Conflicts, Ispp) {
  EXPECT_EQ(with({"nand.ispp.window=540mV"}), "");
  EXPECT_EQ(with({"nand.ispp.window=440mV"}),
            "--set nand.ispp.window=440mV: error: nand.ispp.state_loops is 3, expected at most the 2 loops of "
            "nand.ispp.window / "
            "nand.ispp.step");
  EXPECT_EQ(with({"nand.ispp.step=5mV"}),
            "--set nand.ispp.step=5mV: error: nand.ispp.window / nand.ispp.step gives 325 loops, expected 1 to 251");
}

TEST_F(Conflicts, WaveWindow) {
  EXPECT_EQ(with({"observe.waves_from=1ms", "observe.waves_to=1ms"}),
            "--set observe.waves_to=1ms: error: observe.waves_to is not after observe.waves_from, expected a later "
            "time, or 0 "
            "for the end of the run");
  EXPECT_EQ(with({"observe.waves_from=1ms"}), "");
}

}  // namespace
}  // namespace wordline::testing
