// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/kept_states.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "models/checks/load.h"
#include "models/precondition/state_file.h"

namespace wordline::precondition {
namespace {

namespace fs = std::filesystem;

bool same(const DriveState& a, const DriveState& b) {
  const auto bits = [](const DriveState& s) {
    std::vector<std::uint32_t> all;
    for (const Content& c : s.ppas) all.push_back(c.bits());
    return all;
  };
  return a.geometry == b.geometry && bits(a) == bits(b) && a.superblocks == b.superblocks && a.lost == b.lost &&
         a.origin == b.origin;
}

class KeptStatesTest : public ::testing::Test {
 protected:
  KeptStatesTest() {
    folder_ = fs::temp_directory_path() / ("wordline_kept_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    drive_ = (folder_ / "drive.toml").string();
    std::ofstream(drive_) << "[channels]\ncount = 4\n[nand]\nblocks_per_plane = 48\n[ftl]\nover_provisioning = "
                             "0.25\n[precondition]\nfill = \"steady\"\n"
                             "overwrites = 0.25\n";
  }
  ~KeptStatesTest() override { fs::remove_all(folder_); }

  [[nodiscard]] Recipe recipe(const std::vector<std::string>& sets = {}) const {
    const config::Loaded loaded = config::load(drive_, sets);
    return recipe_of(loaded.config, config::layout_of(loaded.config));
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(states())) {
      if (entry.path().extension() == ".state") found.push_back(entry.path());
    }
    return found;
  }
  [[nodiscard]] std::string states() const { return (folder_ / "states").string(); }

  fs::path folder_;
  std::string drive_;
};

TEST_F(KeptStatesTest, WhatAStateDependsOnIsInItsRecipe) {
  std::set<std::string> texts{recipe().text()};
  const std::vector<std::string> matter = {
      "channels.count=2",     "channels.packages=1",          "nand.planes=1",
      "nand.page=8 KiB",      "nand.blocks_per_plane=64",     "ftl.over_provisioning=0.3",
      "ftl.policy=page_fifo", "ftl.gc_reserve_superblocks=4", "ftl.gc_pacing=false",
      "precondition.seed=2",  "precondition.overwrites=0.5",  "precondition.fill=random",
  };
  for (const std::string& set : matter) {
    EXPECT_TRUE(texts.insert(recipe({set}).text()).second) << set << " changes the state";
  }
  for (const char* set : {"cpu.model=native", "nand.timing.t_sense=20us", "channels.rate=400MT/s", "run.seed=9",
                          "nand.aging.retention_days=30", "host.turnaround=7us"}) {
    EXPECT_EQ(recipe({set}).text(), recipe().text()) << set << " does not";
  }
}

TEST_F(KeptStatesTest, AStateIsMadeOnceAndFoundAgain) {
  const KeptStates kept(states());
  const DriveState made = make_state(recipe()).state;
  EXPECT_TRUE(same(kept.state_of(recipe()), made));
  ASSERT_EQ(files().size(), 1U);
  EXPECT_TRUE(same(kept.state_of(recipe()), made));
  // Found, not made: what lies there is another state now.
  const DriveState other = make_state(recipe({"precondition.seed=2"})).state;
  save_state(files().front().string(), other);
  EXPECT_TRUE(same(KeptStates(states()).state_of(recipe()), other));
}

TEST_F(KeptStatesTest, RunsAtTheSameTimeGetTheSameState) {
  const KeptStates kept(states());
  std::vector<DriveState> got(3);
  std::vector<std::thread> runs;
  for (DriveState& state : got) runs.emplace_back([&] { state = kept.state_of(recipe()); });
  for (std::thread& run : runs) run.join();
  EXPECT_TRUE(same(got[0], got[1]) && same(got[1], got[2]));
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(KeptStatesTest, TheFolderDoesNotGrowWithoutLimit) {
  (void)KeptStates(states()).state_of(recipe());
  const fs::path first = files().front();
  fs::last_write_time(first, fs::last_write_time(first) - std::chrono::hours(1));
  const std::uint64_t bytes = fs::file_size(first);
  const KeptStates kept(states(), 2 * bytes + bytes / 2);
  (void)kept.state_of(recipe({"precondition.seed=2"}));
  ASSERT_EQ(files().size(), 2U);
  (void)kept.state_of(recipe());  // used again, so it stays
  for (const fs::path& file : files()) {
    if (file != first) fs::last_write_time(file, fs::last_write_time(first) - std::chrono::hours(1));
  }
  (void)kept.state_of(recipe({"precondition.seed=3"}));
  EXPECT_EQ(files().size(), 2U);
  EXPECT_TRUE(fs::exists(first));
  // One that is larger than the limit is kept until the next.
  (void)KeptStates(states(), 1).state_of(recipe({"precondition.seed=4"}));
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(KeptStatesTest, SmallStatesAreNotKept) {
  const KeptStates kept(states());
  const Recipe small = recipe({"channels.count=1", "channels.packages=1", "nand.planes=1", "nand.page=8 KiB"});
  EXPECT_TRUE(same(kept.state_of(small), make_state(small).state));
  EXPECT_TRUE(files().empty());
}

TEST_F(KeptStatesTest, WhatIsDamagedIsMadeAgainAndNamed) {
  const KeptStates kept(states());
  const DriveState made = kept.state_of(recipe());
  const fs::path file = files().front();
  const auto bytes = fs::file_size(file);
  std::string note;
  EXPECT_TRUE(same(kept.state_of(recipe(), &note), made));
  EXPECT_EQ(note, "");
  fs::resize_file(file, bytes - 8);
  EXPECT_TRUE(same(kept.state_of(recipe(), &note), made));
  EXPECT_EQ(note.find("--states: " + file.string() + " is made again: "), 0U) << note;
  EXPECT_EQ(fs::file_size(file), bytes);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(bytes / 2))
      .put('x');
  note.clear();
  EXPECT_TRUE(same(kept.state_of(recipe(), &note), made));
  EXPECT_NE(note.find("its checksum does not fit"), std::string::npos) << note;
  EXPECT_THROW(KeptStates{drive_}, config::ConfigError) << "a file is no folder";
}

}  // namespace
}  // namespace wordline::precondition
