// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Data of several ages in one die, against dies all of whose data have one age.
#include "models/nand/region_ages.h"

#include <gtest/gtest.h>

#include "models/nand/cell_model.h"
#include "models/nand/die.h"
#include "models/nand/vth.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::region_ages_test {
namespace {

using testing::Device;

constexpr std::uint32_t kLpages = 100'001;  // exported: half of them is no whole number
constexpr std::uint32_t kBorder = 50'001;   // the first one of the second half
constexpr unsigned kCodewordBits = 2324 * 8;

StoredLpage lpage_of(std::uint32_t lpn) { return {data::LpageToken::uniform(Lpn(lpn), 1), lpn}; }

/// Page 0 of every block holds the logical pages around the border, in both planes; the other pages what is far from
/// it.
StoredLpage fill(DieId /*die*/, const LpageAddress& at) {
  if (at.block.value() == 19) return {};  // free
  const std::uint32_t near = kBorder - 4 + at.plane.value() * 4U + at.lpage;
  return lpage_of(at.page.value() == 0 ? near : at.page.value() % 2 == 0 ? 7 : kLpages - 1);
}

Die die_of(const Device& d, double retention_days, const std::vector<config::RegionAge>& ages = {}) {
  config::Nand nand = d.nand;
  nand.aging.retention_days = retention_days;
  return Die(nand, d.layout, DieId(0), 1, fill, RegionAges(ages, kLpages));
}

std::vector<unsigned> errors_of(const Die& die, std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                                std::uint32_t lpage, unsigned step = 0) {
  std::vector<unsigned> errors;
  for (unsigned c = 0; c < 2; ++c) {
    errors.push_back(die.bit_errors(PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block), PageId(page),
                                    2 * lpage + c, kCodewordBits, step));
  }
  return errors;
}

TEST(RegionAges, NumbersLogicalPagesByRegion) {
  const RegionAges ages({{0, 50, 90}, {75, 100, 1}}, kLpages);
  EXPECT_EQ(ages.region_of(0), 0U);
  EXPECT_EQ(ages.region_of(kBorder - 1), 0U);
  EXPECT_EQ(ages.region_of(kBorder), RegionAges::kNone);
  EXPECT_EQ(ages.region_of(75'000), RegionAges::kNone);
  EXPECT_EQ(ages.region_of(75'001), 1U);
  EXPECT_EQ(ages.region_of(kLpages - 1), 1U);
  EXPECT_EQ(ages.region_of(0xffffffff), RegionAges::kNone);
  EXPECT_EQ(ages.days(), (std::vector<double>{90, 1}));
}

// Every codeword, at every step, has the errors that it has in a die all of whose data are as old; the border runs
// through a page of all planes.
TEST(RegionAges, ACodewordHasTheErrorsOfItsAge) {
  const Device d = testing::tlc();
  const Die mixed = die_of(d, 30, {{0, 50, 365}, {50, 100, 1}});
  const Die old = die_of(d, 365), young = die_of(d, 1);
  unsigned many = 0, few = 0;
  for (std::uint32_t block = 0; block < 19; ++block) {
    for (std::uint32_t page = 0; page < 4; ++page) {
      for (std::uint32_t plane = 0; plane < 2; ++plane) {
        for (std::uint32_t lpage = 0; lpage < 4; ++lpage) {
          const bool first_half = page == 0 ? plane == 0 : page % 2 == 0;
          for (const unsigned step : {0U, 3U}) {
            const auto errors = errors_of(mixed, plane, block, page, lpage, step);
            EXPECT_EQ(errors, errors_of(first_half ? old : young, plane, block, page, lpage, step))
                << "plane " << plane << " page " << page << " logical page " << lpage;
            if (step == 0) (first_half ? many : few) += errors[0] + errors[1];
          }
        }
      }
    }
  }
  EXPECT_GT(many, 2 * few);
}

TEST(RegionAges, RatesAreThoseOfTheDistributionsOfThatAge) {
  const Device d = testing::tlc();
  const CellModel cells(d.nand, {365, 1});
  for (const unsigned region : {0U, 1U}) {
    const double days = region == 0 ? 365 : 1;
    EXPECT_EQ(cells.days(cells.region_age(region)), days);
    const VthDistribution vth = vth_distribution(d.nand.geometry.cell, d.nand.ispp.step, d.nand.aging.pe_cycles, days,
                                                 d.nand.aging.temperature_c, kEarliestPlanarDays);
    double mean = 0, ratio = 0;
    for (unsigned layer = 0; layer < 48; ++layer) {
      mean += layer_factor(layer, 48, d.nand.aging.pe_cycles, days, d.nand.aging.temperature_c) / 48;
    }
    for (unsigned layer = 0; layer < 48; layer += 16) {
      ratio = layer_factor(layer, 48, d.nand.aging.pe_cycles, days, d.nand.aging.temperature_c) / mean;
      const VthDistribution widened_vth = widened(vth, width_for_ratio(vth, ratio));
      for (unsigned type = 0; type < 3; ++type) {
        EXPECT_DOUBLE_EQ(cells.rber(type, layer, 0, 0, 0, cells.region_age(region)),
                         page_rber(widened_vth, retry_references(d.nand.geometry.cell, 0),
                                   page_references(d.nand.geometry.cell, {})[type]));
      }
    }
  }
}

// A logical page in a page of both ages, its rate, and what soft senses tell.
TEST(RegionAges, OfAPageTheOldestDataCount) {
  const Device d = testing::tlc();
  const std::vector<config::RegionAge> early{{0, 49.999, 365}, {49.999, 100, 1}};
  const std::vector<config::RegionAge> late{{0, 49.999, 1}, {49.999, 100, 365}};
  const Die old = die_of(d, 365);
  for (const auto& ages : {early, late}) {
    const Die mixed = die_of(d, 30, ages);  // two logical pages of the page are old
    ReadParameters soft;
    soft.senses = 3;
    soft.delta = 4;
    EXPECT_EQ(mixed.rber(PlaneId(0), BlockId(0), PageId(0), 0), old.rber(PlaneId(0), BlockId(0), PageId(0), 0));
    EXPECT_EQ(mixed.soft_channel(PlaneId(0), BlockId(0), PageId(0), soft).wrong,
              old.soft_channel(PlaneId(0), BlockId(0), PageId(0), soft).wrong);
  }
}

// Until the data are written again; then nand.aging says it, whatever the region.
TEST(RegionAges, EndWithTheData) {
  const Device d = testing::tlc();
  Die mixed = die_of(d, 30, {{0, 100, 365}}), configured = die_of(d, 30);
  const std::vector<StoredLpage> unit(d.layout.lpages_per_program, lpage_of(7));
  for (Die* die : {&mixed, &configured}) {
    die->commit_erase(3, BlockId(2));
    ASSERT_EQ(die->commit_program(3, BlockId(2), PageId(0), unit.data()), OperationStatus::kOk);
    ASSERT_EQ(die->commit_program(3, BlockId(19), PageId(0), unit.data()), OperationStatus::kOk);
  }
  for (const std::uint32_t block : {2U, 19U}) {
    EXPECT_EQ(errors_of(mixed, 1, block, 1, 2), errors_of(configured, 1, block, 1, 2));
  }
  EXPECT_NE(mixed.rber(PlaneId(0), BlockId(3), PageId(0), 0), configured.rber(PlaneId(0), BlockId(3), PageId(0), 0));
}

}  // namespace
}  // namespace wordline::nand::region_ages_test
