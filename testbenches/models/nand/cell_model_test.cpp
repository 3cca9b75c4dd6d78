// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/cell_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testbenches/models/nand/devices.h"

namespace wordline::nand::cell_model_test {
namespace {

using config::CellType;

constexpr CellType kCells[] = {CellType::kSlc, CellType::kMlc, CellType::kTlc, CellType::kQlc};
constexpr double kStep[] = {0, 400, 300, 180, 90};  // by bits per cell: the step at which the widths are given

VthDistribution vth(CellType cell, double pe, double days, double celsius = 30) {
  return vth_distribution(cell, Millivolts(kStep[bits_per_cell(cell)]), pe, days, celsius);
}

TEST(CellModelTest, TableOfTheSourceComesBack) {
  // Cai et al., Proc. IEEE 2017, table 5: 2,000 P/E cycles, 1 day and 1 year.
  const VthDistribution day = vth(CellType::kTlc, 2000, 1);
  EXPECT_EQ(day.states, 8U);
  EXPECT_NEAR(day.mean[0], -92.7, 1e-9);
  EXPECT_NEAR(day.mean[7], 448.1, 1e-9);
  EXPECT_NEAR(day.sigma[3], 9.4, 1e-9);
  const VthDistribution year = vth(CellType::kTlc, 2000, 365);
  EXPECT_NEAR(year.mean[7], 440.8, 1e-9);
  EXPECT_NEAR(year.sigma[1], 12.8, 1e-9);
  const VthDistribution month = vth(CellType::kTlc, 2000, 30);
  EXPECT_NEAR(month.mean[4], 253.5, 1e-9);
}

TEST(CellModelTest, MeansAndWidthsAtTwoThousandCyclesAreThoseOfTheSource) {
  // By age: means of ER .. P7, then their widths; typed in again.
  constexpr double kDays[] = {1, 7, 30, 90, 365};
  constexpr double kMeans[][8] = {{-92.7, 66.6, 128.1, 191.9, 254.9, 318.3, 384.3, 448.1},
                                  {-86.7, 67.5, 128.1, 191.4, 253.8, 316.5, 381.8, 444.9},
                                  {-84.4, 68.6, 128.7, 191.6, 253.5, 315.8, 380.9, 443.6},
                                  {-75.6, 72.8, 131.6, 193.3, 254.3, 315.7, 380.2, 442.2},
                                  {-69.4, 76.6, 134.2, 195.2, 255.3, 316.0, 379.6, 440.8}};
  constexpr double kWidths[][8] = {{48.2, 9.7, 9.7, 9.4, 9.3, 9.1, 9.5, 9.1},
                                   {46.4, 10.7, 10.8, 10.5, 10.6, 10.3, 10.6, 10.6},
                                   {46.8, 11.3, 11.2, 11.0, 10.9, 10.8, 11.2, 11.1},
                                   {45.9, 12.0, 11.8, 11.5, 11.4, 11.4, 11.7, 11.7},
                                   {45.9, 12.8, 12.4, 12.0, 12.0, 11.9, 12.3, 12.4}};
  for (unsigned age = 0; age < 5; ++age) {
    const VthDistribution v = vth(CellType::kTlc, 2000, kDays[age]);
    for (unsigned s = 0; s < 8; ++s) {
      EXPECT_NEAR(v.mean[s], kMeans[age][s], 1e-9) << kDays[age] << " days, state " << s;
      EXPECT_NEAR(v.sigma[s], kWidths[age][s], 1e-9) << kDays[age] << " days, state " << s;
    }
  }
}

TEST(CellModelTest, RateGrowsWithWearAndRetention) {
  for (const CellType cell : kCells) {
    const References fixed = retry_references(cell, 0);
    double last = 0;
    for (const double pe : {0.0, 300.0, 1000.0, 2000.0, 5000.0, 10000.0}) {
      const VthDistribution v = vth(cell, pe, 90);
      const double rate = mean_rber(v, optimal_references(v));
      EXPECT_GT(rate, last) << bits_per_cell(cell) << " bits, P/E " << pe;
      last = rate;
    }
    last = 0;
    for (const double days : {1.0, 3.0, 7.0, 20.0, 30.0, 90.0, 200.0, 365.0}) {
      const double rate = mean_rber(vth(cell, 2000, days), fixed);
      EXPECT_GT(rate, last) << bits_per_cell(cell) << " bits, days " << days;
      last = rate;
    }
  }
}

TEST(CellModelTest, HeatIsTimeByArrheniusAndNothingHappensInTheFirstDay) {
  const VthDistribution cool = vth(CellType::kTlc, 2000, 30, 30);
  const VthDistribution hot = vth(CellType::kTlc, 2000, 30, 55);
  EXPECT_LT(hot.mean[7], cool.mean[7]);
  EXPECT_EQ(vth(CellType::kTlc, 2000, 0.01).mean, vth(CellType::kTlc, 2000, 1).mean);
  // exp(1.1 eV / k * (1/303.15 K - 1/328.15 K)) = 24.7: a day at 55 C is 24.7 days at 30 C.
  const VthDistribution day = vth(CellType::kTlc, 2000, 1, 55);
  const VthDistribution weeks = vth(CellType::kTlc, 2000, 24.7, 30);
  for (unsigned s = 0; s < 8; ++s) EXPECT_NEAR(day.mean[s], weeks.mean[s], 0.05) << s;
}

TEST(CellModelTest, MoreBitsMoreErrors) {
  double last = 0;
  for (const CellType cell : kCells) {
    const VthDistribution v = vth(cell, 2000, 90);
    const double rate = mean_rber(v, optimal_references(v));
    EXPECT_GT(rate, last) << bits_per_cell(cell);
    last = rate;
  }
}

// params.cell.erase_limit: the more bits, the fewer cycles until a rate is reached.
TEST(CellModelTest, MoreBitsWearOutEarlier) {
  constexpr double kLimit = 5e-3;
  double last = 1e6;
  for (const CellType cell : {CellType::kMlc, CellType::kTlc, CellType::kQlc}) {
    double cycles = 0;
    for (VthDistribution v = vth(cell, cycles, 365); mean_rber(v, optimal_references(v)) < kLimit && cycles < last;
         v = vth(cell, cycles, 365)) {
      cycles += 100;
    }
    EXPECT_LT(cycles, last) << bits_per_cell(cell) << " bits";
    EXPECT_GT(cycles, 0) << bits_per_cell(cell) << " bits";
    last = cycles;
  }
}

TEST(CellModelTest, OptimalReferencesAreOptimal) {
  for (const CellType cell : kCells) {
    const VthDistribution v = vth(cell, 2000, 90);
    const References best = optimal_references(v);
    for (unsigned r = 1; r < v.states; ++r) {
      EXPECT_GT(best[r], v.mean[r - 1]);
      EXPECT_LT(best[r], v.mean[r]);
      const auto mask = static_cast<std::uint16_t>(1U << r);
      for (const double shift : {-2.0, -0.5, 0.5, 2.0}) {
        References moved = best;
        moved[r] += shift;
        EXPECT_GE(page_rber(v, moved, mask), page_rber(v, best, mask)) << r << " " << shift;
      }
    }
  }
}

// cube.read.shift_example: aged data have errors at the references of young ones until these are offset.
TEST(CellModelTest, RetryStepsHelpAgedDataAndHarmFreshData) {
  const VthDistribution aged = vth(CellType::kTlc, 2000, 365);
  const VthDistribution fresh = vth(CellType::kTlc, 2000, 1);
  for (unsigned step = 1; step <= kYearStep; ++step) {
    EXPECT_LT(mean_rber(aged, retry_references(CellType::kTlc, step)),
              mean_rber(aged, retry_references(CellType::kTlc, step - 1)))
        << step;
    EXPECT_GT(mean_rber(fresh, retry_references(CellType::kTlc, step)),
              mean_rber(fresh, retry_references(CellType::kTlc, step - 1)))
        << step;
  }
  // At the year's step the references are the best there are, and every further step differs from the one before.
  EXPECT_NEAR(mean_rber(aged, retry_references(CellType::kTlc, kYearStep)), mean_rber(aged, optimal_references(aged)),
              1e-6 * mean_rber(aged, optimal_references(aged)));
  const VthDistribution worn = vth(CellType::kTlc, 5000, 730);
  EXPECT_LT(mean_rber(worn, retry_references(CellType::kTlc, kYearStep + 2)),
            mean_rber(worn, retry_references(CellType::kTlc, kYearStep)));
  for (unsigned step = 1; step < kRetrySteps; ++step) {
    EXPECT_NE(retry_references(CellType::kTlc, step), retry_references(CellType::kTlc, step - 1)) << step;
  }
  EXPECT_EQ(retry_references(CellType::kTlc, kRetrySteps), retry_references(CellType::kTlc, kRetrySteps - 1));
}

TEST(CellModelTest, RatesWithFrozenAndReoptimisedReferences) {
  // Arithmetic on the table of the source, rounded as printed: references of day 1, and the best of each age.
  struct Row {
    double days, frozen, best;
  };
  constexpr Row kRows[] = {{1, 3.86e-4, 3.86e-4},
                           {7, 1.09e-3, 9.92e-4},
                           {30, 1.75e-3, 1.49e-3},
                           {90, 3.28e-3, 2.42e-3},
                           {365, 6.18e-3, 3.77e-3}};
  for (const Row& row : kRows) {
    const VthDistribution v = vth(CellType::kTlc, 2000, row.days);
    EXPECT_NEAR(mean_rber(v, retry_references(CellType::kTlc, 0)) / row.frozen, 1, 0.1) << row.days;
    EXPECT_NEAR(mean_rber(v, optimal_references(v)) / row.best, 1, 0.1) << row.days;
  }
}

TEST(CellModelTest, BlockOfAllLayersHasTheRateOfTheTable) {
  // 365 days, 2,000 P/E cycles, the right references: 3.77e-3 on average, 2.3 between the worst and the best layer.
  testing::Device d = testing::tlc();
  d.nand.aging.retention_days = 365;
  const CellModel model(d.nand);
  double sum = 0;
  double least = 1;
  double most = 0;
  for (unsigned layer = 0; layer < 48; ++layer) {
    double rate = 0;
    for (unsigned type = 0; type < 3; ++type) rate += model.rber(type, layer, kYearStep, 0) / 3;
    sum += rate / 48;
    least = std::min(least, rate);
    most = std::max(most, rate);
  }
  EXPECT_NEAR(sum / 3.77e-3, 1, 0.02);
  EXPECT_NEAR(most / least, 2.3, 0.02);
}

TEST(CellModelTest, ReadsDisturbErasedCellsFirst) {
  const VthDistribution before = vth(CellType::kTlc, 2000, 1);
  const VthDistribution after = read_disturbed(before, 2000, 518'420);
  double last = 1e9;
  for (unsigned s = 0; s < 8; ++s) {
    const double shift = after.mean[s] - before.mean[s];
    EXPECT_GT(shift, 0) << s;
    EXPECT_LT(shift, last) << s;
    last = shift;
  }
  EXPECT_EQ(read_disturbed(before, 2000, 0).mean, before.mean);
  // The calibration point: an LSB page reaches 5e-3 after 518,420 reads of its block.
  const auto masks = page_references(CellType::kTlc, {});
  EXPECT_NEAR(page_rber(after, retry_references(CellType::kTlc, 0), masks[0]), 5e-3, 5e-5);
  // More wear, more disturb.
  EXPECT_GT(read_disturbed(before, 4000, 1000).mean[0], read_disturbed(before, 2000, 1000).mean[0]);
}

TEST(CellModelTest, ReadsOfTheBlockRaiseTheRateOfItsPages) {
  testing::Device d = testing::tlc();
  d.nand.aging.retention_days = 1;
  const CellModel model(d.nand);
  for (unsigned layer = 0; layer < 48; layer += 7) {
    EXPECT_EQ(model.rber(0, layer, 0, 0), model.rber(0, layer, 0, 0, 0));
    double last = 0;
    for (const std::uint32_t reads : {0U, 1U, 1000U, 50'000U, 60'000U, 400'000U, 900'000U}) {
      const double rate = model.rber(0, layer, 0, 0, reads);
      EXPECT_GT(rate, last) << reads;
      last = rate;
    }
    EXPECT_EQ(model.rber(0, layer, 0, 0, 1'000'000), model.rber(0, layer, 0, 0, 4'000'000'000U));
  }
}

// cube.prog.pages_per_wl: s pages on a word line need 2^s states, 2^s - 1 references between them.
TEST(CellModelTest, EveryReferenceBelongsToOnePageType) {
  for (const CellType cell : kCells) {
    const auto masks = page_references(cell, {});
    ASSERT_EQ(masks.size(), bits_per_cell(cell));
    unsigned all = 0;
    for (const std::uint16_t mask : masks) {
      EXPECT_EQ(all & mask, 0U);
      all |= mask;
    }
    EXPECT_EQ(all, (1U << (1U << bits_per_cell(cell))) - 2U);
  }
  const auto other = page_references(CellType::kTlc, {1, 2, 4});
  EXPECT_EQ(__builtin_popcount(other[0]), 1);
  EXPECT_EQ(__builtin_popcount(other[2]), 4);
  EXPECT_THROW((void)page_references(CellType::kTlc, {2, 3}), std::invalid_argument);
  EXPECT_THROW((void)page_references(CellType::kTlc, {2, 3, 3}), std::invalid_argument);
}

TEST(CellModelTest, LayersDifferAsMuchAsMeasured) {
  const auto spread = [](double pe, double days) {
    double least = 10;
    double most = 0;
    for (unsigned layer = 0; layer < 48; ++layer) {
      const double factor = layer_factor(layer, 48, pe, days, 30);
      least = std::min(least, factor);
      most = std::max(most, factor);
    }
    return most / least;
  };
  EXPECT_NEAR(spread(0, 1), 1.6, 0.01);
  EXPECT_NEAR(spread(2000, 365), 2.3, 0.01);
  EXPECT_EQ(layer_factor(0, 1, 2000, 365, 30), 1.0);
}

TEST(CellModelTest, TableOfTheDeviceIsMonotone) {
  const testing::Device d = testing::tlc();
  const CellModel model(d.nand);
  testing::Device older = d;
  older.nand.aging.retention_days = 365;
  const CellModel aged(older.nand);
  for (unsigned type = 0; type < 3; ++type) {
    for (unsigned layer = 0; layer < 48; ++layer) {
      EXPECT_GT(aged.rber(type, layer, 0, 0), model.rber(type, layer, 0, 0));
      double last = 0;
      for (const std::uint32_t erases : {0U, 99U, 100U, 1000U, 50'000U}) {
        const double rate = model.rber(type, layer, 0, erases);
        EXPECT_GE(rate, last);
        last = rate;
      }
      EXPECT_GT(last, model.rber(type, layer, 0, 0));
    }
  }
  double log_sum = 0;
  for (std::uint64_t i = 0; i < 1024; ++i) log_sum += std::log(model.block_factor(i << 54));
  EXPECT_NEAR(log_sum / 1024, 0, 1e-6);
}

}  // namespace
}  // namespace wordline::nand::cell_model_test
