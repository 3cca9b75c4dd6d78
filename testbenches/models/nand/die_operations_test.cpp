// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs with parameters, reads with shifted references and soft senses, interrupted and failing operations.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::die_operations_test {
namespace {

using namespace wordline::literals;
using config::CellType;
using config::ProgramGranularity;
using data::LpageToken;
using testing::Device;

constexpr std::uint32_t kBothPlanes = 3;
constexpr PlaneId kPlane0(0);

std::vector<StoredLpage> unit(const Device& d, std::uint32_t first_lpn) {
  std::vector<StoredLpage> lpages(d.layout.lpages_per_page * 2 * d.layout.pages_per_program);
  for (std::uint32_t i = 0; i < lpages.size(); ++i) {
    lpages[i] = {LpageToken::uniform(Lpn(first_lpn + i), 2), first_lpn + i};
  }
  return lpages;
}

ProgramParameters skipping(unsigned more) {
  ProgramParameters p;
  p.skip = safe_skips(pass_windows(9, 7, 3));
  for (unsigned s = 2; s <= 7; ++s) p.skip[s] = static_cast<std::uint8_t>(p.skip[s] + more);
  return p;
}

/// A device whose cells have 2,000 P/E cycles and a month.
class DieOperations : public ::testing::Test {
 protected:
  Device d_ = testing::tlc();
  Die die_{d_.nand, d_.layout, DieId(0), 1, {}};

  OperationStatus program(std::uint32_t block, std::uint32_t page, const ProgramParameters& p = {}) {
    return die_.commit_program(kBothPlanes, BlockId(block), PageId(page), unit(d_, page * 10).data(), p);
  }
  double rber(std::uint32_t block, std::uint32_t page) const {
    return die_.rber(kPlane0, BlockId(block), PageId(page), 0);
  }
  void fill(std::uint32_t block, const ProgramParameters& p = {}) {
    for (std::uint32_t page = 0; page < d_.layout.pages_per_block; page += 3) {
      ASSERT_EQ(program(block, page, p), OperationStatus::kOk);
    }
  }
};

// Metadata of the firmware are bytes, which a page on flash has alone: they go with their block.
TEST_F(DieOperations, BytesOfMetadataGoWithTheirBlock) {
  data::TokenPool pool;
  die_.metadata = &pool;
  const std::vector<std::byte> bytes(4096, std::byte{0x5a});
  const auto program_metadata = [&](std::uint32_t block) {
    std::vector<StoredLpage> lpages = unit(d_, 0);
    lpages[2] = {pool.keep(bytes.data()), 0xfffffffe, 7};
    EXPECT_EQ(die_.commit_program(kBothPlanes, BlockId(block), PageId(0), lpages.data()), OperationStatus::kOk);
  };
  program_metadata(0);
  program_metadata(1);
  program_metadata(2);
  const StoredLpage found = die_.lpage({kPlane0, BlockId(1), PageId(0), 2});
  ASSERT_TRUE(found.token.is_metadata());
  EXPECT_EQ(pool.metadata(found.token), bytes);
  EXPECT_EQ(die_.image(kPlane0, BlockId(1)).lpages.at(2), found);
  EXPECT_EQ(pool.metadata_kept(), 3U);
  EXPECT_EQ(die_.commit_erase(kBothPlanes, BlockId(0)), OperationStatus::kOk);
  EXPECT_EQ(pool.metadata_kept(), 2U);
  die_.interrupt_erase(kBothPlanes, BlockId(1), 1_us);
  EXPECT_EQ(pool.metadata_kept(), 1U) << "half erased";
  // What was left over in slots of the buffer is programmed as padding; its place is used again for metadata.
  std::vector<StoredLpage> padding = unit(d_, 0);
  for (StoredLpage& l : padding) l.lpn = 0xffffffff;
  EXPECT_EQ(die_.commit_program(kBothPlanes, BlockId(3), PageId(0), padding.data()), OperationStatus::kOk);
  EXPECT_EQ(die_.lpage({kPlane0, BlockId(3), PageId(0), 1}).token, padding[1].token);
  EXPECT_EQ(die_.commit_erase(kBothPlanes, BlockId(3)), OperationStatus::kOk);
  program_metadata(4);
  EXPECT_EQ(die_.commit_erase(kBothPlanes, BlockId(4)), OperationStatus::kOk);
  EXPECT_EQ(pool.metadata_kept(), 1U);
  EXPECT_FALSE(die_.lpage({kPlane0, BlockId(1), PageId(0), 2}).token.is_metadata());
}

TEST_F(DieOperations, RateAndEnergyFollowTheParametersOfTheWordLine) {
  const ProgramParameters safe = skipping(0);
  ProgramParameters coarse;
  coarse.step = Millivolts(270);
  ProgramParameters fine;
  fine.step = Millivolts(90);
  const Plan plan = die_.plan_program(BlockId(0), PageId(0), safe);
  EXPECT_LT(plan.total(), die_.plan_program(BlockId(0), PageId(0)).total());
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  ASSERT_EQ(program(0, 3, safe), OperationStatus::kOk);
  ASSERT_EQ(program(0, 6, coarse), OperationStatus::kOk);
  ASSERT_EQ(program(0, 9, fine), OperationStatus::kOk);
  const Picojoules energy = die_.plan_program(BlockId(0), PageId(0)).energy() + plan.energy() +
                            die_.plan_program(BlockId(0), PageId(0), coarse).energy() +
                            die_.plan_program(BlockId(0), PageId(0), fine).energy();
  EXPECT_NEAR(die_.counters().energy.count(), 2 * energy.count(), 1e-9 * energy.count()) << "two planes";
  EXPECT_EQ(die_.counters().energy.count(), die_.counters().program_energy.count());
  // One h-layer: only the parameters differ. Noise between word lines is half a percent.
  for (std::uint32_t type = 0; type < 3; ++type) {
    EXPECT_NEAR(rber(0, 3 + type) / rber(0, type), 1, 0.03);
    EXPECT_GT(rber(0, 6 + type) / rber(0, type), 1.2);
    EXPECT_LT(rber(0, 9 + type) / rber(0, type), 0.9);
  }
  // Default again after an erase.
  die_.commit_erase(kBothPlanes, BlockId(0));
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  ASSERT_EQ(program(0, 3), OperationStatus::kOk);
  ASSERT_EQ(program(0, 6), OperationStatus::kOk);
  EXPECT_NEAR(rber(0, 6) / rber(0, 0), 1, 0.03);
}

TEST_F(DieOperations, ParametersCostMemoryOnlyWhereTheyAreUsed) {
  const std::uint32_t pages = d_.layout.pages_per_block;
  fill(0);
  const std::size_t plain = die_.memory_bytes();
  fill(1, skipping(0));
  die_.commit_erase(kBothPlanes, BlockId(1));
  const std::size_t after = die_.memory_bytes();
  for (int i = 0; i < 5; ++i) {
    fill(1, skipping(0));
    die_.commit_erase(kBothPlanes, BlockId(1));
  }
  EXPECT_EQ(die_.memory_bytes(), after);  // used again
  EXPECT_LE((static_cast<double>(after) - static_cast<double>(plain)) / (2.0 * pages), 80.0);
}

TEST_F(DieOperations, ReportsAreAlikeInALayerAndServeTheFollowers) {
  fill(2);
  unsigned as_designed = 0;
  for (std::uint32_t layer = 0; layer < 48; ++layer) {
    const ProgramReport leader = die_.program_report(kPlane0, BlockId(2), PageId(layer * 12));
    EXPECT_GT(leader.ber_ep1, 0);
    as_designed += leader.windows.min == pass_windows(9, 7, 3).min ? 1U : 0U;
    for (std::uint32_t wl = 1; wl < 4; ++wl) {
      const ProgramReport follower = die_.program_report(kPlane0, BlockId(2), PageId(layer * 12 + wl * 3));
      EXPECT_EQ(follower.windows.min, leader.windows.min);
      EXPECT_EQ(follower.windows.max, leader.windows.max);
      EXPECT_NEAR(follower.ber_ep1 / leader.ber_ep1, 1, 0.03);
    }
  }
  EXPECT_GT(as_designed, 38U);  // layers program a loop early or late now and then
  EXPECT_LT(as_designed, 48U);
  EXPECT_THROW((void)die_.program_report(kPlane0, BlockId(3), PageId(0)), std::logic_error);
}

TEST_F(DieOperations, MeasuredWindowsAreSafeWhereTablesMadeOffLineAreNot) {
  fill(2);
  const StateLoops designed = safe_skips(pass_windows(9, 7, 3));
  std::uint32_t layer = 0;
  while (layer < 48 && die_.program_report(kPlane0, BlockId(2), PageId(layer * 12)).windows.min[4] >= designed[4] + 1) {
    ++layer;
  }
  ASSERT_LT(layer, 48U) << "no layer of this block programs early";
  ProgramParameters measured;
  measured.skip = safe_skips(die_.program_report(kPlane0, BlockId(2), PageId(layer * 12)).windows);
  die_.commit_erase(kBothPlanes, BlockId(2));
  for (std::uint32_t page = 0; page <= layer * 12; page += 3) ASSERT_EQ(program(2, page), OperationStatus::kOk);
  ASSERT_EQ(program(2, layer * 12 + 3, measured), OperationStatus::kOk);
  ASSERT_EQ(program(2, layer * 12 + 6, skipping(0)), OperationStatus::kOk);
  ReadParameters shifted;
  shifted.offset[1] = 1;
  for (std::uint32_t type = 0; type < 3; ++type) {
    const double base = rber(2, layer * 12 + type);
    EXPECT_NEAR(rber(2, layer * 12 + 3 + type) / base, 1, 0.03);
    EXPECT_GT(rber(2, layer * 12 + 6 + type) / base, 1.05);
  }
  EXPECT_GT(die_.rber(kPlane0, BlockId(2), PageId(layer * 12 + 6), shifted),
            1.05 * die_.rber(kPlane0, BlockId(2), PageId(layer * 12), shifted));
  EXPECT_GT(die_.program_report(kPlane0, BlockId(2), PageId(layer * 12 + 6)).ber_ep1, 0);
}

TEST_F(DieOperations, ReadsOfOnePageDisturbItsNeighboursMost) {
  fill(3);
  fill(4);
  const auto rate = [&](std::uint32_t block, std::uint32_t layer) {
    return die_.rber(kPlane0, BlockId(block), PageId(layer * 12), 0);
  };
  const double before = rate(3, 21);
  const double far_before = rate(3, 30);
  const double other_before = die_.rber(kPlane0, BlockId(3), PageId(21 * 12 + 3), 0);
  for (unsigned n = 0; n < 54'560; ++n) die_.commit_read(1, BlockId(3), PageId(20 * 12 + n % 3));
  // Reads all over block 4, until its page has suffered as much.
  const double calm = rate(4, 21);
  for (unsigned n = 0; n < 518'420; ++n) die_.commit_read(1, BlockId(4), PageId(n % d_.layout.pages_per_block));
  EXPECT_NEAR((rate(3, 21) / before) / (rate(4, 21) / calm), 1, 0.01);
  EXPECT_NEAR(rate(3, 19) / before, rate(3, 21) / before, 0.3 * rate(3, 21) / before);
  EXPECT_GT(rate(3, 21), 2 * before);
  EXPECT_LT(rate(3, 30), 1.3 * far_before);                                               // 54,560 reads and no more
  EXPECT_LT(die_.rber(kPlane0, BlockId(3), PageId(21 * 12 + 3), 0), 1.3 * other_before);  // another v-layer
  die_.commit_erase(kBothPlanes, BlockId(3));
  fill(3);
  EXPECT_NEAR(rate(3, 21) / before, 1, 0.03);
}

TEST_F(DieOperations, SoftSensesCostTimeAndTellMore) {
  ReadParameters read;
  const Plan hard = die_.plan_read(BlockId(0), PageId(1));
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  const double error = rber(0, 1);
  double last = 0;
  for (const std::uint8_t senses : {1, 3, 5, 7}) {
    read.senses = senses;
    const Plan plan = die_.plan_read(BlockId(0), PageId(1), read);
    EXPECT_EQ(plan.total(), 19_us + 9_us * (3LL * senses));
    const SoftChannel channel = die_.soft_channel(kPlane0, BlockId(0), PageId(1), read);
    double sum = 0;
    for (unsigned bin = 0; bin < channel.bins; ++bin) sum += channel.right[bin] + channel.wrong[bin];
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(channel.bins, senses);
    if (senses == 1) {
      EXPECT_NEAR(channel.error_rate(), error, 1e-9 * error);
    }
    EXPECT_LE(channel.error_rate(), error * (1 + 1e-9));
    EXPECT_GT(channel.information(), last);
    last = channel.information();
  }
  read.senses = 2;
  EXPECT_EQ(die_.plan_read(BlockId(0), PageId(1), read).total(), 19_us + 9_us * 6);
  EXPECT_EQ(hard.total(), 46_us);
  // Levels of the first reference, P2's, around the default, 50 mV apart.
  read.senses = 3;
  const Plan plan = die_.plan_read(BlockId(0), PageId(1), read);
  const double middle = hard.at(12_us).op.voltage.count();
  EXPECT_NEAR(plan.at(12_us).op.voltage.count(), middle - 50, 1e-2);
  EXPECT_NEAR(plan.at(21_us).op.voltage.count(), middle, 1e-2);
  EXPECT_NEAR(plan.at(30_us).op.voltage.count(), middle + 50, 1e-2);
  EXPECT_NEAR(plan.at(39_us).op.voltage.count(), hard.at(21_us).op.voltage.count() - 50, 1e-2);
}

TEST_F(DieOperations, OffsetsMoveTheReferences) {
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  // The references of day 1 lie above the best ones of a month for P7 (reference 7, MSB page): down is better.
  ReadParameters down;
  down.offset[7] = -2;
  ReadParameters far;
  far.offset[7] = -20;
  const double base = die_.rber(kPlane0, BlockId(0), PageId(2), 0);
  EXPECT_LT(die_.rber(kPlane0, BlockId(0), PageId(2), down), base);
  EXPECT_GT(die_.rber(kPlane0, BlockId(0), PageId(2), far), 2 * base);
  EXPECT_EQ(die_.rber(kPlane0, BlockId(0), PageId(0), far), die_.rber(kPlane0, BlockId(0), PageId(0), 0));  // not LSB's
  EXPECT_NEAR(die_.plan_read(BlockId(0), PageId(2), down).at(21_us).op.voltage.count(),
              die_.plan_read(BlockId(0), PageId(2)).at(21_us).op.voltage.count() - 25, 1e-2);
  double errors[2] = {0, 0};
  for (unsigned codeword = 0; codeword < 8; ++codeword) {
    for (unsigned n = 0; n < 20; ++n) {
      errors[0] += die_.bit_errors(kPlane0, BlockId(0), PageId(2), codeword + 8 * n, 18'000, 0);
      errors[1] += die_.bit_errors(kPlane0, BlockId(0), PageId(2), codeword + 8 * n, 18'000, far);
    }
  }
  EXPECT_GT(errors[1], 1.5 * errors[0]);
}

TEST_F(DieOperations, AnInterruptedProgramLosesItsWordLine) {
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  die_.interrupt_program(kBothPlanes, BlockId(0), PageId(3), 0_us);
  EXPECT_FALSE(die_.programmed(kPlane0, BlockId(0), PageId(3)));  // no pulse was given
  die_.interrupt_program(kBothPlanes, BlockId(0), PageId(3), 100_us);
  EXPECT_EQ(die_.counters().interrupted, 1U);
  EXPECT_NEAR(die_.counters().energy.count() - 2 * die_.plan_program(BlockId(0), PageId(0)).energy().count(),
              2 * 3.3 * 0.030 * 100e6, 1);
  EXPECT_TRUE(die_.readable(kPlane0, BlockId(0), PageId(2)));
  for (std::uint32_t page = 3; page < 6; ++page) {
    EXPECT_FALSE(die_.readable(kPlane0, BlockId(0), PageId(page)));
    EXPECT_TRUE(die_.programmed(kPlane0, BlockId(0), PageId(page)));
    EXPECT_TRUE(die_.lpage({kPlane0, BlockId(0), PageId(page), 0}).token.is_zero());
    EXPECT_GT(die_.bit_errors(kPlane0, BlockId(0), PageId(page), 0, 18'592, 0), 1000U);
  }
  EXPECT_EQ(program(0, 3), OperationStatus::kRefused);
  EXPECT_EQ(program(0, 6), OperationStatus::kOk);
  EXPECT_EQ(die_.commit_erase(kBothPlanes, BlockId(0)), OperationStatus::kOk);
  EXPECT_TRUE(die_.readable(kPlane0, BlockId(0), PageId(3)));
  EXPECT_EQ(program(0, 0), OperationStatus::kOk);
  EXPECT_EQ(program(0, 3), OperationStatus::kOk);
  EXPECT_LT(rber(0, 3), 0.01);
}

TEST(DieInterrupted, PairedPagesAreLostWithThePageThatWasInterrupted) {
  const Device d = testing::device(CellType::kMlc, ProgramGranularity::kPage);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto lpages = unit(d, 0);
  for (std::uint32_t page = 0; page < 3; ++page) {
    ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(0), PageId(page), lpages.data()), OperationStatus::kOk);
  }
  die.interrupt_program(kBothPlanes, BlockId(0), PageId(3), 200_us);
  EXPECT_TRUE(die.readable(kPlane0, BlockId(0), PageId(1)));
  EXPECT_FALSE(die.readable(kPlane0, BlockId(0), PageId(2)));  // LSB of the word line, programmed long before
  EXPECT_FALSE(die.readable(kPlane0, BlockId(0), PageId(3)));
  const LpageAddress torn{kPlane0, BlockId(0), PageId(3), 0};
  EXPECT_EQ(die.lpage(torn), StoredLpage{}) << "a torn page has no spare record";
}

TEST(DieInterrupted, WhatIsLeftOfATornWordLineMayBeLeftOut) {
  const Device d = testing::device(CellType::kTlc, ProgramGranularity::kPage);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto lpages = unit(d, 0);
  const auto program = [&](std::uint32_t page) {
    return die.commit_program(kBothPlanes, BlockId(0), PageId(page), lpages.data());
  };
  ASSERT_EQ(program(0), OperationStatus::kOk);
  EXPECT_EQ(program(3), OperationStatus::kRefused) << "the word line is as it should be";
  die.interrupt_program(kBothPlanes, BlockId(0), PageId(1), 200_us);
  EXPECT_EQ(program(6), OperationStatus::kRefused);
  EXPECT_EQ(program(4), OperationStatus::kRefused);
  EXPECT_EQ(program(3), OperationStatus::kOk);
  EXPECT_FALSE(die.readable(kPlane0, BlockId(0), PageId(2)));
  EXPECT_TRUE(die.readable(kPlane0, BlockId(0), PageId(3)));
  EXPECT_EQ(program(2), OperationStatus::kRefused);
  EXPECT_EQ(program(4), OperationStatus::kOk);
}

TEST_F(DieOperations, AnInterruptedEraseLosesTheBlockUntilItIsErased) {
  ASSERT_EQ(program(0, 0), OperationStatus::kOk);
  die_.interrupt_erase(1, BlockId(0), 500_us);
  EXPECT_FALSE(die_.readable(kPlane0, BlockId(0), PageId(0)));
  EXPECT_TRUE(die_.programmed(kPlane0, BlockId(0), PageId(100)));
  EXPECT_TRUE(die_.readable(PlaneId(1), BlockId(0), PageId(0)));
  EXPECT_EQ(die_.lpage({PlaneId(1), BlockId(0), PageId(0), 0}).lpn, 4U);
  EXPECT_EQ(program(0, 3), OperationStatus::kRefused);
  EXPECT_EQ(die_.erase_count(kPlane0, BlockId(0)), 0U);
  EXPECT_EQ(die_.commit_erase(kBothPlanes, BlockId(0)), OperationStatus::kOk);
  EXPECT_EQ(program(0, 0), OperationStatus::kOk);
  EXPECT_TRUE(die_.readable(kPlane0, BlockId(0), PageId(0)));
}

TEST(DieTwoPasses, TheFinePassNeedsTheCoarseOneAndItsData) {
  const Device d = testing::device(CellType::kQlc, ProgramGranularity::kWordLine);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  ProgramParameters coarse;
  coarse.pass = ProgramPass::kCoarse;
  ProgramParameters fine;
  fine.pass = ProgramPass::kFine;
  const auto data = unit(d, 0);
  const auto other = unit(d, 1000);
  const auto run = [&](std::uint32_t page, const std::vector<StoredLpage>& lpages, const ProgramParameters& p) {
    return die.commit_program(kBothPlanes, BlockId(0), PageId(page), lpages.data(), p);
  };
  EXPECT_EQ(run(0, data, fine), OperationStatus::kRefused);
  EXPECT_EQ(run(0, data, coarse), OperationStatus::kOk);
  EXPECT_EQ(run(0, data, coarse), OperationStatus::kRefused);
  EXPECT_EQ(run(4, data, coarse), OperationStatus::kOk);  // the next word line before this one is finished
  const double half = die.rber(kPlane0, BlockId(0), PageId(3), 0);
  EXPECT_GT(half, 0.05);
  EXPECT_EQ(run(0, other, fine), OperationStatus::kRefused);
  EXPECT_EQ(run(0, data, fine), OperationStatus::kOk);
  EXPECT_EQ(run(0, data, fine), OperationStatus::kRefused);
  EXPECT_LT(die.rber(kPlane0, BlockId(0), PageId(3), 0), 0.1 * half);
  EXPECT_EQ(run(8, data, {}), OperationStatus::kOk);
  const double whole = die.rber(kPlane0, BlockId(0), PageId(11), 0);
  EXPECT_NEAR(die.rber(kPlane0, BlockId(0), PageId(3), 0) / whole, 1, 0.03);
  // The coarse pass has half the loops.
  const Plan first = die.plan_program(BlockId(0), PageId(0), coarse);
  EXPECT_EQ(first.at(Picoseconds{}).op.kind, MicroOpKind::kPulse);
  const Plan second = die.plan_program(BlockId(0), PageId(0), fine);
  EXPECT_LT(first.total() * 10, second.total() * 6);
}

class DieFaults : public ::testing::Test {
 protected:
  Device d_ = testing::tlc();
  DieFaults() { d_.nand.faults.rated_cycles = 3000; }
};

TEST_F(DieFaults, FactoryBadBlocksAreKeyedAndFailEveryOperation) {
  d_.nand.geometry.blocks_per_plane = 2000;
  d_.nand.faults.bad_blocks = 0.02;
  Die die(d_.nand, d_.layout, DieId(0), 1, {});
  Die same(d_.nand, d_.layout, DieId(0), 1, {});
  unsigned bad = 0;
  for (std::uint32_t block = 0; block < 2000; ++block) {
    const bool is_bad = die.health(kPlane0, BlockId(block)) == BlockHealth::kFactoryBad;
    EXPECT_EQ(same.health(kPlane0, BlockId(block)) == BlockHealth::kFactoryBad, is_bad);
    bad += is_bad ? 1U : 0U;
    if (!is_bad) continue;
    EXPECT_EQ(die.commit_program(1, BlockId(block), PageId(0), unit(d_, 0).data()), OperationStatus::kFail);
    EXPECT_FALSE(die.readable(kPlane0, BlockId(block), PageId(0)));
    EXPECT_EQ(die.commit_erase(1, BlockId(block)), OperationStatus::kFail);
  }
  EXPECT_NEAR(bad, 40, 4 * std::sqrt(40.0));
  EXPECT_EQ(die.counters().failures, 2U * bad);
}

TEST_F(DieFaults, BlocksGrowBadWithWear) {
  d_.nand.geometry.blocks_per_plane = 2000;
  d_.nand.faults.erase_failures = 0.05;
  unsigned failures[2] = {0, 0};
  for (const unsigned i : {0U, 1U}) {
    d_.nand.aging.pe_cycles = i == 0 ? 1500 : 3000;
    Die die(d_.nand, d_.layout, DieId(0), 1, {});
    for (std::uint32_t block = 0; block < 2000; ++block) {
      if (die.commit_erase(1, BlockId(block)) == OperationStatus::kOk) continue;
      ++failures[i];
      EXPECT_EQ(die.health(kPlane0, BlockId(block)), BlockHealth::kGrownBad);
      EXPECT_EQ(die.commit_erase(1, BlockId(block)), OperationStatus::kFail);  // for good
      EXPECT_EQ(die.commit_program(1, BlockId(block), PageId(0), unit(d_, 0).data()), OperationStatus::kRefused);
    }
  }
  EXPECT_NEAR(failures[1], 100, 40);  // 5 % at the rated wear
  EXPECT_NEAR(failures[0], 100.0 / 16, 10);
}

TEST_F(DieFaults, AFailedProgramUsesUpItsPagesInThePlaneThatFailed) {
  d_.nand.aging.pe_cycles = 3000;
  d_.nand.faults.program_failures = 0.02;
  Die die(d_.nand, d_.layout, DieId(0), 1, {});
  unsigned failures = 0;
  for (std::uint32_t page = 0; page < d_.layout.pages_per_block; page += 3) {
    const OperationStatus status = die.commit_program(kBothPlanes, BlockId(0), PageId(page), unit(d_, page).data());
    ASSERT_NE(status, OperationStatus::kRefused);
    if (status == OperationStatus::kOk) continue;
    ++failures;
    unsigned lost = 0;
    for (std::uint8_t plane = 0; plane < 2; ++plane) {
      const bool readable = die.readable(PlaneId(plane), BlockId(0), PageId(page));
      lost += readable ? 0U : 1U;
      const StoredLpage stored = die.lpage({PlaneId(plane), BlockId(0), PageId(page), 0});
      EXPECT_EQ(stored.lpn, readable ? page + plane * 4U : 0xffffffffU);
    }
    EXPECT_GE(lost, 1U);
  }
  EXPECT_GE(failures, 1U);
  EXPECT_LE(failures, 20U);
  EXPECT_EQ(die.counters().failures, failures);
  EXPECT_EQ(die.commit_erase(kBothPlanes, BlockId(0)), OperationStatus::kFail);
}

TEST_F(DieFaults, ANewDriveHasNone) {
  d_.nand.aging.pe_cycles = 0;
  d_.nand.faults.program_failures = 5e-8;
  d_.nand.faults.erase_failures = 2e-5;
  Die die(d_.nand, d_.layout, DieId(0), 1, {});
  for (int i = 0; i < 200; ++i) {
    for (std::uint32_t block = 0; block < 20; ++block) {
      ASSERT_EQ(die.commit_erase(kBothPlanes, BlockId(block)), OperationStatus::kOk);
    }
  }
}

}  // namespace
}  // namespace wordline::nand::die_operations_test
