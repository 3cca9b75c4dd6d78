// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Devices that differ from the plain one: program orders, layers of different speed, page sizes, early charge loss,
// area.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "models/nand/area.h"
#include "models/nand/die.h"
#include "models/nand/program_order.h"
#include "models/nand/timing.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::array_variants_test {
namespace {

using namespace wordline::literals;
using config::CellType;
using config::LayerProfile;
using config::ProgramGranularity;
using config::ProgramOrder;
using testing::Device;

constexpr PlaneId kPlane0(0);

Device ordered(ProgramOrder order) {
  Device d = testing::tlc();
  d.nand.geometry.order = order;
  return d;
}

OperationStatus program(Die& die, const Device& d, std::uint32_t block, std::uint32_t page) {
  const std::vector<StoredLpage> lpages(d.layout.lpages_per_page * d.layout.pages_per_program);
  return die.commit_program(1, BlockId(block), PageId(page), lpages.data());
}

TEST(ProgramOrderTest, EveryWordLineHasItsPlace) {
  for (const ProgramOrder order : {ProgramOrder::kHorizontal, ProgramOrder::kVertical, ProgramOrder::kMixed}) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t wl = 0; wl < 192; ++wl) {
      const WordLinePosition at = word_line_position(order, 48, 4, wl);
      EXPECT_LT(at.layer, 48U);
      EXPECT_LT(at.v_layer, 4U);
      places.insert({at.layer, at.v_layer});
    }
    EXPECT_EQ(places.size(), 192U);
  }
  EXPECT_TRUE((word_line_position(ProgramOrder::kHorizontal, 48, 4, 5) == WordLinePosition{1, 1}));
  EXPECT_TRUE((word_line_position(ProgramOrder::kVertical, 48, 4, 5) == WordLinePosition{5, 0}));
  EXPECT_TRUE((word_line_position(ProgramOrder::kVertical, 48, 4, 53) == WordLinePosition{5, 1}));
}

// cube.order.mos_safe: the order costs no errors, whichever it is.
TEST(ProgramOrderTest, RatesFollowThePlaceAndDifferByLessThanThreePercentBetweenOrders) {
  const Device h = ordered(ProgramOrder::kHorizontal);
  const Device v = ordered(ProgramOrder::kVertical);
  const Device m = ordered(ProgramOrder::kMixed);
  Die horizontal(h.nand, h.layout, DieId(0), 1, {});
  Die vertical(v.nand, v.layout, DieId(0), 1, {});
  Die mixed(m.nand, m.layout, DieId(0), 1, {});
  double sum[3] = {0, 0, 0};
  double most = 0;
  for (std::uint32_t layer = 0; layer < 48; ++layer) {
    for (std::uint32_t w = 0; w < 4; ++w) {
      const double a = horizontal.rber(kPlane0, BlockId(0), PageId((layer * 4 + w) * 3), 0);
      const double b = vertical.rber(kPlane0, BlockId(0), PageId((w * 48 + layer) * 3), 0);
      const double c = mixed.rber(kPlane0, BlockId(0), PageId((layer * 4 + w) * 3), 0);
      sum[0] += a;
      sum[1] += b;
      sum[2] += c;
      most = std::max({most, std::fabs(b / a - 1), std::fabs(c / a - 1)});
    }
  }
  EXPECT_LT(most, 0.03);
  EXPECT_GT(most, 0.002);  // noise there is
  EXPECT_NEAR(sum[1] / sum[0], 1, 0.003);
  EXPECT_NEAR(sum[2] / sum[0], 1, 0.003);
}

TEST(ProgramOrderTest, MixedOrderLetsTheControllerChooseTheWordLine) {
  const Device d = ordered(ProgramOrder::kMixed);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto page = [](std::uint32_t layer, std::uint32_t w) { return (layer * 4 + w) * 3; };
  // Leaders of three layers, then followers of the first.
  for (std::uint32_t layer = 0; layer < 3; ++layer) EXPECT_EQ(program(die, d, 0, page(layer, 0)), OperationStatus::kOk);
  EXPECT_EQ(program(die, d, 0, page(0, 2)), OperationStatus::kOk);
  EXPECT_EQ(program(die, d, 0, page(0, 1)), OperationStatus::kOk);
  EXPECT_EQ(program(die, d, 0, page(0, 1)), OperationStatus::kRefused);
  EXPECT_EQ(program(die, d, 0, page(1, 3)), OperationStatus::kRefused);  // below it the v-layer is empty
  EXPECT_TRUE(die.programmed(kPlane0, BlockId(0), PageId(page(2, 0))));
  EXPECT_FALSE(die.programmed(kPlane0, BlockId(0), PageId(page(0, 3))));
  EXPECT_FALSE(die.programmed(kPlane0, BlockId(0), PageId(page(1, 1))));
  // All of a block, then again after an erase.
  for (std::uint32_t layer = 0; layer < 48; ++layer) {
    for (std::uint32_t w = 0; w < 4; ++w) {
      const bool done = (layer < 3 && w == 0) || (layer == 0 && w < 3);
      if (done) continue;
      EXPECT_EQ(program(die, d, 0, page(layer, w)), OperationStatus::kOk) << layer << " " << w;
    }
  }
  EXPECT_EQ(die.commit_erase(1, BlockId(0)), OperationStatus::kOk);
  EXPECT_EQ(program(die, d, 0, page(1, 0)), OperationStatus::kRefused);
  EXPECT_EQ(program(die, d, 0, page(0, 3)), OperationStatus::kOk);
  Device paged = testing::device(CellType::kMlc, ProgramGranularity::kPage);
  paged.nand.geometry.order = ProgramOrder::kMixed;
  EXPECT_THROW(Die(paged.nand, paged.layout, DieId(0), 1, {}), std::invalid_argument);
}

// cube.order.mos: behind the leaders of 48 layers all 144 other word lines may come, in any order of v-layers.
TEST(ProgramOrderTest, MixedOrderKeepsAllFollowersInReserve) {
  const Device d = ordered(ProgramOrder::kMixed);
  Die die(d.nand, d.layout, DieId(0), 1, {});
  const auto program_all = [&](std::uint32_t w) {
    unsigned programmed = 0;
    for (std::uint32_t layer = 0; layer < 48; ++layer) {
      programmed += program(die, d, 0, (layer * 4 + w) * 3) == OperationStatus::kOk ? 1 : 0;
    }
    return programmed;
  };
  EXPECT_EQ(program_all(0), 48U);
  EXPECT_EQ(program_all(3) + program_all(1) + program_all(2), 144U);
}

// Holes narrow from the top layer (the first pages of a block) to the bottom one, which is faster:
// ppb.phys.layer_direction of docs/ppb.md; and a layer is a run of pages: ppb.phys.mapping.
TEST(LayerSpeedTest, EveryGroupOfLayersReadsFasterThanTheOneAbove) {
  for (const LayerProfile profile : {LayerProfile::kLinear, LayerProfile::kStep}) {
    for (const unsigned groups : {2U, 4U, 8U}) {
      if (profile == LayerProfile::kStep && groups != 2) continue;
      Device d = testing::tlc();
      d.nand.layer_speed = {3, 1, profile};
      const Die die(d.nand, d.layout, DieId(0), 1, {});
      std::int64_t before = INT64_MAX;
      for (unsigned group = 0; group < groups; ++group) {
        std::int64_t sum = 0;
        for (unsigned page = 576 / groups * group; page < 576 / groups * (group + 1); ++page)
          sum += die.plan_read(BlockId(0), PageId(page)).total().count();
        EXPECT_LT(sum, before) << group << " of " << groups;
        before = sum;
      }
    }
  }
}

TEST(LayerSpeedTest, RatioFromTopToBottomAndTheMeanStays) {
  for (const LayerProfile profile : {LayerProfile::kLinear, LayerProfile::kStep}) {
    for (const unsigned layers : {32U, 48U, 49U}) {
      for (const double ratio : {1.0, 2.0, 3.0, 4.0, 5.0}) {
        double sum = 0;
        for (unsigned layer = 0; layer < layers; ++layer) {
          const double factor = layer_speed_factor(layer, layers, ratio, profile);
          EXPECT_LE(factor, layer_speed_factor(layer == 0 ? 0 : layer - 1, layers, ratio, profile));
          sum += factor;
        }
        EXPECT_NEAR(sum / layers, 1, 1e-12);
        EXPECT_NEAR(
            layer_speed_factor(0, layers, ratio, profile) / layer_speed_factor(layers - 1, layers, ratio, profile),
            ratio, 1e-12);
      }
    }
  }
}

// cube.physics.latency_varies of programs, where it is asked for; an erase is one of all layers.
TEST(LayerSpeedTest, PlansOfALayerTakeItsTime) {
  Device d = testing::tlc();
  d.nand.layer_speed = {4, 1, LayerProfile::kLinear};
  const Die die(d.nand, d.layout, DieId(0), 1, {});
  EXPECT_EQ(die.plan_read(BlockId(0), PageId(0)).total(), 59'200_ns);      // 37 us * 1.6
  EXPECT_EQ(die.plan_read(BlockId(0), PageId(575)).total(), 14'800_ns);    // 37 us * 0.4
  EXPECT_EQ(die.plan_program(BlockId(0), PageId(0)).total(), 700'200_ns);  // reads only
  ReadParameters soft;
  soft.senses = 3;
  EXPECT_EQ(die.plan_read(BlockId(0), PageId(0), soft).total(), Picoseconds((19'000'000 + 6 * 9'000'000LL) * 8 / 5));
  std::int64_t sum = 0;
  for (unsigned page = 0; page < 576; page += 3) sum += die.plan_read(BlockId(0), PageId(page)).total().count();
  EXPECT_NEAR(static_cast<double>(sum) / 192, 37e6, 10);

  d.nand.layer_speed = {1, 2, LayerProfile::kStep};
  const Die programs(d.nand, d.layout, DieId(0), 1, {});
  EXPECT_EQ(programs.plan_read(BlockId(0), PageId(0)).total(), 37_us);
  EXPECT_EQ(programs.plan_program(BlockId(0), PageId(0)).total(), 933'600_ns);
  EXPECT_EQ(programs.plan_program(BlockId(0), PageId(573)).total(), 466'800_ns);
  ProgramParameters skip;
  skip.skip = safe_skips(pass_windows(9, 7, 3));
  EXPECT_NEAR(static_cast<double>(programs.plan_program(BlockId(0), PageId(573), skip).total().count()),
              (700.2e6 - 21 * 5.4e6) * 2 / 3, 10);
}

TEST(PageSizeTest, ProgramAndEraseGrowTenPercentPerDoublingAndReadsDoNot) {
  EXPECT_NEAR(page_size_factor(Bytes(32768), Bytes(16384)), 1.1, 1e-12);
  EXPECT_NEAR(page_size_factor(Bytes(4096), Bytes(16384)), 1 / 1.21, 1e-12);
  EXPECT_NEAR(page_size_factor(Bytes(28 * 1024), Bytes(16384)), std::pow(1.1, std::log2(1.75)), 1e-12);
  EXPECT_THROW((void)page_size_factor(Bytes(0), Bytes(4096)), std::invalid_argument);
  const auto plans = [](std::uint64_t page, std::uint64_t base) {
    Device d = testing::tlc();
    d.nand.geometry.page = Bytes(page);
    d.nand.timing.page = Bytes(base);
    return ArrayPlans(d.nand, d.layout);
  };
  // The large and the small region of a die with 32 + 4 KiB pages, times given at 16 KiB.
  const ArrayPlans large = plans(32768, 16384);
  const ArrayPlans small = plans(4096, 16384);
  EXPECT_EQ(large.program(0).total(), 770'220_ns);
  EXPECT_EQ(large.erase().total(), 4'125_us);  // 5 x (700 + 50) us
  EXPECT_NEAR(static_cast<double>(small.program(0).total().count()), 700.2e6 / 1.21, 1);
  EXPECT_EQ(large.read(1).total(), small.read(1).total());
  EXPECT_EQ(plans(32768, 0).program(0).total(), 700'200_ns);
  ProgramParameters skip;
  skip.skip = safe_skips(pass_windows(9, 7, 3));
  EXPECT_NEAR(static_cast<double>(large.program(0, 0, skip).total().count()), 1.1 * (700.2e6 - 21 * 5.4e6), 10);
}

TEST(AreaTest, CostOfABlockAsPrinted) {
  // S_p = 16, N_p = 512, N_b = 1000, O_b = 4, O_p = 10: 16 ((512 / tau + 4) + 0.01).
  BlockCost cost{16, 512, 1000, 1, 4, 10};
  EXPECT_NEAR(relative_area(cost), 16 * (256 + 4 + 0.01), 1e-9);
  const double slc = relative_cost_per_bit(cost);
  cost.bits_per_cell = 2;
  EXPECT_NEAR(relative_area(cost), 16 * (128 + 4 + 0.01), 1e-9);
  EXPECT_NEAR(relative_cost_per_bit(cost) / slc, 0.5, 0.01);  // MLC costs half
  // params.example.area.tlc: without overheads the area of 4 GB of SLC holds 12 GB of TLC.
  BlockCost plain{16, 512, 1000, 1, 0, 0};
  const double one_bit = relative_cost_per_bit(plain);
  plain.bits_per_cell = 3;
  EXPECT_NEAR(4 * one_bit / relative_cost_per_bit(plain), 12, 1e-9);
  // More pages share the overhead of a block; more blocks that of a page.
  cost.pages_per_block = 1024;
  EXPECT_LT(relative_cost_per_bit(cost), 0.51 * slc);
  cost.blocks = 0;
  EXPECT_THROW((void)relative_area(cost), std::invalid_argument);
}

TEST(AreaTest, TwoPageSizesCostNoArea) {
  const ArrayPair even{Bytes(16384), Bytes(16384)};
  const ArrayPair split{Bytes(28 * 1024), Bytes(4096)};
  EXPECT_TRUE(same_area(even, split));
  EXPECT_EQ(array_area(even).cells, array_area(split).cells);
  EXPECT_NEAR(array_area(even, 0.1).decoders, array_area(split, 0.1).decoders, 1e-9);
  EXPECT_FALSE(same_area(even, {Bytes(32768), Bytes(4096)}));
  EXPECT_NEAR(second_share({Bytes(32768), Bytes(4096)}), 1.0 / 9, 1e-12);
  EXPECT_NEAR(second_share(split), 0.125, 1e-12);
}

TEST(EarlyChargeLossTest, RateGrowsTenfoldInThreeHoursAndAgainByElevenDays) {
  const auto rate = [](double days) {
    const VthDistribution v = vth_distribution(CellType::kTlc, Millivolts(180), 2000, days, 30, kEarliest3dDays);
    return mean_rber(v, optimal_references(v));
  };
  const double minutes = rate(7.0 / 1440);
  const double hours = rate(3.0 / 24);
  const double weeks = rate(11);
  EXPECT_NEAR(hours / minutes, 10, 0.5);
  EXPECT_NEAR(weeks / hours, 10, 0.5);
  EXPECT_EQ(rate(0), minutes);
  double last = 0;
  for (double days = 7.0 / 1440; days < 2; days *= 1.2) {
    EXPECT_GT(rate(days), last) << days;
    last = rate(days);
  }
  // The best reference of the highest gap moves as far in the first three hours as from then to 11 days, downwards.
  const auto reference = [](double days) {
    return optimal_references(vth_distribution(CellType::kTlc, Millivolts(180), 2000, days, 30, kEarliest3dDays))[7];
  };
  const double early = reference(7.0 / 1440) - reference(3.0 / 24);
  const double late = reference(3.0 / 24) - reference(11);
  EXPECT_GT(early, 0);
  EXPECT_NEAR(early / late, 1, 0.35);  // the later part is the table's, which drifts more in its first week
  // Heat is time here too, and planar cells wait a day.
  const VthDistribution warm = vth_distribution(CellType::kTlc, Millivolts(180), 2000, 0.05, 55, kEarliest3dDays);
  EXPECT_GT(mean_rber(warm, optimal_references(warm)), rate(1));
  EXPECT_EQ(vth_distribution(CellType::kTlc, Millivolts(180), 2000, 0.05, 30).mean,
            vth_distribution(CellType::kTlc, Millivolts(180), 2000, 1, 30).mean);
}

TEST(EarlyChargeLossTest, DataOfTheRunAreYoungerThanThoseBeforeIt) {
  Device d = testing::tlc();
  d.nand.aging.retention_days = 365;
  d.nand.aging.early_loss = true;
  d.nand.aging.page_age = true;
  const Fill fill = [](DieId, const LpageAddress& at) -> StoredLpage {
    return {data::LpageToken::uniform(Lpn(at.page.value()), 1), at.page.value()};
  };
  Die die(d.nand, d.layout, DieId(0), 1, fill);
  const double old = die.rber(kPlane0, BlockId(0), PageId(0), 0);
  die.commit_erase(1, BlockId(0));
  ASSERT_EQ(program(die, d, 0, 0), OperationStatus::kOk);
  const double young = die.rber(kPlane0, BlockId(0), PageId(0), 0);
  EXPECT_LT(young, 0.3 * old);
  die.set_time(Picoseconds(4LL * 3600 * 1'000'000'000'000));
  const double hours = die.rber(kPlane0, BlockId(0), PageId(0), 0);
  EXPECT_NE(hours, young);
  EXPECT_NEAR(die.rber(kPlane0, BlockId(1), PageId(0), 0) / old, 1, 0.5);  // another block of old data
}

}  // namespace
}  // namespace wordline::nand::array_variants_test
