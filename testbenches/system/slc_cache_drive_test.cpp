// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with an SLC cache (docs/slc_cache.md), against times and sizes worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/nand/timing.h"
#include "models/onfi/timing.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::slc_cache_drive_test {
namespace {

using Sets = std::vector<std::string>;

constexpr double kMib = 1 << 20;
const char* const kFillOnce = "[global]\nrw=write\nbs=128k\n[fill]\niodepth=32\nsize=100%\n";

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The drive of `wordline new drive`, fresh: 8 dies on 4 channels, 64 superblocks.
struct Drive {
  explicit Drive(Sets more) : sets(Sets{"precondition.fill=none"} + more) {
    config = config::load(WORDLINE_START "/drive.toml", sets).config;
    layout = config::layout_of(config);
  }
  [[nodiscard]] double unit() const { return 4096.0 * layout.lpages_per_program; }  // bytes
  [[nodiscard]] double units() const { return layout.programs_per_block; }          // of a die, in a superblock
  [[nodiscard]] double superblock() const { return unit() * units() * layout.dies; }
  /// Seconds that a die is busy with a program of `pages` pages in each of its planes: it takes them in, then programs
  /// them.
  [[nodiscard]] double program(double pages, double t_prog) const {
    const onfi::BusTiming bus(config.channels);
    const double page = seconds(bus.command(6)) + seconds(config.channels.t_adl) +
                        seconds(bus.data_in(layout.lpages_per_page * 4648)) + seconds(bus.command(1)) +
                        seconds(config.channels.t_wb) + seconds(config.channels.t_dbsy);
    return pages * config.nand.geometry.planes * page + t_prog + seconds(bus.status(1));
  }
  [[nodiscard]] static double seconds(Picoseconds t) { return static_cast<double>(t.count()) * 1e-12; }
  [[nodiscard]] double fast() const { return program(1, seconds(config.nand.slc_mode.t_prog)); }
  [[nodiscard]] double dense() const {
    return program(3, seconds(nand::ArrayPlans(config.nand, layout).program(0).total()));
  }

  Sets sets;
  config::Config config;
  config::Layout layout;
};

/// Bytes a second that the host wrote while it wrote the bytes from `from` to `to`.
double rate(const nlohmann::json& over_time, double from, double to) {
  double written = 0, first = -1, last = -1, before = 0, begin = 0, bytes_at_first = 0, bytes_at_last = 0;
  for (std::size_t i = 0; i < over_time["end_ps"].size(); ++i) {
    written += over_time["bytes_written"][i].get<double>();
    const double end = over_time["end_ps"][i].get<double>() * 1e-12;
    if (first < 0 && before >= from) {
      first = begin;
      bytes_at_first = before;
    }
    if (written <= to) {
      last = end;
      bytes_at_last = written;
    }
    before = written;
    begin = end;
  }
  return (bytes_at_last - bytes_at_first) / (last - first);
}

void expect_whole(const RunResult& run) {
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
}

// A fresh drive is filled: first into the cache, then beside it, then into what GC wins by emptying it. The published
// shape of client drives (docs/slc_cache.md): where the rate falls, and how far, follows from sizes and times.
TEST(SlcCacheDrive, AFillHasThreePhasesWorkedOutByHand) {
  constexpr double kSuperblocks = 48;
  const Drive drive({"ftl.slc_cache=dynamic", "ftl.slc_superblocks=48"});
  const auto run = run_drive({"configs/start/drive.toml", kFillOnce, drive.sets, {"--verify-all"}});
  expect_whole(run);
  const nlohmann::json& over_time = run.result["over_time"];
  const double dies = drive.layout.dies;
  const double page = drive.unit() / 3;

  // The cache holds a bit of each cell where others hold three.
  const double cache = kSuperblocks * drive.superblock() / 3;
  EXPECT_EQ(run.result["slc_cache"]["sectors"].get<double>() * 4096, cache);
  EXPECT_EQ(run.result["slc_cache"]["programs"].get<double>() * page, cache);
  EXPECT_EQ(run.result["slc_cache"]["opened_superblocks"], kSuperblocks);
  // Then all that is not GC's is filled.
  const double kept = drive.config.ftl.gc_start_superblocks;
  const double beside =
      cache + (drive.config.nand.geometry.blocks_per_plane - kSuperblocks - kept) * drive.superblock();

  const double burst = rate(over_time, 0.1 * cache, 0.95 * cache);
  EXPECT_NEAR(burst, dies * page / drive.fast(), 0.03 * burst);
  const double direct = rate(over_time, cache + 10 * kMib, 0.95 * beside);
  EXPECT_NEAR(direct, dies * drive.unit() / drive.dense(), 0.03 * direct);

  // An erase of a superblock of the cache wins two thirds of one, for copies of a third: half a unit for each of the
  // host's, which is read first, and an erase for two thirds of a superblock.
  const onfi::BusTiming bus(drive.config.channels);
  const double planes = drive.config.nand.geometry.planes;
  const double read_page = Drive::seconds(drive.config.nand.slc_mode.t_r) +
                           planes * (Drive::seconds(bus.data_out(4 * 4648)) + Drive::seconds(bus.command(8)) +
                                     Drive::seconds(drive.config.channels.t_ccs));
  const double erase = Drive::seconds(nand::ArrayPlans(drive.config.nand, drive.layout).erase().total());
  const double each = 1.5 * drive.dense() + 1.5 * read_page + erase / (drive.units() * 2 / 3);
  const double folding = rate(over_time, beside + 20 * kMib, 4096.0 * drive.layout.user_lpages);
  EXPECT_NEAR(folding, dies * drive.unit() / each, 0.1 * folding);
  EXPECT_LT(folding, direct);
  EXPECT_LT(direct, burst);
  EXPECT_NEAR(run.result["gc"]["copied_per_superblock"].get<double>() * 4096, drive.superblock() / 3,
              0.02 * drive.superblock());
}

// What the cache holds is folded while the host is silent: the second burst is as fast as the first.
TEST(SlcCacheDrive, AfterAPauseTheCacheIsThereAgain) {
  const Drive drive({"ftl.slc_cache=dynamic", "ftl.slc_superblocks=8", "ftl.idle_after=1ms"});
  const double cache = 8 * drive.superblock() / 3;
  const auto bursts = [&](const char* pause) {
    return run_drive({"configs/start/drive.toml",
                      "[global]\nrw=write\nbs=128k\niodepth=32\nsize=100%\nio_size=48m\n[one]\n[two]\nstonewall\n"
                      "startdelay=" +
                          std::string(pause) + "\noffset=48m\n",
                      drive.sets,
                      {"--verify-all"}});
  };
  const auto paused = bursts("1");
  expect_whole(paused);
  const auto folded = paused.result["slc_cache"]["folded_superblocks"].get<double>();
  EXPECT_GE(folded, 6) << "all that were closed after the first";
  EXPECT_NEAR(paused.result["slc_cache"]["folded_sectors"].get<double>() * 4096, folded * drive.superblock() / 3,
              0.01 * cache);
  EXPECT_EQ(paused.result["slc_cache"]["sectors"].get<double>() * 4096, 96 * kMib) << "both bursts went to the cache";
  // Folded data were programmed twice, others once.
  const double copied = paused.result["gc"]["sectors_copied"].get<double>() * 4096;
  EXPECT_NEAR(copied, 6 * drive.superblock() / 3, 0.01 * cache);
  EXPECT_NEAR(paused.result["flash"]["waf"].get<double>(), 1 + copied / (96 * kMib), 0.01);

  const auto at_once = bursts("0");
  expect_whole(at_once);
  EXPECT_EQ(at_once.result["slc_cache"]["sectors"].get<double>() * 4096, cache);
  EXPECT_EQ(at_once.result["gc"]["sectors_copied"], 0) << "folding begins when the host is silent: at the end";
}

// The host writes half a cache's worth of data over and over: what is older is erased while the host writes on, so that
// all goes to the cache, at its rate. Nothing is copied, and GC, which lacks no room, takes nothing up.
TEST(SlcCacheDrive, WhatTheHostWritesAnewLeavesTheCacheAtOnce) {
  const Drive drive({"ftl.slc_cache=dynamic", "ftl.slc_superblocks=8"});
  const double fill = drive.superblock() / 3;
  const auto run = run_drive({"configs/start/drive.toml",
                              "[w]\nrw=write\nbs=128k\niodepth=32\nsize=32m\nio_size=320m\n",
                              drive.sets,
                              {"--verify-all"}});
  expect_whole(run);
  ASSERT_EQ(fill, 8 * kMib);
  EXPECT_EQ(run.result["slc_cache"]["sectors"].get<double>() * 4096, 320 * kMib);
  EXPECT_EQ(run.result["slc_cache"]["opened_superblocks"], 40);
  // At the end four hold the data, of which one may be open still; the next to be erased may wait for its turn.
  EXPECT_GE(run.result["slc_cache"]["emptied_superblocks"], 40 - 4 - 2);
  EXPECT_FALSE(run.result["slc_cache"].contains("folded_superblocks"));  // a count of 0 is left out
  EXPECT_EQ(run.result["gc"].value("superblocks", 0), 0);
  EXPECT_EQ(run.result["gc"].value("sectors_copied", 0), 0);
  const double erase = Drive::seconds(nand::ArrayPlans(drive.config.nand, drive.layout).erase().total());
  const double paced = drive.layout.dies * drive.unit() / 3 / (drive.fast() + erase / drive.units());
  EXPECT_NEAR(rate(run.result["over_time"], 100 * kMib, 300 * kMib), paced, 0.03 * paced);
}

// A dynamic cache shrinks as the drive fills, a static one does not.
TEST(SlcCacheDrive, OnAFullDriveAStaticCacheIsLeft) {
  const auto cached = [](const char* kind) {
    const Drive drive({"ftl.slc_superblocks=5", std::string("ftl.slc_cache=") + kind, "ftl.over_provisioning=0.25",
                       "precondition.fill=sequential"});
    const auto run = run_drive({"configs/start/drive.toml",
                                "[w]\nrw=randwrite\nbs=16k\niodepth=32\nnumber_ios=2000\n",
                                drive.sets,
                                {"--verify-all"}});
    expect_whole(run);
    return 4096.0 * run.result["slc_cache"]["sectors"].get<double>() / drive.superblock();
  };
  const double whole = 5.0 / 3;  // superblocks of data
  EXPECT_NEAR(cached("static"), 2000.0 * 16384 / Drive({}).superblock(), 0.35);
  EXPECT_LE(cached("dynamic"), whole);
  // Six superblocks are free beyond the data, GC begins at three.
  const Drive full({"ftl.slc_cache=dynamic", "ftl.over_provisioning=0.11", "precondition.fill=sequential"});
  const auto run = run_drive({"configs/start/drive.toml",
                              "[w]\nrw=randwrite\nbs=16k\niodepth=32\nnumber_ios=4000\n",
                              full.sets,
                              {"--verify-all"}});
  expect_whole(run);
  EXPECT_LE(run.result["slc_cache"]["opened_superblocks"], 2);
}

// A superblock of the cache is closed early where a program has failed. Units that were filled for it go elsewhere when
// the cache may open no other.
TEST(SlcCacheDrive, UnitsGoElsewhereWhenTheCacheIsFullAfterAll) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 kFillOnce,
                 {"cpu.model=native", "ftl.slc_cache=dynamic", "ftl.slc_superblocks=1", "ftl.over_provisioning=0.8",
                  "nand.faults.program_failures=0.05", "nand.faults.rated_cycles=1", "nand.aging.pe_cycles=1"},
                 {"--verify-all"}});
  expect_whole(run);
  EXPECT_EQ(run.result["slc_cache"]["opened_superblocks"], 1);
  EXPECT_GE(run.result["slc_cache"]["refused_units"], 1);
  // What is programmed as others are, though filled for the cache, is two thirds padding.
  EXPECT_EQ(run.result["slc_cache"]["sectors"], 8 * run.result["slc_cache"]["programs"].get<int>());
}

struct Kind {
  const char* name;
  Sets sets;
};
void PrintTo(const Kind& c, std::ostream* out) { *out << c.name; }

class SlcCacheKinds : public ::testing::TestWithParam<Kind> {};

// Overwrites, reads, trims and FLUSH with short pauses: nothing is lost, stale or read in the wrong mode (the die would
// refuse it), with engines, cores, and the map by pages.
TEST_P(SlcCacheKinds, LosesNothing) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 "[global]\nbs=16k\nnorandommap\n[over]\nrw=randwrite\niodepth=32\n"
                 "io_size=300%\nfsync=100\n[mix]\nrw=randrw\nbs=4k\niodepth=16\nio_size=30%\nthinktime=3ms\nthinktime_"
                 "blocks=200\nstonewall\n[trim]\nrw=randtrim\nnumber_ios=200\n",
                 Sets{"ftl.slc_superblocks=6", "ftl.idle_after=1ms", "ftl.over_provisioning=0.4"} + GetParam().sets,
                 {"--verify-all"}});
  expect_whole(run);
  EXPECT_GT(run.result["slc_cache"]["programs"], 50);
  EXPECT_GT(run.result["gc"]["superblocks"], 10);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, SlcCacheKinds,
    ::testing::Values(
        Kind{"dynamic", {"ftl.slc_cache=dynamic", "cpu.model=native"}},
        Kind{"static", {"ftl.slc_cache=static", "cpu.model=native"}},
        Kind{"cores", {"ftl.slc_cache=static", "cpu.model=iss"}},
        Kind{"qlc",
             {"ftl.slc_cache=static", "cpu.model=native", "nand.cell=qlc", "nand.timing.senses_per_page=[]",
              "nand.ispp.step=90mV", "nand.ispp.window=2900mV"}},
        Kind{"hot_cold", {"ftl.slc_cache=static", "cpu.model=native", "ftl.policy=page_hot_cold"}},
        Kind{"sepbit", {"ftl.slc_cache=dynamic", "cpu.model=native", "ftl.policy=sepbit", "ftl.write_buffer=2MiB"}},
        Kind{"by_pages", {"ftl.slc_cache=static", "cpu.model=native", "ftl.map=page"}},
        Kind{"unpaced", {"ftl.slc_cache=static", "cpu.model=native", "ftl.gc_pacing=false"}},
        Kind{"engines",
             {"ftl.slc_cache=static", "cpu.model=native", "engines.l2p=on", "engines.buffer=on", "engines.job=on",
              "engines.completion=on", "engines.gc=on", "engines.copy=on", "engines.victim=on"}},
        Kind{"waves", {"ftl.slc_cache=dynamic", "cpu.model=native", "observe.waves=true"}},
        Kind{"caches",
             {"ftl.slc_cache=dynamic", "cpu.model=native", "channels.cache_read=true", "channels.cache_program=true",
              "channels.suspend=both"}},
        Kind{"bad_blocks",
             {"ftl.slc_cache=static", "cpu.model=native", "nand.faults.program_failures=0.002",
              "nand.faults.rated_cycles=1", "nand.aging.pe_cycles=1", "ftl.spare_blocks=6"}}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing::slc_cache_drive_test
