// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/state_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "models/checks/load.h"
#include "models/precondition/logical_ftl.h"

namespace wordline::precondition::state_file_test {
namespace {

namespace fs = std::filesystem;

class StateFile : public ::testing::Test {
 protected:
  StateFile() {
    folder_ = fs::temp_directory_path() / ("wordline_state_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "drive.state").string();
    state_.geometry = {2, 1, 12, 8, 2, 2, 256};
    LogicalFtl ftl({12, state_.geometry.superblock_lpages(), 256, 2, Victims::kGreedy});
    ftl.fill_in_order();
    ftl.overwrite(1000, 3);
    ftl.finish(state_);
    state_.origin = "a test";
  }
  ~StateFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  /// The reason why the file is refused, without its name; empty: it is not.
  [[nodiscard]] std::string reason() const { return reason(state_.geometry); }
  [[nodiscard]] std::string reason(const Geometry& expected, std::uint32_t map_page = 0) const {
    try {
      (void)load_state(path_, expected, map_page);
      return "";
    } catch (const config::ConfigError& error) {
      const std::string start = "precondition.file = " + path_ + ": error: ";
      EXPECT_EQ(std::string(error.what()).rfind(start, 0), 0U) << error.what();
      return std::string(error.what()).substr(start.size());
    }
  }
  void saved(const std::function<void(DriveState&)>& change) {
    DriveState state = state_;
    change(state);
    save_state(path_, state);
  }

  fs::path folder_;
  std::string path_;
  DriveState state_;
};

TEST_F(StateFile, ComesBackAsItWasWritten) {
  ASSERT_EQ(state_.problem(), "");
  state_.lost = {};
  save_state(path_, state_);
  const DriveState back = load_state(path_, state_.geometry);
  EXPECT_EQ(back.origin, "a test");
  EXPECT_EQ(back.superblocks, state_.superblocks);
  ASSERT_EQ(back.ppas.size(), state_.ppas.size());
  for (std::size_t i = 0; i < back.ppas.size(); ++i) EXPECT_EQ(back.ppas[i].bits(), state_.ppas[i].bits());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing is left beside it";
}

TEST_F(StateFile, AnyBitThatChangesIsFound) {
  save_state(path_, state_);
  const std::string good = bytes();
  for (std::size_t at = 0; at < good.size(); at += at < 100 ? 1 : 37) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1 << at % 8);
    write(bad);
    EXPECT_NE(reason(), "") << "byte " << at;
  }
  write(good);
  EXPECT_EQ(reason(), "");
}

TEST_F(StateFile, SaysWhatIsWrongWithAFile) {
  save_state(path_, state_);
  const std::string good = bytes();
  for (const std::size_t size : {good.size() - 1, good.size() / 2, std::size_t{110}}) {
    write(good.substr(0, size));
    EXPECT_EQ(reason(), "is cut short or has grown: " + std::to_string(size) + " bytes, expected " +
                            std::to_string(good.size()) + "; make it again");
  }
  for (const std::string& text : {std::string(), std::string("precondition"), std::string(1000, 'x')}) {
    write(text);
    EXPECT_EQ(reason(), "is no state of a drive: wordline snapshot writes one");
  }
  std::string bad = good;
  bad[8] = 9;
  write(bad);
  EXPECT_EQ(reason(), "has version 9 of the format, expected 3: make it again");
  bad = good;
  bad[good.size() - 500] ^= 1;
  write(bad);
  EXPECT_EQ(reason(), "is damaged: its checksum does not fit its content; make it again");
  bad = good;
  bad[44] = 0;  // pages programmed at once: nothing is divided by it
  bad[45] = bad[46] = bad[47] = 0;
  write(bad);
  EXPECT_EQ(reason(), "is damaged: its checksum does not fit its content; make it again");
  fs::remove(path_);
  EXPECT_EQ(reason(), "cannot be read: No such file or directory");
  path_ = folder_.string();
  EXPECT_EQ(reason(), "cannot be read: it is no file");
}

// Two logical pages of a page: overwritten one by one they lie apart, filled in order together.
TEST_F(StateFile, IsAMapOfPagesWhereTheirLogicalPagesLieTogether) {
  save_state(path_, state_);
  EXPECT_EQ(reason(state_.geometry, 2).rfind("is not of a drive with ftl.map = page: logical page ", 0), 0U);
  LogicalFtl ftl({12, state_.geometry.superblock_lpages(), 256, 2, Victims::kGreedy});
  ftl.fill_in_order();
  DriveState ordered;
  ordered.geometry = state_.geometry;
  ftl.finish(ordered);
  save_state(path_, ordered);
  EXPECT_EQ(reason(state_.geometry, 2), "");
  // The same logical page, of a page that is valid in two places.
  std::size_t first = 0, free = 0;
  while (!ordered.ppas[first].valid()) ++first;
  while (!ordered.ppas[free].empty() || free % 2 != 0) ++free;
  EXPECT_EQ(ordered.problem_of_pages(2), "");
  ordered.ppas[free] = ordered.ppas[first];
  EXPECT_NE(ordered.problem_of_pages(2), "");
}

TEST_F(StateFile, NamesTheKeysInWhichTheDrivesDiffer) {
  save_state(path_, state_);
  Geometry other = state_.geometry;
  other.planes = 4;
  other.user_lpages = 1024;
  EXPECT_EQ(reason(other),
            "is the state of another drive: nand.planes is 1 there and 4 here; make one of this drive, or set these "
            "keys alike");
  other = state_.geometry;
  other.user_lpages = 250;
  EXPECT_EQ(
      reason(other),
      "is the state of another drive: ftl.over_provisioning (logical pages exported) is 256 there and 250 here; make "
      "one of this drive, or set these keys alike");
  other.dies = 1;
  other.pages = 16;
  EXPECT_EQ(reason(other),
            "is the state of another drive: channels.count x channels.packages x channels.dies_per_package is 2 there "
            "and 1 here, nand.cell x nand.layers x nand.wls_per_layer (pages of a block) is 8 there and 16 here; make "
            "one of this drive, or set these keys alike");
}

// With a good checksum, too: what firmware would stumble over never reaches it.
TEST_F(StateFile, RefusesAStateThatContradictsItself) {
  const auto first_valid = [](DriveState& s) {
    std::size_t at = 0;
    while (!s.ppas[at].valid()) ++at;
    return at;
  };
  saved([&](DriveState& s) { s.ppas[first_valid(s)] = Content::of(256, true); });
  EXPECT_NE(reason().find("holds a logical page that the drive does not export"), std::string::npos) << reason();
  saved([&](DriveState& s) {
    const std::size_t at = first_valid(s);
    s.ppas[at + 1] = s.ppas[at];
  });
  EXPECT_NE(reason().find("contradicts itself: "), std::string::npos) << reason();
  saved([&](DriveState& s) { ++s.superblocks.back().valid; });
  EXPECT_NE(reason().find("valid logical pages, and"), std::string::npos) << reason();
  saved([&](DriveState& s) { s.superblocks[1].number = s.superblocks[2].number; });
  EXPECT_NE(reason().find("twice, or there is none"), std::string::npos) << reason();
  saved([&](DriveState& s) { s.superblocks[0].number = 4000; });
  EXPECT_NE(reason().find("twice, or there is none"), std::string::npos) << reason();
  saved([&](DriveState& s) { std::swap(s.superblocks.front(), s.superblocks.back()); });
  EXPECT_NE(reason().find("is free and stands behind one in use"), std::string::npos) << reason();
  saved([&](DriveState& s) { s.superblocks.back().state = SuperblockState::kRetired; });
  EXPECT_NE(reason().find("contradicts itself: "), std::string::npos) << reason();
  saved([&](DriveState& s) { s.superblocks.back().state = static_cast<SuperblockState>(7); });
  EXPECT_NE(reason().find("is in no known state"), std::string::npos) << reason();
  saved([&](DriveState& s) {
    const std::uint32_t size = s.geometry.superblock_lpages();
    s.ppas[std::size_t{s.superblocks[0].number} * size] = Content::of(1, false);
  });
  EXPECT_NE(reason().find("is free and PPA"), std::string::npos) << reason();
  saved([&](DriveState& s) {
    for (Superblock& b : s.superblocks) {
      if (b.state == SuperblockState::kFree) b.state = SuperblockState::kClosed;
    }
    s.superblocks[0].state = SuperblockState::kFree;
  });
  EXPECT_NE(reason().find("has 1 free superblocks"), std::string::npos) << reason();
  saved([&](DriveState& s) { s.lost = {3}; });
  EXPECT_NE(reason().find("lost logical page 3"), std::string::npos) << reason();
}

TEST_F(StateFile, AFailedWriteLeavesWhatWasThere) {
  save_state(path_, state_);
  const std::string before = bytes();
  EXPECT_THROW(save_state((folder_ / "nowhere" / "x.state").string(), state_), std::runtime_error);
  fs::create_directories(folder_ / "taken");
  EXPECT_THROW(save_state((folder_ / "taken").string(), state_), std::runtime_error);
  EXPECT_EQ(bytes(), before);
}

}  // namespace
}  // namespace wordline::precondition::state_file_test
