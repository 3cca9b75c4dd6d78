// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/flash_image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/checks/load.h"
#include "models/config/sha256.h"
#include "models/firmware/contract/flash_ring.h"

namespace wordline::precondition::flash_image_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kTombstone = static_cast<std::uint32_t>(WL_SPARE_METADATA) << WL_SPARE_KIND_SHIFT;

/// Two dies of two blocks of two pages of two logical pages.
class FlashImages : public ::testing::Test {
 protected:
  FlashImages() {
    folder_ = fs::temp_directory_path() / ("wordline_image_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "drive.flash").string();
    image_.geometry = {2, 1, 2, 2, 2, 1, 6, 4096};
    image_.blocks.resize(4);
    image_.origin = "a test";
  }
  ~FlashImages() override { fs::remove_all(folder_); }

  /// One more page of the block.
  void page(std::uint32_t die, std::uint32_t block, const nand::StoredLpage& a, const nand::StoredLpage& b,
            bool torn = false) {
    nand::BlockImage& to = image_.blocks[die * 2 + block];
    ++to.pages;
    to.torn.push_back(torn);
    to.blank.push_back(false);
    to.lpages.push_back(a);
    to.lpages.push_back(b);
  }
  [[nodiscard]] static nand::StoredLpage data(std::uint32_t lpn, std::uint32_t version, std::uint32_t sequence) {
    return {data::LpageToken::uniform(Lpn(lpn), version), lpn, sequence};
  }
  [[nodiscard]] std::string refusal(std::uint32_t map_unit = 1) const {
    try {
      (void)load_flash(path_, image_.geometry, map_unit);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  std::string path_;
  FlashImage image_;
};

TEST_F(FlashImages, ComeBackAsTheyWere) {
  data::LpageStamps mixed{};
  for (unsigned i = 0; i < 8; ++i) mixed[i] = data::LbaStamp(Lba(16 + i), i < 3 ? 7 : 9);
  page(0, 0, data(1, 5, 11), {image_.pool.intern(mixed), 2, 12});
  page(0, 0, data(3, 6, 13), {}, true);
  image_.blocks[1].half_erased = true;
  image_.blocks[2].erases = 42;
  image_.blocks[3].failed = true;
  save_flash(path_, image_);
  const FlashImage found = load_flash(path_, image_.geometry);
  EXPECT_EQ(found.origin, "a test");
  ASSERT_EQ(found.blocks.size(), 4U);
  EXPECT_EQ(found.blocks[0].lpages, image_.blocks[0].lpages);
  EXPECT_EQ(found.blocks[0].torn, image_.blocks[0].torn);
  EXPECT_TRUE(found.blocks[1].half_erased);
  EXPECT_EQ(found.blocks[2].erases, 42U);
  EXPECT_TRUE(found.blocks[3].failed);
  EXPECT_EQ(found.pool.expand(found.blocks[0].lpages[1].token), mixed);
  EXPECT_EQ(found.newest_version(), 9U);
  EXPECT_EQ(found.at(0).cells, Place::Cells::kWritten);
  EXPECT_EQ(found.at(4).cells, Place::Cells::kTorn) << "the second page of die 0";
  EXPECT_EQ(found.at(2).cells, Place::Cells::kBlank) << "die 1";
  EXPECT_EQ(found.at(8).cells, Place::Cells::kTorn) << "half erased";
}

// Units of another size would be read as others' data.
TEST_F(FlashImages, AreOfDrivesWithTheSameMapUnit) {
  page(0, 0, data(0, 5, 11), data(1, 5, 11));
  image_.map_unit = 2;
  save_flash(path_, image_);
  const FlashImage found = load_flash(path_, image_.geometry, 2);
  EXPECT_EQ(found.map_unit, 2U);
  EXPECT_EQ(found.blocks[0].lpages, image_.blocks[0].lpages);
  EXPECT_NE(refusal(1).find("map units of 8 KiB, and here they have 4 KiB"), std::string::npos) << refusal(1);
  EXPECT_NE(refusal(4).find("here they have 16 KiB"), std::string::npos) << refusal(4);
}

// In mixed order a page may be blank before others that are not; version 2 of the format had no mark for that.
TEST_F(FlashImages, HaveBlankPagesBetweenOthers) {
  page(0, 0, {}, {});
  image_.blocks[0].blank[0] = true;
  page(0, 0, data(1, 5, 11), data(2, 6, 12));
  page(1, 0, data(3, 6, 13), {}, true);
  save_flash(path_, image_);
  const FlashImage found = load_flash(path_, image_.geometry);
  EXPECT_EQ(found.blocks[0].blank, (std::vector<bool>{true, false}));
  EXPECT_EQ(found.blocks[0].torn, (std::vector<bool>{false, false}));
  EXPECT_EQ(found.at(0).cells, Place::Cells::kBlank);
  EXPECT_EQ(found.at(4).cells, Place::Cells::kWritten);
  EXPECT_EQ(found.at(2).cells, Place::Cells::kTorn);
  EXPECT_EQ(contents_of(found)[1][0].version(), 5U);
}

TEST_F(FlashImages, OfTheVersionBeforeAreRead) {
  page(0, 0, data(1, 5, 11), data(2, 6, 12));
  page(0, 0, data(3, 6, 13), {}, true);
  const auto as_version_2 = [&] {
    save_flash(path_, image_);
    std::string older = bytes();
    older[8] = 2;
    older.resize(older.size() - sizeof(config::Digest::Value));
    config::Digest digest;
    digest.add(older.data(), older.size());
    const config::Digest::Value value = digest.value();
    older.append(reinterpret_cast<const char*>(value.data()), value.size());
    std::ofstream(path_, std::ios::binary) << older;
  };
  as_version_2();
  EXPECT_EQ(load_flash(path_, image_.geometry).blocks[0].torn, (std::vector<bool>{false, true}));
  image_.blocks[0].blank[1] = true;
  as_version_2();
  EXPECT_NE(refusal().find("neither whole, torn nor blank"), std::string::npos) << refusal();
}

// Blocks that Write Uncorrectable has marked stay marked, and count as no version.
TEST_F(FlashImages, KeepMarks) {
  data::LpageStamps some{}, all{};
  for (unsigned i = 0; i < some.size(); ++i) some[i] = i == 2 ? data::kMarked : data::LbaStamp(Lba(8 + i), 5);
  all.fill(data::kMarked);
  page(0, 0, {image_.pool.intern(some), 1, 11}, {image_.pool.intern(all), 2, 12});
  page(1, 1, data(3, 6, 13), data(4, 6, 14));
  save_flash(path_, image_);
  const FlashImage found = load_flash(path_, image_.geometry);
  EXPECT_TRUE(found.pool.marked(found.blocks[0].lpages[0].token, 2, 1));
  EXPECT_FALSE(found.pool.marked(found.blocks[0].lpages[0].token, 3, 5));
  EXPECT_TRUE(found.pool.marked(found.blocks[0].lpages[1].token, 0, 1));
  EXPECT_EQ(found.newest_version(), 6U);
}

// Metadata are bytes, each of one page; what was dropped before is no part of the file.
TEST_F(FlashImages, HaveTheBytesOfMetadata) {
  std::vector<std::byte> bytes(4096);
  const auto table = [&](unsigned seed) -> nand::StoredLpage {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 + seed);
    return {image_.pool.keep(bytes.data()), WL_LPN_TABLE, kTombstone | 7};
  };
  const nand::StoredLpage dropped = table(1), first = table(2);
  page(0, 0, data(1, 5, 11), first);
  page(1, 1, table(3), data(2, 6, 12));
  image_.pool.drop(dropped.token);
  save_flash(path_, image_);
  const FlashImage found = load_flash(path_, image_.geometry);
  EXPECT_EQ(found.pool.metadata_kept(), 2U);
  EXPECT_EQ(found.pool.metadata(found.blocks[3].lpages[0].token), bytes);
  const nand::StoredLpage& other = found.blocks[0].lpages[1];
  EXPECT_EQ(found.pool.metadata(other.token), image_.pool.metadata(first.token));
  EXPECT_EQ(other.lpn, WL_LPN_TABLE);
  EXPECT_EQ(other.record, kTombstone | 7);
  EXPECT_EQ(found.newest_version(), 6U);
  EXPECT_TRUE(contents_of(found)[0][0].is_zero());
}

TEST_F(FlashImages, SayWhatAHostReads) {
  page(0, 0, data(1, 5, 11), data(2, 6, 12));
  page(0, 0, data(3, 9, 20), data(4, 9, 21), true);  // torn
  page(1, 0, data(1, 7, 14), {data::LpageToken(), 2, kTombstone | 15});
  page(0, 1, {data::LpageToken(), 5, kTombstone | 3}, data(5, 8, 16));
  const auto contents = contents_of(image_);
  EXPECT_EQ(contents[1][0].version(), 7U) << "the highest sequence";
  EXPECT_TRUE(contents[2][0].is_zero()) << "deallocated";
  EXPECT_TRUE(contents[3][0].is_zero()) << "torn";
  EXPECT_EQ(contents[5][0].version(), 8U) << "written after it was deallocated";
}

TEST_F(FlashImages, AreRefusedWhenTheyAreDamagedOrOfAnotherDrive) {
  page(0, 0, data(1, 5, 11), data(2, 6, 12));
  save_flash(path_, image_);
  EXPECT_EQ(refusal(), "");
  const std::string sound = bytes();
  std::string damaged = sound;
  damaged[sound.size() / 2] ^= 1;
  std::ofstream(path_, std::ios::binary) << damaged;
  EXPECT_NE(refusal().find("is damaged"), std::string::npos);
  std::ofstream(path_, std::ios::binary) << sound.substr(0, sound.size() - 1);
  EXPECT_NE(refusal().find("is cut short"), std::string::npos);
  std::ofstream(path_, std::ios::binary) << "no image";
  EXPECT_NE(refusal().find("is no image of flash"), std::string::npos);
  std::ofstream(path_, std::ios::binary) << sound;
  image_.geometry.user_lpages = 5;
  EXPECT_NE(refusal().find("is of another drive"), std::string::npos);
  fs::remove(path_);
  EXPECT_NE(refusal().find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace wordline::precondition::flash_image_test
