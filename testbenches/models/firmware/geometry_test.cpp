// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/firmware/contract/geometry.h"

#include <gtest/gtest.h>

#include "models/firmware/contract/parity.h"

namespace wordline::testing::geometry_test {
namespace {

struct Drive {
  std::uint32_t dies, page_lpages, unit_pages, pages;  // pages of a block
};

// Walks the drive in the order in which it is filled, and counts: nothing here divides.
TEST(Geometry, PpasAreNumberedInTheOrderOfTheFill) {
  for (const Drive& drive : {Drive{4, 8, 3, 24}, Drive{32, 4, 1, 192}, Drive{6, 12, 4, 8}, Drive{1, 1, 1, 1}}) {
    const std::uint32_t rows = drive.pages / drive.unit_pages;
    const wl_geometry geometry = wl_geometry_of(drive.dies, drive.page_lpages, drive.unit_pages, drive.dies * rows);
    std::uint32_t ppa = 0;
    for (std::uint32_t block = 0; block < 4; ++block) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        for (std::uint32_t die = 0; die < drive.dies; ++die) {
          for (std::uint32_t page = 0; page < drive.unit_pages; ++page) {
            for (std::uint32_t lpage = 0; lpage < drive.page_lpages; ++lpage, ++ppa) {
              const wl_location at = wl_locate(&geometry, ppa);
              ASSERT_EQ(at.die, die) << ppa;
              ASSERT_EQ(at.block, block) << ppa;
              ASSERT_EQ(at.page, row * drive.unit_pages + page) << ppa;
              ASSERT_EQ(at.lpage, lpage) << ppa;
              ASSERT_EQ(wl_ppa_of(&geometry, at), ppa);
            }
          }
        }
      }
    }
  }
}

// With parity over dies: walks the rows, skips the last unit of each, and counts.
TEST(Geometry, TheFillLeavesOutTheParityOfEachRow) {
  for (const Drive& drive : {Drive{4, 8, 3, 24}, Drive{32, 4, 1, 192}, Drive{6, 12, 4, 8}}) {
    const std::uint32_t rows = drive.pages / drive.unit_pages;
    const wl_geometry geometry = wl_geometry_of(drive.dies, drive.page_lpages, drive.unit_pages, drive.dies * rows);
    std::uint32_t ppa = 0, lpn = 0;
    for (std::uint32_t row = 0; row < 3 * rows; ++row) {
      for (std::uint32_t die = 0; die < drive.dies; ++die) {
        for (std::uint32_t i = 0; i < geometry.unit_lpages; ++i, ++ppa) {
          const bool parity = die + 1 == drive.dies;
          ASSERT_EQ(wl_parity_fill_lpn(&geometry, ppa), parity ? 0xffffffffU : lpn) << ppa;
          if (!parity) {
            ASSERT_EQ(wl_parity_fill_ppa(&geometry, lpn++), ppa);
          }
        }
      }
    }
    EXPECT_EQ(wl_parity_data_units(geometry.superblock_units, drive.dies), rows * (drive.dies - 1));
  }
}

TEST(Geometry, PpasBeyondTheMapKeepTheirNumber) {
  const wl_geometry geometry = wl_geometry_of(1024, 64, 3, 1024 * 1152);
  const wl_location last{1023, 4095, 3455, 63};
  EXPECT_EQ(wl_ppa_of(&geometry, last), std::uint64_t{4096} * 1024 * 3456 * 64 - 1);
}

}  // namespace
}  // namespace wordline::testing::geometry_test
