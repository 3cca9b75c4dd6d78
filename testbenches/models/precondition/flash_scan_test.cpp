// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/flash_scan.h"

#include <gtest/gtest.h>

#include <map>

#include "models/firmware/contract/flash_ring.h"

namespace wordline::precondition::flash_scan_test {
namespace {

/// Six superblocks of four units of two logical pages, of which eight are exported.
class FlashScans : public ::testing::Test {
 protected:
  FlashScans() {
    geometry_.dies = 2;
    geometry_.planes = 1;
    geometry_.blocks = 6;
    geometry_.pages = 2;
    geometry_.lpages_per_page = 2;
    geometry_.pages_per_program = 1;
    geometry_.user_lpages = 8;
    geometry_.lpage_bytes = 4096;
    for (std::uint32_t i = 0; i < geometry_.blocks; ++i) {
      superblocks_.emplace_back();
      superblocks_.back().number = i;
      superblocks_.back().erases = 10 + i;
    }
  }
  void write(std::uint64_t ppa, std::uint32_t lpn, std::uint32_t sequence) {
    places_[ppa] = {Place::Cells::kWritten, {{}, lpn, sequence}};
  }
  [[nodiscard]] FlashScan scan() const {
    FlashScan found =
        scan_flash(geometry_, superblocks_,
                   {[this](std::uint32_t superblock) {
                      const auto at = places_.lower_bound(superblock * geometry_.superblock_lpages());
                      return at != places_.end() && at->first / geometry_.superblock_lpages() == superblock;
                    },
                    [this](std::uint64_t ppa) {
                      const auto at = places_.find(ppa);
                      return at == places_.end() ? Place{} : at->second;
                    }},
                   ScanFor::kState);
    EXPECT_EQ(found.state.problem(), "");
    return found;
  }

  Geometry geometry_;
  std::vector<Superblock> superblocks_;
  std::map<std::uint64_t, Place> places_;
};

TEST_F(FlashScans, ATombstoneHidesOlderCopies) {
  const std::uint32_t tombstone = static_cast<std::uint32_t>(WL_SPARE_METADATA) << WL_SPARE_KIND_SHIFT;
  write(0, 3, 7);
  write(9, 3, tombstone | 9);
  write(1, 4, tombstone | 5);
  write(8, 4, 6);
  const FlashScan found = scan();
  EXPECT_EQ(found.ppa_of(3), FlashScan::kNowhere);
  EXPECT_EQ(found.ppa_of(4), 8U) << "written after it was deallocated";
}

TEST_F(FlashScans, TheHighestSequenceHasTheData) {
  write(0, 3, 7);
  write(9, 3, 9);
  write(17, 3, 8);
  const FlashScan found = scan();
  EXPECT_EQ(found.ppa_of(3), 9U);
  EXPECT_EQ(found.ppa_of(4), FlashScan::kNowhere);
  EXPECT_EQ(found.records, 3U);
  EXPECT_TRUE(found.state.ppas[9].valid());
  EXPECT_FALSE(found.state.ppas[0].valid());
}

TEST_F(FlashScans, SuperblocksWithoutDataAreErasedAndTheOthersClosedOldestFirst) {
  write(0, 3, 7);  // replaced below: erased
  write(25, 1, 20);
  write(8, 3, 30);
  places_[16] = {Place::Cells::kTorn, {}};  // nothing but a torn unit: erased
  const FlashScan found = scan();
  EXPECT_EQ(found.erased, 2U);
  EXPECT_EQ(found.torn, 1U);
  std::vector<std::uint32_t> order;
  for (const Superblock& s : found.state.superblocks) order.push_back(s.number);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 2, 4, 5, 3, 1})) << "free by erases, then closed by age";
  EXPECT_EQ(found.state.superblocks[0].erases, 11U);
  EXPECT_EQ(found.state.superblocks[1].erases, 13U);
  EXPECT_EQ(found.state.superblocks[4].state, SuperblockState::kClosed);
  EXPECT_TRUE(found.state.ppas[0].empty());
}

TEST_F(FlashScans, TornStaleAndForeignRecordsNameNothing) {
  places_[0] = {Place::Cells::kTorn, {{}, 3, 7}};
  write(1, 4, WL_SEQUENCE_STALE);
  write(2, 5, WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | 6U);
  write(3, 8, 9);  // not exported
  write(4, WL_LPN_NONE, 9);
  write(8, 6, WL_SEQUENCE_FILL);
  const FlashScan found = scan();
  for (const std::uint32_t lpn : {3U, 4U, 5U}) EXPECT_EQ(found.ppa_of(lpn), FlashScan::kNowhere) << lpn;
  EXPECT_EQ(found.ppa_of(6), 8U);
  EXPECT_EQ(found.torn, 1U);
}

TEST_F(FlashScans, TheEmptiestArePackedWhereFewSuperblocksAreFree) {
  for (std::uint32_t lpn = 0; lpn < 8; ++lpn) write(lpn < 2 ? lpn : 8 * (lpn - 2) + lpn % 8, lpn, 5 + lpn);
  write(40, 3, 2);  // out of date
  const FlashScan found = scan();
  EXPECT_EQ(found.ppa_of(7), 47U);
  std::size_t free = 0;
  for (const Superblock& s : found.state.superblocks) free += s.state == SuperblockState::kFree ? 1 : 0;
  EXPECT_EQ(free, 3U);
  EXPECT_TRUE(is_full(found.state));
}

TEST_F(FlashScans, BadSuperblocksAreRetiredWhenTheyAreEmpty) {
  superblocks_[1].bad = superblocks_[2].bad = true;
  write(8, 6, 5);
  places_[16] = {Place::Cells::kTorn, {}};
  const FlashScan found = scan();
  EXPECT_EQ(found.erased, 0U);
  for (const Superblock& s : found.state.superblocks) {
    if (s.number == 1) {
      EXPECT_EQ(s.state, SuperblockState::kClosed);
      EXPECT_TRUE(s.bad);
    }
    if (s.number == 2) {
      EXPECT_EQ(s.state, SuperblockState::kRetired);
    }
  }
}

}  // namespace
}  // namespace wordline::precondition::flash_scan_test
