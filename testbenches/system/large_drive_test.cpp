// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives whose map lies behind the MAP port: of 8 TiB, and as small ones with the same data as in the cores' window.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::large_drive_test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> with(std::vector<std::string> sets, const std::vector<std::string>& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

constexpr const char* kEight = "configs/ssds/large_8tib.toml";
constexpr const char* kSixteen = "configs/ssds/large_16tib.toml";
constexpr const char* kThirtyTwo = "configs/ssds/large_32tib.toml";

/// All over the drive, beyond 2 TiB too, where an LBA of 512 bytes has more than 32 bits.
constexpr const char* kMix =
    "[global]\nnorandommap\nrandrepeat=1\n"
    "[rw]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=4000\n"
    "[end]\nrw=randrw\nbs=16k\noffset=99%\nsize=8m\nio_size=32m\niodepth=4\n"  // reads what it has written
    "[trim]\nrw=randtrim\nbs=64k\niodepth=2\nnumber_ios=100\n";

struct Start {
  const char* drive;
  std::vector<std::string> keys;
};

TEST(LargeDrives, OfEightToThirtyTwoTebibytesStartAndReadWhatWasWritten) {
  for (const Start& start :
       std::vector<Start>{{kEight, {"cpu.model=native"}},
                          {kEight, {"cpu.model=iss"}},
                          {kEight, {"cpu.model=native", "precondition.fill=none", "engines.parse=off"}},
                          {kEight, {"cpu.model=native", "ftl.map_unit=4KiB"}},
                          {kEight, {"cpu.model=native", "ftl.map_unit=32KiB", "ftl.power_safe=false"}},
                          {kSixteen, {"cpu.model=native"}},
                          {kSixteen, {"cpu.model=iss"}},
                          {kSixteen, {"cpu.model=native", "precondition.fill=none", "ftl.map_unit=32KiB"}},
                          {kThirtyTwo, {"cpu.model=native"}},
                          {kThirtyTwo, {"cpu.model=iss"}},
                          {kThirtyTwo, {"cpu.model=iss", "precondition.fill=none", "ftl.map_unit=32KiB"}}}) {
    SCOPED_TRACE(std::string(start.drive) + " " + start.keys.back());
    const Json r = run_drive({start.drive, kMix, start.keys, {}}).result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["check"]["reads_checked"].get<int>(), 2500);
    EXPECT_GT(r["ios"]["write"]["count"].get<int>(), 1500);
  }
}

/// The blank drive mounts in some 350 ms. What a cut leaves is scanned, kept, mounted and compared with the scan at the
/// cost of what was written.
TEST(LargeDrives, OfTwoTebibytesMountWhatACutHasLeft) {
  const std::vector<std::string> sets{"ftl.recovery=scan", "ftl.power_safe=false", "cpu.model=native",
                                      "nand.blocks_per_plane=910"};
  const std::string image = scratch_folder() + "/cut.flash";
  const RunResult first =
      run_drive({kEight, kMix, with(sets, {"precondition.fill=none"}), {"--cut-power", "360ms", "--image", image}});
  const Json cut = Json::parse(std::ifstream(first.folder + "/power_cut.json"));
  EXPECT_EQ(cut["broken_promises"], (Json{{"lost", 0}, {"stale", 0}, {"corrupt", 0}}));
  EXPECT_GT(cut["records"], 1000);
  EXPECT_GT(cut["torn_lpages"], 0);
  EXPECT_GT(cut["lpages"]["kept"], 450'000'000);
  const Json after =
      run_drive({kEight, kMix, with(sets, {"precondition.fill=none", "precondition.flash=" + image}), {}}).result;
  EXPECT_EQ(after["status"], "completed");
  EXPECT_EQ(after["check"]["mismatches"], 0);
  EXPECT_EQ(after["recovery"]["mount_records"], cut["records"]);
}

// Four words of the port for each 4 KiB of 8 TiB: 29 GiB, in two banks. Blocks are four times as long as usual, so that
// a mount has a fourth of them to read.
TEST(LargeDrives, MountAMapThatFillsMoreThanOneBank) {
  const std::vector<std::string> sets{"ftl.recovery=scan", "ftl.power_safe=false",  "cpu.model=native",
                                      "ftl.map_unit=4KiB", "nand.layers=192",       "nand.blocks_per_plane=910",
                                      "host.cores=2",      "precondition.fill=none"};
  const std::string image = scratch_folder() + "/cut.flash";
  const RunResult first = run_drive({kEight, kMix, sets, {"--cut-power", "360ms", "--image", image}});
  const Json cut = Json::parse(std::ifstream(first.folder + "/power_cut.json"));
  EXPECT_EQ(cut["broken_promises"], (Json{{"lost", 0}, {"stale", 0}, {"corrupt", 0}}));
  EXPECT_GT(cut["records"], 1000);
  EXPECT_GT(cut["lpages"]["kept"], 1'800'000'000);
  const Json after = run_drive({kEight, kMix, with(sets, {"precondition.flash=" + image}), {}}).result;
  EXPECT_EQ(after["status"], "completed");
  EXPECT_EQ(after["check"]["mismatches"], 0);
  EXPECT_EQ(after["recovery"]["mount_records"], cut["records"]);
}

TEST(LargeDrives, CheckSaysWhichCapacityTheyHave) {
  const CommandResult check = wordline({"check", "configs/ssds/large_8tib.toml"});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_NE(check.output.find("128 dies, 7.998 TiB raw, 7.016 TiB exported"), std::string::npos) << check.output;
  EXPECT_NE(check.output.find("map       16 KiB units, 5.507 GiB behind the map port"), std::string::npos)
      << check.output;
  const CommandResult twice = wordline({"check", kSixteen});
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_NE(twice.output.find("256 dies, 15.97 TiB raw, 14 TiB exported"), std::string::npos) << twice.output;
  const CommandResult largest = wordline({"check", kThirtyTwo});
  EXPECT_EQ(largest.exit_code, 0);
  EXPECT_NE(largest.output.find("31.99 TiB raw, 28.06 TiB exported (1883297684 logical pages of 16 KiB)"),
            std::string::npos)
      << largest.output;
}

// A block more for each plane, and the last PPAs would be values that name slots of the write buffer.
TEST(LargeDrives, CheckNamesTheLastLogicalPageThatAnEntryNames) {
  const CommandResult check = wordline({"check", kSixteen, "--set", "nand.blocks_per_plane=3634"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_NE(check.output.find("the superblocks have 4286840832 logical pages, expected at most 4286578684, which an "
                              "entry of the map names behind the port (15.97 TiB of 4 KiB): a larger ftl.logical_page"),
            std::string::npos)
      << check.output;
  const CommandResult larger =
      wordline({"check", kSixteen, "--set", "nand.blocks_per_plane=3634", "--set", "ftl.logical_page=8KiB"});
  EXPECT_EQ(larger.exit_code, 0) << larger.output;
}

// GC over a part of the drive: all but a few superblocks are full of what nobody touches.
TEST(LargeDrives, CollectASmallPartOfTheirSuperblocks) {
  struct Part {
    const char* drive;
    const char* written;  // superblocks of sixteen tebibytes are twice as large
    int dies;
  };
  for (const Part& part : {Part{kEight, "30g", 128}, Part{kSixteen, "60g", 256}}) {
    SCOPED_TRACE(part.drive);
    const Json r = run_drive({part.drive,
                              std::string("[rw]\nrw=randrw\nrwmixread=10\nbs=1m\nsize=4g\nnorandommap\niodepth=8\n") +
                                  "io_size=" + part.written + "\n",
                              {"cpu.model=native", "ftl.over_provisioning=0.0025", "ftl.map_unit=32KiB"},
                              {}})
                       .result;
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["check"]["reads_checked"].get<int>(), 2000);
    EXPECT_GE(r["flash"]["erases"].get<int>(), part.dies * 2) << "a superblock: two blocks of each die, at least";
    EXPECT_GT(r["flash"]["waf"].get<double>(), 1.001);
    EXPECT_LT(r["flash"]["waf"].get<double>(), 1.2);
  }
}

// A small drive behind the port does what that in the window does.
TEST(LargeDrives, BehindThePortASmallDriveDoesTheSame) {
  for (const char* unit : {"4KiB", "16KiB"}) {
    for (const char* cpu : {"native", "iss"}) {
      SCOPED_TRACE(std::string(unit) + " " + cpu);
      const std::vector<std::string> keys{"ftl.map=page", std::string("ftl.map_unit=") + unit,
                                          std::string("cpu.model=") + cpu, "precondition.fill=sequential"};
      const auto run = [&](const std::vector<std::string>& more) {
        return run_drive({"configs/ssds/small.toml",
                          "[rw]\nrw=randrw\nbs=4k\nnorandommap\niodepth=1\nnumber_ios=3000\n",
                          with(keys, more),
                          {"--verify-all"}})
            .result;
      };
      const Json flat = run({}), port = run({"ftl.map_access=port"});
      EXPECT_EQ(port["check"]["mismatches"], 0);
      EXPECT_EQ(port["check"]["reads_checked"], flat["check"]["reads_checked"]);
      EXPECT_EQ(port["flash"]["programs"], flat["flash"]["programs"]);
      EXPECT_EQ(port["flash"]["waf"], flat["flash"]["waf"]);
    }
  }
}

// A look-up writes WORD and reads DATA, and NEXT where there are bits of several logical pages: four cycles of 2 ns on
// the bus each, and once DRAM, 60 ns and 64 bytes at 12.8 GB/s. Natively nothing else changes.
TEST(LargeDrives, ALookUpTakesTheBusAndWaitsForDram) {
  for (const auto& [unit, more_ns] : {std::pair{"4KiB", 2 * 8 + 60 + 5}, {"16KiB", 3 * 8 + 60 + 5}}) {
    SCOPED_TRACE(unit);
    const auto mean_ps = [&, unit = unit](const char* access) {
      return run_drive({"configs/ssds/small.toml",
                        "[r]\nrw=randread\nbs=4k\nnorandommap\niodepth=1\nnumber_ios=1000\n",
                        {"ftl.map=page", std::string("ftl.map_unit=") + unit, "cpu.model=native",
                         "precondition.fill=sequential", std::string("ftl.map_access=") + access},
                        {}})
          .result["ios"]["read"]["lat_ps"]["mean"]
          .get<double>();
    };
    EXPECT_NEAR(mean_ps("port") - mean_ps("flat"), more_ns * 1000, 1000);
  }
}

TEST(LargeDrives, SnapshotsAndCutsNameThePort) {
  const CommandResult kept =
      wordline({"snapshot", "configs/ssds/large_8tib.toml", "--out", scratch_folder() + "/state"});
  EXPECT_NE(kept.exit_code, 0);
  EXPECT_NE(kept.output.find("ftl.map_access = port cannot be kept, expected ftl.map_access = flat"), std::string::npos)
      << kept.output;
  const CommandResult cut = wordline({"run", "configs/ssds/large_8tib.toml", "--workload", scratch_file("w.fio", kMix),
                                      "--cut-power", "1ms", "--out", scratch_folder()});
  EXPECT_NE(cut.exit_code, 0);
  EXPECT_NE(cut.output.find("--cut-power: error: records of pages are for a firmware that mounts them"),
            std::string::npos)
      << cut.output;
}

TEST(LargeDrives, AnImageWithoutThePortIsRefused) {
  const CommandResult run = wordline({"run", "configs/ssds/large_8tib.toml", "--workload", scratch_file("w.fio", kMix),
                                      "--firmware", FIRMWARE_ELF, "--out", scratch_folder()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.output.find("this firmware image has no map port, which ftl.map_access = port needs"),
            std::string::npos)
      << run.output;
}

}  // namespace
}  // namespace wordline::testing::large_drive_test
