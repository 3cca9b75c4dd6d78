// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives that begin with a state, and files that carry one from run to run.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::snapshot_test {
namespace {

namespace fs = std::filesystem;
using Sets = std::vector<std::string>;

constexpr const char* kDrive = "configs/ssds/small.toml";
// Logical pages in part and trims, too: what a state has to tell apart.
constexpr const char* kMixed =
    "[global]\nnorandommap\n[mixed]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=8000\n"
    "[parts]\nrw=randrw\nbs=2560\niodepth=2\nnumber_ios=500\n[trim]\nrw=randtrim\nbs=64k\nnumber_ios=100\n";
constexpr const char* kEngines[] = {"engines.l2p=on", "engines.buffer=on", "engines.job=on",   "engines.completion=on",
                                    "engines.gc=on",  "engines.copy=on",   "engines.victim=on"};

/// For runs with --verify-all: the whole drive was read back at the end, and GC had been at work before.
void expect_all_data(const RunResult& run) {
  EXPECT_EQ(run.result["status"], "completed");
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["flash"]["erases"], 0) << "nothing was collected";
}

// States are of superblocks, whatever blocks these are made of.
TEST(Snapshot, LiesInSpareBlocksWhereBlocksAreBad) {
  const Sets bad{"nand.faults.bad_blocks=0.02", "ftl.spare_blocks=4", "ftl.wear_levelling=dynamic"};
  const std::string file = scratch_folder() + "/bad.state";
  Sets made = bad, loaded = bad;
  made.emplace_back("precondition.fill=steady");
  loaded.push_back("precondition.file=" + file);
  expect_all_data(run_drive({kDrive, kMixed, made, {"--verify-all", "--snapshot", file}}));
  expect_all_data(run_drive({kDrive, kMixed, loaded, {"--verify-all"}}));
}

// Map pages are logical pages of the state, behind the exported ones; a drive with the whole map in DRAM has none.
TEST(Snapshot, OfAMapOnFlashSaysWhereItsPagesLie) {
  const std::string file = scratch_folder() + "/cached.state";
  const Sets cached{"ftl.map_cache=192KiB", "ftl.over_provisioning=0.4", "nand.blocks_per_plane=256",
                    "ftl.gc_buffer=2MiB", "cpu.model=native"};
  Sets made = cached, loaded = cached;
  made.emplace_back("precondition.fill=steady");
  loaded.push_back("precondition.file=" + file);
  const RunResult first = run_drive({kDrive, kMixed, made, {"--verify-all", "--snapshot", file}});
  expect_all_data(first);
  EXPECT_GT(first.result["map"]["misses"], 0);
  expect_all_data(run_drive({kDrive, kMixed, loaded, {"--verify-all"}}));
  const CommandResult other =
      wordline({"check", kDrive, "--set", "ftl.over_provisioning=0.4", "--set", "precondition.file=" + file});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.output.find("ftl.map_cache (map pages on flash) is "), std::string::npos) << other.output;
}

// Its streams have open superblocks of their own, which a shutdown gives up.
TEST(Snapshot, WinsSuperblocksWhereStreamsHoldThemOpen) {
  const std::string file = scratch_folder() + "/streams.state";
  expect_all_data(run_drive({kDrive,
                             kMixed,
                             {"ftl.policy=page_hot_cold", "precondition.fill=steady"},
                             {"--verify-all", "--snapshot", file}}));
  expect_all_data(
      run_drive({kDrive, kMixed, {"ftl.policy=page_hot_cold", "precondition.file=" + file}, {"--verify-all"}}));
}

class States : public ::testing::TestWithParam<std::string> {};

TEST_P(States, AreReadCollectedAndOverwritten) {
  for (const std::string fill : {"random", "steady"}) {
    for (const bool engines : {false, true}) {
      Sets sets{"cpu.model=" + GetParam(), "precondition.fill=" + fill};
      if (engines) sets.insert(sets.end(), std::begin(kEngines), std::end(kEngines));
      SCOPED_TRACE(fill + (engines ? " with engines" : ""));
      expect_all_data(run_drive({kDrive, kMixed, sets, {"--verify-all"}}));
    }
  }
}

TEST_P(States, OfARunAreTheBeginningOfTheNext) {
  const std::string first = scratch_folder() + "/first.state", second = scratch_folder() + "/second.state";
  const auto next = [&](const std::string& from, const std::string& to) {
    return run_drive(
        {kDrive, kMixed, {"cpu.model=" + GetParam(), "precondition.file=" + from}, {"--verify-all", "--snapshot", to}});
  };
  expect_all_data(run_drive({kDrive,
                             kMixed,
                             {"cpu.model=" + GetParam(), "precondition.fill=steady"},
                             {"--verify-all", "--snapshot", first}}));
  const RunResult once = next(first, second);
  expect_all_data(once);
  EXPECT_EQ(once.result_text, next(first, scratch_folder() + "/again.state").result_text);
  expect_all_data(next(second, scratch_folder() + "/third.state"));
}

INSTANTIATE_TEST_SUITE_P(Cores, States, ::testing::Values("native", "iss"),
                         [](const auto& param) { return param.param; });

// Pages lie whole where a page is the map unit.
TEST_P(States, AreMapsOfPagesWhereThePageIsTheMapUnit) {
  const Sets by_page{"cpu.model=" + GetParam(), "ftl.map=page"};
  const auto with = [&](const std::string& set) {
    Sets sets = by_page;
    sets.push_back(set);
    return sets;
  };
  const std::string file = scratch_folder() + "/pages.state", lpages = scratch_folder() + "/sectors.state";
  expect_all_data(run_drive({kDrive, kMixed, with("precondition.fill=random"), {"--verify-all"}}));
  expect_all_data(run_drive({kDrive, kMixed, with("precondition.fill=steady"), {"--verify-all", "--snapshot", file}}));
  expect_all_data(run_drive({kDrive, kMixed, with("precondition.file=" + file), {"--verify-all"}}));
  // A state of pages is one of logical pages, too, but not the reverse.
  expect_all_data(
      run_drive({kDrive, kMixed, {"cpu.model=" + GetParam(), "precondition.file=" + file}, {"--verify-all"}}));
  ASSERT_EQ(wordline({"snapshot", kDrive, "--set", "precondition.fill=random", "--out", lpages}).exit_code, 0);
  const CommandResult refused =
      wordline({"check", kDrive, "--set", "ftl.map=page", "--set", "precondition.file=" + lpages});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("is not of a drive with ftl.map = page: logical page "), std::string::npos)
      << refused.output;
}

// With an image or without: the results are the same to the byte.
TEST_P(States, AreMappedWhereTheyAreKept) {
  const std::string file = scratch_folder() + "/mapped.state";
  const Sets drive{"cpu.model=" + GetParam(), "nand.blocks_per_plane=384"};  // large enough to be kept
  for (const char* map : {"ftl.map=sector", "ftl.map=page"}) {
    SCOPED_TRACE(map);
    Sets made = drive, loaded = drive;
    made.insert(made.end(), {map, "precondition.fill=steady", "precondition.overwrites=0.25"});
    loaded.insert(loaded.end(), {map, "precondition.file=" + file});
    ASSERT_EQ(run_drive({kDrive, kMixed, made, {"--snapshot", file}}).result["status"], "completed");
    for (const Sets& sets : {made, loaded}) {
      const std::string states = scratch_folder() + "/states" + (&sets == &made ? "" : "_of_file");
      const RunResult alone = run_drive({kDrive, kMixed, sets, {}});
      for (const char* when : {"first", "then"}) {
        const RunResult kept = run_drive({kDrive, kMixed, sets, {"--states", states}});
        EXPECT_EQ(kept.result["status"], "completed") << when;
        EXPECT_EQ(kept.result_text, alone.result_text) << when;
      }
      std::size_t images = 0;
      for (const fs::directory_entry& entry : fs::directory_iterator(states)) {
        if (entry.path().extension() == ".image") ++images;
      }
      EXPECT_GT(images, 0U);
    }
  }
}

std::string without_hash(const RunResult& run) {
  nlohmann::json result = run.result;
  for (auto& section : result) {
    if (section.is_object()) section.erase("config_sha256");
  }
  result.erase("config_sha256");
  return result.dump();
}

// A file stands for the keys that it was made by: to the byte, but for the hash of the keys.
TEST(Snapshot, IsTheStateThatTheKeysMake) {
  const std::string file = scratch_folder() + "/steady.state";
  const CommandResult made = wordline({"snapshot", kDrive, "--set", "precondition.fill=steady", "--out", file});
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_NE(made.output.find("precondition.fill = steady, 3 overwrites, seed 1, write amplification 5."),
            std::string::npos)
      << made.output;
  const RunResult by_keys = run_drive({kDrive, kMixed, {"precondition.fill=steady"}, {}});
  const RunResult by_file = run_drive({kDrive, kMixed, {"precondition.file=" + file}, {}});
  EXPECT_EQ(without_hash(by_keys), without_hash(by_file));
  EXPECT_NE(without_hash(by_keys),
            without_hash(run_drive({kDrive, kMixed, {"precondition.fill=steady", "precondition.seed=2"}, {}})));
  const CommandResult check = wordline({"check", kDrive, "--set", "precondition.file=" + file});
  EXPECT_EQ(check.exit_code, 0) << check.output;
  EXPECT_NE(check.output.find("steady, 3 overwrites, seed 1; 2 superblocks free, 60 in use"), std::string::npos)
      << check.output;
}

// The drive under load, and the logical one after as many overwrites.
TEST(Snapshot, WriteAmplificationIsThatOfTheDrive) {
  const std::string job = "[job]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=5g\nnumber_ios=";
  const RunResult timed = run_drive({kDrive, job + "85480\n", {"precondition.fill=sequential"}, {}});
  const CommandResult made = wordline({"snapshot", kDrive, "--set", "precondition.fill=sequential", "--set",
                                       "precondition.overwrites=2", "--out", scratch_folder() + "/made.state"});
  const auto at = made.output.find("write amplification ");
  ASSERT_NE(at, std::string::npos) << made.output;
  const double waf = std::stod(made.output.substr(at + 20));
  EXPECT_NEAR(waf / timed.result["flash"]["waf"].get<double>(), 1, 0.05) << waf;
  // It goes on where the logical one has ended.
  const RunResult later =
      run_drive({kDrive, job + "42740\n", {"precondition.fill=sequential", "precondition.overwrites=2"}, {}});
  EXPECT_NEAR(waf / later.result["flash"]["waf"].get<double>(), 1, 0.05) << waf;
}

// Blocks with one to three hundred erases behind them read as those of a drive with a hundred P/E cycles, where the
// model looks up their rates.
TEST(Snapshot, ItsErasesHaveWornTheBlocks) {
  const auto errors = [](const Sets& sets) {
    Sets all{"cpu.model=native", "precondition.fill=sequential", "precondition.overwrites=40",
             "nand.aging.retention_days=365"};
    all.insert(all.end(), sets.begin(), sets.end());
    const RunResult run = run_drive({kDrive, "[read]\nrw=randread\nbs=4k\niodepth=8\nnumber_ios=20000\n", all, {}});
    return run.result["ecc"]["bit_errors_corrected"].get<double>();
  };
  const double worn = errors({}), baseline = errors({"precondition.wear=false"});
  EXPECT_GT(worn, 1.2 * baseline);
  EXPECT_NEAR(worn / errors({"precondition.wear=false", "nand.aging.pe_cycles=100"}), 1, 0.05);
}

// Both ways of keeping a state, before anything is simulated.
TEST(Snapshot, KnowsOnePageSize) {
  const std::string file = scratch_folder() + "/two_sizes.state";
  const Sets drive{kDrive,
                   "--set",
                   "ftl.policy=mpnfm",
                   "--set",
                   "ftl.map=page",
                   "--set",
                   "ftl.gc_pacing=false",
                   "--set",
                   "nand.region.blocks_per_plane=4",
                   "--set",
                   "ftl.over_provisioning=0.5"};
  Sets words{"check"};
  words.insert(words.end(), drive.begin(), drive.end());
  ASSERT_EQ(wordline(words).exit_code, 0) << wordline(words).output;
  words = {"snapshot"};
  words.insert(words.end(), drive.begin(), drive.end());
  words.insert(words.end(), {"--out", file});
  Sets run{"run"};
  run.insert(run.end(), drive.begin(), drive.end());
  run.insert(run.end(), {"--workload", "configs/workloads/randread_4k.fio", "--snapshot", file});
  for (const Sets& command : {words, run}) {
    const CommandResult result = wordline(command);
    EXPECT_EQ(result.exit_code, 2) << command[0];
    EXPECT_NE(result.output.find("the state of a drive with nand.region.blocks_per_plane = 4 cannot be kept, expected "
                                 "0: states have one page size"),
              std::string::npos)
        << result.output;
    EXPECT_FALSE(std::filesystem::exists(file)) << command[0];
  }
}

TEST(Snapshot, WrongFilesEndWithTheReason) {
  const std::string file = scratch_folder() + "/drive.state";
  ASSERT_EQ(wordline({"snapshot", kDrive, "--set", "precondition.fill=random", "--out", file, "--quiet"}).exit_code, 0);
  const auto refused = [&](const Sets& sets, const std::string& reason) {
    for (const char* command : {"run", "check"}) {
      Sets words{command, kDrive, "--set", "precondition.file=" + file};
      if (std::string(command) == "run") words.insert(words.end(), {"--workload", "configs/workloads/randread_4k.fio"});
      for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
      const CommandResult result = wordline(words);
      EXPECT_EQ(result.exit_code, 2) << command;
      EXPECT_NE(result.output.find("precondition.file = " + file + ": error: " + reason), std::string::npos)
          << result.output;
    }
  };
  refused({"nand.planes=4", "ftl.write_buffer=4MiB", "ftl.gc_buffer=4MiB"},
          "is the state of another drive: nand.planes is 2 there and 4 here");
  refused({"ftl.over_provisioning=0.2"},
          "is the state of another drive: ftl.over_provisioning (logical pages exported)");
  const auto size = fs::file_size(file);
  {
    std::fstream change(file, std::ios::in | std::ios::out | std::ios::binary);
    change.seekp(static_cast<std::streamoff>(size / 2));
    change.put('x').put('y');
  }
  refused({}, "is damaged: its checksum does not fit its content");
  fs::resize_file(file, size - 4096);
  refused({}, "is cut short or has grown: " + std::to_string(size - 4096) + " bytes, expected " + std::to_string(size));
  fs::remove(file);
  refused({}, "cannot be read: No such file or directory");
}

}  // namespace
}  // namespace wordline::testing::snapshot_test
