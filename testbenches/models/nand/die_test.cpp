// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/die.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "testbenches/models/nand/devices.h"

namespace wordline::nand::die_test {
namespace {

using config::CellType;
using config::ProgramGranularity;
using data::LpageToken;
using testing::Device;

constexpr std::uint32_t kBothPlanes = 3;

/// A unit of logical pages, all different.
std::vector<StoredLpage> unit(const Device& d, std::uint32_t first_lpn, std::uint32_t planes = 2) {
  std::vector<StoredLpage> lpages(d.layout.lpages_per_page * planes * d.layout.pages_per_program);
  for (std::uint32_t i = 0; i < lpages.size(); ++i) {
    lpages[i] = {LpageToken::uniform(Lpn(first_lpn + i), 2), first_lpn + i, 7 * first_lpn + i};
  }
  return lpages;
}

LpageAddress at(std::uint32_t plane, std::uint32_t block, std::uint32_t page, std::uint32_t lpage) {
  return {PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block), PageId(page), lpage};
}

TEST(DieTest, UnitIsStoredPlanesOfAPageFirst) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(3), 1, {});
  const auto lpages = unit(d, 1000);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(7), PageId(0), lpages.data()), OperationStatus::kOk);
  std::uint32_t lpn = 1000;
  for (std::uint32_t page = 0; page < 3; ++page) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      for (std::uint32_t lpage = 0; lpage < 4; ++lpage, ++lpn) {
        const StoredLpage stored = die.lpage(at(plane, 7, page, lpage));
        EXPECT_EQ(stored.lpn, lpn);
        EXPECT_EQ(stored.token, LpageToken::uniform(Lpn(lpn), 2));
        EXPECT_EQ(stored.record, 7000 + lpn - 1000);
      }
      EXPECT_TRUE(die.programmed(PlaneId(static_cast<std::uint8_t>(plane)), BlockId(7), PageId(page)));
    }
  }
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(7), PageId(3)));
  EXPECT_TRUE(die.lpage(at(0, 7, 3, 0)).token.is_zero());
  EXPECT_EQ(die.lpage(at(0, 7, 3, 0)).lpn, 0xffffffffU);
  EXPECT_EQ(die.lpage(at(0, 7, 3, 0)).record, 0xffffffffU);
  EXPECT_EQ(die.counters().programs, 1U);
  EXPECT_EQ(die.counters().lpages_programmed, 24U);
}

TEST(DieTest, ContentIsKeptWhoseverItIs) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(3), 1, {});
  const auto plain = unit(d, 1000);
  auto odd = unit(d, 2000);
  odd[1].token = LpageToken::mixed(5);                        // written in parts
  odd[2].token = LpageToken();                                // zeros
  odd[3] = {LpageToken(), 0xffffffffU, 0xffffffffU};          // padding
  odd[4].token = LpageToken::uniform(Lpn(77), 9);             // of another page
  odd[5].token = LpageToken::uniform(odd[5].token.lpn(), 0);  // no version
  odd[6].token = LpageToken::uniform(odd[6].token.lpn(), data::kVersionStale);
  const auto expect = [&](std::uint32_t first_page, const std::vector<StoredLpage>& stored) {
    for (std::uint32_t i = 0; i < stored.size(); ++i) {
      EXPECT_EQ(die.lpage(at(i / 4 % 2, 7, first_page + i / 8, i % 4)), stored[i]) << i;
    }
  };
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(7), PageId(0), plain.data()), OperationStatus::kOk);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(7), PageId(3), odd.data()), OperationStatus::kOk);
  expect(0, plain);
  expect(3, odd);
  die.commit_erase(kBothPlanes, BlockId(7));
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(7), PageId(0), plain.data()), OperationStatus::kOk);
  expect(0, plain);
}

// params.block.order: pages of a block are programmed in order only.
TEST(DieTest, PagesAreProgrammedOnceAndInOrder) {
  const Device d = testing::device(CellType::kMlc, ProgramGranularity::kPage);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto first = unit(d, 0);
  const auto second = unit(d, 500);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(1), first.data()), OperationStatus::kRefused);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(0), first.data()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(0), second.data()), OperationStatus::kRefused);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(2), second.data()), OperationStatus::kRefused);
  EXPECT_EQ(die.lpage(at(0, 0, 0, 0)).lpn, 0U);  // a failed program stores nothing
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(0), PageId(2)));
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(1), second.data()), OperationStatus::kOk);
  EXPECT_EQ(die.lpage(at(1, 0, 1, 3)).lpn, 507U);
  // One plane ahead of the other: a program of both fails as a whole.
  const auto single = unit(d, 900, 1);
  EXPECT_EQ(die.commit_program(1, BlockId(0), PageId(2), single.data()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(2), first.data()), OperationStatus::kRefused);
  EXPECT_FALSE(die.programmed(PlaneId(1), BlockId(0), PageId(2)));
  EXPECT_EQ(die.commit_program(2, BlockId(0), PageId(2), single.data()), OperationStatus::kOk);
  EXPECT_EQ(die.lpage(at(1, 0, 2, 0)).lpn, 900U);
}

TEST(DieTest, EraseEmptiesTheBlockInTheSelectedPlanes) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(4), PageId(0), unit(d, 10).data()), OperationStatus::kOk);
  ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(5), PageId(0), unit(d, 40).data()), OperationStatus::kOk);
  ASSERT_EQ(die.commit_erase(1, BlockId(4)), OperationStatus::kOk);
  EXPECT_FALSE(die.programmed(PlaneId(0), BlockId(4), PageId(0)));
  EXPECT_TRUE(die.programmed(PlaneId(1), BlockId(4), PageId(0)));
  EXPECT_TRUE(die.lpage(at(0, 4, 0, 0)).token.is_zero());
  EXPECT_EQ(die.lpage(at(1, 4, 0, 0)).lpn, 14U);
  EXPECT_EQ(die.lpage(at(0, 5, 0, 0)).lpn, 40U);
  EXPECT_EQ(die.erase_count(PlaneId(0), BlockId(4)), 1U);
  EXPECT_EQ(die.erase_count(PlaneId(1), BlockId(4)), 0U);
  EXPECT_EQ(die.counters().erases, 1U);
  // And it can be programmed again, from its first page.
  EXPECT_EQ(die.commit_program(1, BlockId(4), PageId(0), unit(d, 70, 1).data()), OperationStatus::kOk);
  EXPECT_EQ(die.lpage(at(0, 4, 0, 0)).lpn, 70U);
}

// Erases before the run wear as those of the run do: in rates, and in what the next erase makes of them.
TEST(DieTest, ErasesBeforeTheRunHaveWornTheBlock) {
  Device d = testing::tlc();
  d.nand.faults.rated_cycles = 3000;
  d.nand.faults.erase_failures = 0.05;
  const Fill fill = [](DieId, const LpageAddress&) { return StoredLpage{LpageToken::uniform(Lpn(1), 1), 1}; };
  Die fresh(d.nand, d.layout, DieId(0), 1, fill), worn(d.nand, d.layout, DieId(0), 1, fill);
  unsigned fresh_failures = 0, worn_failures = 0;
  for (std::uint32_t block = 0; block < 20; ++block) {
    worn.start_with_erases(PlaneId(0), BlockId(block), 3000);
    EXPECT_EQ(worn.erase_count(PlaneId(0), BlockId(block)), 3000U);
    EXPECT_EQ(worn.erase_count(PlaneId(1), BlockId(block)), 0U);
    const auto rber = [block](const Die& die, std::uint8_t plane) {
      return die.rber(PlaneId(plane), BlockId(block), PageId(0), 0);
    };
    EXPECT_GT(rber(worn, 0), 1.5 * rber(fresh, 0));
    EXPECT_EQ(rber(worn, 1), rber(fresh, 1));
    fresh_failures += fresh.commit_erase(1, BlockId(block)) == OperationStatus::kFail ? 1 : 0;
    worn_failures += worn.commit_erase(1, BlockId(block)) == OperationStatus::kFail ? 1 : 0;
    EXPECT_EQ(worn.erase_count(PlaneId(0), BlockId(block)), 3001U);
  }
  EXPECT_GT(worn_failures, fresh_failures + 2);
}

TEST(DieTest, FillIsThereUntilTheBlockIsErased) {
  const Device d = testing::tlc();
  const Fill fill = [](DieId die, const LpageAddress& a) -> StoredLpage {
    if (a.block.value() >= 10) return {};
    const std::uint32_t lpn =
        die.value() * 1'000'000U + a.block.value() * 10'000 + a.page.value() * 10 + a.plane.value() * 4U + a.lpage;
    return {LpageToken::uniform(Lpn(lpn), 1), lpn};
  };
  Die die(d.nand, d.layout, DieId(2), 1, fill);
  const std::size_t before = die.memory_bytes();
  EXPECT_EQ(die.lpage(at(1, 3, 5, 2)).lpn, 2'030'056U);
  EXPECT_EQ(die.lpage(at(1, 3, 5, 2)).token, LpageToken::uniform(Lpn(2'030'056), 1));
  EXPECT_TRUE(die.programmed(PlaneId(1), BlockId(3), PageId(5)));
  EXPECT_FALSE(die.programmed(PlaneId(1), BlockId(10), PageId(0)));
  EXPECT_EQ(die.memory_bytes(), before);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(3), PageId(0), unit(d, 0).data()), OperationStatus::kRefused);
  EXPECT_EQ(die.lpage(at(1, 3, 5, 2)).lpn, 2'030'056U);
  die.commit_erase(kBothPlanes, BlockId(3));
  EXPECT_FALSE(die.programmed(PlaneId(1), BlockId(3), PageId(5)));
  EXPECT_TRUE(die.lpage(at(1, 3, 5, 2)).token.is_zero());
  EXPECT_EQ(die.lpage(at(1, 4, 5, 2)).lpn, 2'040'056U);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(3), PageId(0), unit(d, 0).data()), OperationStatus::kOk);
  EXPECT_EQ(die.commit_program(kBothPlanes, BlockId(10), PageId(0), unit(d, 50).data()), OperationStatus::kOk);
  EXPECT_EQ(die.lpage(at(0, 10, 0, 0)).lpn, 50U);
}

TEST(DieTest, MemoryIsAtMost60BytesPerWrittenPageAndIsUsedAgain) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const std::size_t empty = die.memory_bytes();
  const auto lpages = unit(d, 0);
  const auto fill_block = [&](std::uint32_t block) {
    for (std::uint32_t page = 0; page < d.layout.pages_per_block; page += 3) {
      ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(block), PageId(page), lpages.data()), OperationStatus::kOk);
    }
  };
  for (std::uint32_t block = 0; block < 20; ++block) fill_block(block);
  const double pages = 20.0 * 2 * d.layout.pages_per_block;
  const double per_page = static_cast<double>(die.memory_bytes() - empty) / pages;
  EXPECT_LE(per_page, 60.0);
  EXPECT_GE(per_page, 48.0);
  const std::size_t full = die.memory_bytes();
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::uint32_t block = 0; block < 20; ++block) {
      die.commit_erase(kBothPlanes, BlockId(block));
      fill_block(block);
    }
  }
  EXPECT_LE(die.memory_bytes(), full + full / 20);
}

TEST(DieTest, EnergyIsThatOfThePlans) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  die.commit_program(kBothPlanes, BlockId(0), PageId(0), unit(d, 0).data());
  die.commit_read(1, BlockId(0), PageId(1));
  die.commit_erase(kBothPlanes, BlockId(0));
  // Vcc * Icc * time: 3.3 V times 30 mA for 700.2 us, 25 mA for 46 us, 20 mA for 3.75 ms; program and erase of two
  // planes.
  const double expected = 3.3 * (2 * 0.030 * 700.2e6 + 0.025 * 46e6 + 2 * 0.020 * 3750e6);
  EXPECT_NEAR(die.counters().energy.count(), expected, 1e-6 * expected);
  EXPECT_EQ(die.counters().page_reads, 1U);
}

TEST(DieTest, WhatTheDieDoesNotHaveIsRefused) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 1, {});
  EXPECT_THROW((void)die.plan_read(BlockId(20), PageId(0)), std::logic_error);
  EXPECT_THROW((void)die.plan_read(BlockId(0), PageId(d.layout.pages_per_block)), std::logic_error);
  EXPECT_THROW((void)die.plan_program(BlockId(0), PageId(1)), std::logic_error);
  EXPECT_THROW(die.commit_program(4, BlockId(0), PageId(0), unit(d, 0).data()), std::logic_error);
  EXPECT_THROW(die.commit_program(0, BlockId(0), PageId(0), unit(d, 0).data()), std::logic_error);
  EXPECT_THROW(die.commit_erase(kBothPlanes, BlockId(20)), std::logic_error);
  EXPECT_THROW((void)die.lpage(at(0, 0, 0, 4)), std::logic_error);
  EXPECT_THROW((void)die.lpage(at(2, 0, 0, 0)), std::logic_error);
}

TEST(DieTest, BitErrorsAreAFunctionOfPlaceWearAndRead) {
  const Device d = testing::tlc();
  Die a(d.nand, d.layout, DieId(5), 42, {});
  Die b(d.nand, d.layout, DieId(5), 42, {});
  Die other_seed(d.nand, d.layout, DieId(5), 43, {});
  Die other_die(d.nand, d.layout, DieId(6), 42, {});
  unsigned different_seed = 0;
  unsigned different_die = 0;
  unsigned different_read = 0;
  const auto errors = [](const Die& die, unsigned page, unsigned codeword) {
    return die.bit_errors(PlaneId(1), BlockId(2), PageId(page), codeword, 18048, 0);
  };
  std::vector<unsigned> forwards;
  for (unsigned page = 0; page < 100; ++page) forwards.push_back(errors(a, page, page % 8));
  for (unsigned page = 100; page-- > 0;) ASSERT_EQ(errors(b, page, page % 8), forwards[page]);  // the order is nothing
  for (unsigned page = 0; page < 100; ++page) {
    ASSERT_EQ(errors(a, page, page % 8), forwards[page]);
    different_seed += errors(other_seed, page, page % 8) != forwards[page] ? 1U : 0U;
    different_die += errors(other_die, page, page % 8) != forwards[page] ? 1U : 0U;
  }
  a.commit_read(2, BlockId(2), PageId(0));
  for (unsigned page = 0; page < 100; ++page) different_read += errors(a, page, page % 8) != forwards[page] ? 1U : 0U;
  EXPECT_GT(different_seed, 80U);
  EXPECT_GT(different_die, 80U);
  EXPECT_GT(different_read, 50U);  // read noise
}

TEST(DieTest, BitErrorsHaveTheMeanOfTheRate) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 7, {});
  double expected = 0;
  double drawn = 0;
  for (unsigned block = 0; block < 20; ++block) {
    for (unsigned page = 0; page < d.layout.pages_per_block; page += 5) {
      const double rate = die.rber(PlaneId(0), BlockId(block), PageId(page), 0);
      for (unsigned codeword = 0; codeword < 8; ++codeword) {
        expected += rate * 18048;
        drawn += die.bit_errors(PlaneId(0), BlockId(block), PageId(page), codeword, 18048, 0);
      }
    }
  }
  // Buckets are 1 % wide and the noise of so many errors is far below that.
  EXPECT_NEAR(drawn / expected, 1.0, 0.01);
  EXPECT_GT(drawn, 10'000);
}

TEST(DieTest, RateGrowsWithErasesAndDiffersFromBlockToBlock) {
  const Device d = testing::tlc();
  Die die(d.nand, d.layout, DieId(0), 7, {});
  const double before = die.rber(PlaneId(0), BlockId(0), PageId(0), 0);
  for (int i = 0; i < 1000; ++i) die.commit_erase(1, BlockId(0));
  EXPECT_GT(die.rber(PlaneId(0), BlockId(0), PageId(0), 0), before * 1.02);
  EXPECT_NE(die.rber(PlaneId(0), BlockId(1), PageId(0), 0), die.rber(PlaneId(0), BlockId(2), PageId(0), 0));
  // Word lines of one layer are equal.
  const double first = die.rber(PlaneId(0), BlockId(1), PageId(0), 0);
  EXPECT_NEAR(die.rber(PlaneId(0), BlockId(1), PageId(9), 0), first, 0.03 * first);
}

}  // namespace
}  // namespace wordline::nand::die_test
