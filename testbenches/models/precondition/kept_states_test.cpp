// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/kept_states.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/checks/load.h"
#include "models/precondition/initial_state.h"
#include "models/precondition/state_file.h"

namespace wordline::precondition::kept_states_test {
namespace {

namespace fs = std::filesystem;

/// All that a run gets of a state, its tables in DRAM included.
struct Got {
  std::vector<std::uint32_t> ppas, units;
  std::vector<bool> mapped;
  std::vector<Superblock> superblocks;
  std::uint32_t waf = 0, dram_bytes = 0;
  bool full = false;
  wl_initial_state initial{};
  std::vector<std::uint32_t> owners, map, presence;

  friend bool operator==(const Got& a, const Got& b) {
    return a.ppas == b.ppas && a.units == b.units && a.mapped == b.mapped && a.superblocks == b.superblocks &&
           a.waf == b.waf && a.dram_bytes == b.dram_bytes && a.full == b.full && a.owners == b.owners &&
           a.map == b.map && a.presence == b.presence && std::memcmp(&a.initial, &b.initial, sizeof(a.initial)) == 0;
  }
};

/// Zero-filled, as DRAM of a drive is.
class HostPages {
 public:
  explicit HostPages(std::size_t bytes)
      : bytes_(bytes),
        data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~HostPages() { ::munmap(data_, bytes_); }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

/// `offset`: of DRAM from a page of the host.
Got got(const InitialState& state, const config::Loaded& loaded, std::size_t offset = 0) {
  const config::Layout layout = config::layout_of(loaded.config);
  Got all;
  for (std::uint64_t ppa = 0; ppa < state.ppas(); ++ppa) all.ppas.push_back(state.at(ppa).bits());
  for (std::uint32_t i = 0; i < layout.user_lpages; ++i) all.mapped.push_back(state.is_mapped(i));
  all.superblocks = state.superblocks();
  for (const Superblock& s : all.superblocks) all.units.push_back(state.filled_units(s.number));
  all.waf = state.waf_thousandths();
  all.full = state.is_full();
  wl_boot_info info = config::boot_info_of(loaded.config, layout);
  const BootTableSizes sizes = boot_table_sizes(geometry_of(info), info.ftl.map_page);
  info.dram_bytes = static_cast<std::uint32_t>(sizes.aligned_sum() + 16 * std::size_t{WL_INITIAL_TABLE_ALIGN});
  const HostPages pages(info.dram_bytes + offset);
  std::byte* const dram = pages.data() + offset;
  all.initial = state.write_boot_tables(dram, info);
  all.dram_bytes = info.dram_bytes;
  const auto words = [&](std::uint32_t address, std::uint64_t bytes) {
    std::vector<std::uint32_t> found(bytes / sizeof(std::uint32_t));
    if (bytes != 0) std::memcpy(found.data(), dram + (address - WL_DRAM_BASE), bytes);
    return found;
  };
  all.owners = words(all.initial.owners, sizes.owners);
  all.map = words(all.initial.map, sizes.map);
  all.presence = words(all.initial.presence == 0 ? WL_DRAM_BASE : all.initial.presence, sizes.presence);
  const std::vector<std::uint32_t> table = words(all.initial.superblocks, sizes.superblocks);
  all.units.insert(all.units.end(), table.begin(), table.end());
  // The tables are the process's own.
  std::memset(dram + (all.initial.map - WL_DRAM_BASE), 0x5a, sizes.map);
  return all;
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

  [[nodiscard]] config::Loaded drive(const std::vector<std::string>& sets = {}) const {
    return config::load(drive_, sets);
  }
  [[nodiscard]] Recipe recipe(const std::vector<std::string>& sets = {}) const {
    const config::Loaded loaded = drive(sets);
    return recipe_of(loaded.config, config::layout_of(loaded.config));
  }
  /// With the folder, as a run gets it.
  [[nodiscard]] Got kept(const std::vector<std::string>& sets = {}, std::string* note = nullptr) const {
    const config::Loaded loaded = drive(sets);
    return got(*initial_state(loaded.config, config::layout_of(loaded.config), states(), note), loaded);
  }
  /// Without it.
  [[nodiscard]] Got made(const std::vector<std::string>& sets = {}) const {
    const config::Loaded loaded = drive(sets);
    return got(*initial_state(loaded.config, config::layout_of(loaded.config)), loaded);
  }
  void keep(const KeptStates& folder, const std::vector<std::string>& sets = {}) const {
    (void)folder.state_of(recipe(sets), 0);
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(states())) {
      if (entry.path().extension() == ".image") found.push_back(entry.path());
    }
    return found;
  }
  [[nodiscard]] static fs::path mark_of(const fs::path& image) { return fs::path(image).replace_extension(".checked"); }
  static void flip(const fs::path& file, std::uint64_t at) {
    std::fstream content(file, std::ios::in | std::ios::out | std::ios::binary);
    content.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(content.get());
    content.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte ^ 0x10));
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
      "ftl.policy=page_fifo", "ftl.gc_reserve_superblocks=3", "ftl.gc_start_superblocks=4",
      "precondition.seed=2",  "precondition.overwrites=0.5",  "precondition.fill=random",
  };
  for (const std::string& set : matter) {
    EXPECT_TRUE(texts.insert(recipe({set}).text()).second) << set << " changes the state";
  }
  const char* room = "ftl.gc_start_superblocks=5"; /* without pacing nobody holds it */
  EXPECT_NE(recipe({room}).text(), recipe({room, "ftl.gc_pacing=false"}).text());
  for (const char* set : {"cpu.model=native", "nand.timing.t_sense=20us", "channels.rate=400MT/s", "run.seed=9",
                          "nand.aging.retention_days=30", "host.turnaround=7us"}) {
    EXPECT_EQ(recipe({set}).text(), recipe().text()) << set << " does not";
  }
}

// By logical pages and by pages, with and without open superblocks.
TEST_F(KeptStatesTest, AnImageIsTheStateThatIsMade) {
  const std::vector<std::vector<std::string>> drives = {
      {},
      {"ftl.map=page"},
      {"ftl.policy=page_fifo", "precondition.fill=random"},
  };
  for (const std::vector<std::string>& sets : drives) {
    SCOPED_TRACE(sets.empty() ? "" : sets.front());
    const Got expected = made(sets);
    EXPECT_TRUE(kept(sets) == expected) << "made";
    EXPECT_TRUE(kept(sets) == expected) << "found";
    EXPECT_TRUE(kept(sets) == expected) << "what a run writes to its tables is not kept";
  }
  EXPECT_EQ(files().size(), drives.size());
}

// As a run leaves it that trims: logical pages that hold nothing, and lost ones.
TEST_F(KeptStatesTest, AnImageIsTheStateInAFile) {
  DriveState state = make_state(recipe({"ftl.map=page"})).state;
  std::vector<std::uint32_t> valid(state.geometry.blocks, 0);
  for (std::size_t ppa = 0; ppa < state.ppas.size(); ++ppa) {
    Content& content = state.ppas[ppa];
    if (!content.valid()) continue;
    if (content.lpn() % 3 == 0 || content.lpn() < 64) content.invalidate();
    if (content.valid()) ++valid[ppa / state.geometry.superblock_lpages()];
  }
  for (Superblock& s : state.superblocks) s.valid = valid[s.number];
  state.lost = {3, 6, 60};
  const std::string file = (folder_ / "trimmed.state").string();
  save_state(file, state);
  for (const char* map : {"ftl.map=sector", "ftl.map=page"}) {
    SCOPED_TRACE(map);
    const std::vector<std::string> sets{"precondition.file=" + file, map};
    const Got expected = made(sets);
    ASSERT_FALSE(expected.full);
    ASSERT_FALSE(expected.mapped[60]);
    ASSERT_TRUE(expected.mapped[65]);
    EXPECT_TRUE(kept(sets) == expected) << "read";
    EXPECT_TRUE(kept(sets) == expected) << "found";
  }
}

TEST_F(KeptStatesTest, TablesThatLieAtNoPageAreCopied) {
  const config::Loaded loaded = drive();
  const auto state = KeptStates(states()).state_of(recipe(), 0);
  EXPECT_TRUE(got(*state, loaded, 64) == made());
}

TEST_F(KeptStatesTest, AStateIsMadeOnceAndFoundAgain) {
  (void)kept();
  ASSERT_EQ(files().size(), 1U);
  const auto written = fs::last_write_time(files().front());
  EXPECT_TRUE(kept() == made());
  EXPECT_EQ(fs::last_write_time(files().front()), written) << "it was written again";
}

// A file of states is read and checked once, until it is another one.
TEST_F(KeptStatesTest, AFileIsReadOnce) {
  const std::string file = (folder_ / "one.state").string();
  const std::vector<std::string> from{"precondition.file=" + file};
  save_state(file, make_state(recipe()).state);
  const Got expected = made(from);
  EXPECT_TRUE(kept(from) == expected);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_TRUE(kept(from) == expected);
  EXPECT_EQ(files().size(), 1U);
  save_state(file, make_state(recipe({"precondition.seed=2"})).state);
  const Got other = made(from);
  ASSERT_FALSE(other == expected);
  EXPECT_TRUE(kept(from) == other);
  flip(file, fs::file_size(file) / 2);
  EXPECT_THROW((void)kept(from), config::ConfigError);
  save_state(file, make_state(recipe()).state);
  std::vector<std::string> elsewhere = from;
  elsewhere.emplace_back("nand.blocks_per_plane=64");
  (void)kept(from);
  EXPECT_THROW((void)kept(elsewhere), config::ConfigError) << "of another drive";
}

TEST_F(KeptStatesTest, RunsAtTheSameTimeGetTheSameState) {
  const Got expected = made();
  constexpr int kRuns = 3;
  std::vector<pid_t> runs;
  for (int i = 0; i < kRuns; ++i) {
    const pid_t run = ::fork();
    if (run == 0) ::_exit(kept() == expected ? 0 : 1);
    runs.push_back(run);
  }
  for (const pid_t run : runs) {
    int status = -1;
    ASSERT_EQ(::waitpid(run, &status, 0), run);
    EXPECT_EQ(status, 0);
  }
  ASSERT_EQ(files().size(), 1U);
  for (const auto& entry : fs::directory_iterator(states())) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path() << " was left";
  }
}

TEST_F(KeptStatesTest, TheFolderDoesNotGrowWithoutLimit) {
  const auto age = [](const fs::path& image) {
    fs::last_write_time(mark_of(image), fs::file_time_type::clock::now() - std::chrono::hours(1));
  };
  keep(KeptStates(states()));
  const fs::path first = files().front();
  age(first);
  const std::uint64_t bytes = fs::file_size(first);
  const KeptStates kept(states(), 2 * bytes + bytes / 2);
  keep(kept, {"precondition.seed=2"});
  ASSERT_EQ(files().size(), 2U);
  keep(kept);  // used again, so it stays
  for (const fs::path& file : files()) {
    if (file != first) age(file);
  }
  keep(kept, {"precondition.seed=3"});
  EXPECT_EQ(files().size(), 2U);
  EXPECT_TRUE(fs::exists(first));
  // One that is larger than the limit is kept until the next, and is still there for who has mapped it.
  const auto large = KeptStates(states(), 1).state_of(recipe({"precondition.seed=4"}), 0);
  EXPECT_EQ(files().size(), 1U);
  keep(KeptStates(states(), 1), {"precondition.seed=5"});
  EXPECT_TRUE(got(*large, drive()) == made({"precondition.seed=4"}));
}

TEST_F(KeptStatesTest, SmallStatesAreNotKept) {
  const std::vector<std::string> small{"channels.count=1", "channels.packages=1", "nand.planes=1", "nand.page=8 KiB"};
  EXPECT_TRUE(kept(small) == made(small));
  EXPECT_TRUE(files().empty());
}

// Wherever it is: in the header, in what lies before the next page, and in each section.
TEST_F(KeptStatesTest, WhatIsDamagedIsMadeAgainAndNamed) {
  const Got expected = made();
  std::string note;
  ASSERT_TRUE(kept({}, &note) == expected);
  EXPECT_EQ(note, "");
  const fs::path file = files().front();
  const std::uint64_t bytes = fs::file_size(file), page = WL_INITIAL_TABLE_ALIGN;
  const Geometry geometry = recipe().geometry;
  const BootTableSizes sizes = boot_table_sizes(geometry, 0);
  const auto up = [&](std::uint64_t size) { return (size + page - 1) / page * page; };
  const std::uint64_t tables = page + up(std::uint64_t{geometry.blocks} * 16), owners = tables + up(sizes.superblocks),
                      map = owners + up(sizes.owners), ppas = map + up(sizes.map);
  ASSERT_EQ(ppas + up(geometry.ppas() * 4), bytes);
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{30}, page, tables, owners + 4,
                                 map + sizes.map / 2, ppas, bytes - 1}) {
    SCOPED_TRACE(at);
    flip(file, at);
    note.clear();
    EXPECT_TRUE(kept({}, &note) == expected);
    EXPECT_EQ(note.find("--states: " + file.string() + " is made again: it "), 0U) << note;
    note.clear();
    EXPECT_TRUE(kept({}, &note) == expected);
    EXPECT_EQ(note, "");
  }
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{100}, page, bytes - page, bytes + page}) {
    SCOPED_TRACE(size);
    fs::resize_file(file, size);
    note.clear();
    EXPECT_TRUE(kept({}, &note) == expected);
    EXPECT_EQ(note.find("--states: " + file.string() + " is made again: it "), 0U) << note;
    EXPECT_EQ(fs::file_size(file), bytes);
  }
  EXPECT_THROW(KeptStates{drive_}, config::ConfigError) << "a file is no folder";
}

TEST_F(KeptStatesTest, AnImageOfAnotherStateIsNotTaken) {
  (void)kept();
  const fs::path file = files().front();
  (void)kept({"precondition.seed=2"});
  for (const fs::path& other : files()) {
    if (other != file) fs::rename(other, file);
  }
  std::string note;
  EXPECT_TRUE(kept({}, &note) == made());
  EXPECT_NE(note.find("is the state of another drive"), std::string::npos) << note;
}

// What is checked, and when: all of it where no mark says that this very file has been.
TEST_F(KeptStatesTest, AnImageIsCheckedAgainWhereItsMarkDoesNotFit) {
  (void)kept();
  const fs::path file = files().front(), mark = mark_of(file);
  const std::string before = (std::ostringstream() << std::ifstream(mark).rdbuf()).str();
  ASSERT_EQ(before.find("checked: device "), 0U) << before;
  fs::remove(mark);
  std::string note;
  EXPECT_TRUE(kept({}, &note) == made());
  EXPECT_EQ(note, "") << "it is sound";
  EXPECT_EQ((std::ostringstream() << std::ifstream(mark).rdbuf()).str(), before);
  flip(file, fs::file_size(file) / 2);
  std::ofstream(mark) << before;  // of the file before it was changed
  EXPECT_TRUE(kept({}, &note) == made());
  EXPECT_NE(note.find("its checksum does not fit"), std::string::npos) << note;
}

}  // namespace
}  // namespace wordline::precondition::kept_states_test
