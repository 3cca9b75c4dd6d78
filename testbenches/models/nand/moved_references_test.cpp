// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// nand.faults.moved_references: which h-layers of blocks can be read at one step of the retry table only.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "models/ecc/code/codeword.h"
#include "models/nand/die.h"
#include "models/nand/vth.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::moved_references_test {
namespace {

constexpr std::uint32_t kBothPlanes = 3;
constexpr std::uint32_t kLayers = 48, kPagesPerLayer = 12;
constexpr double kUncorrectable = 0.025;  // above what seven soft reads correct (docs/measurements/ecc.md)

struct Drawn {
  testing::Device device = testing::tlc();
  Die die;

  static testing::Device with(double share, std::uint32_t steps, double days) {
    testing::Device d = testing::tlc();
    d.nand.aging.retention_days = days;
    d.nand.faults.moved_references = share;
    d.nand.faults.moved_steps = steps;
    return d;
  }
  explicit Drawn(double share, std::uint32_t steps = 3, double days = 30)
      : device(with(share, steps, days)), die(device.nand, device.layout, DieId(0), 1, {}) {
    program();
  }
  void program(const ProgramParameters& parameters = {}) {
    const std::vector<StoredLpage> lpages(device.layout.lpages_per_program);
    for (std::uint32_t page = 0; page < device.layout.pages_per_block; page += 3) {
      ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(page), lpages.data(), parameters),
                OperationStatus::kOk);
    }
  }
  void erase() { ASSERT_EQ(die.commit_erase(kBothPlanes, BlockId(2)), OperationStatus::kOk); }
  double rate(std::uint32_t page, unsigned step, std::uint8_t plane = 0) const {
    return die.rber(PlaneId(plane), BlockId(2), PageId(page), step);
  }
  double best(std::uint32_t page) const {
    double least = 1;
    for (unsigned step = 0; step < kRetrySteps; ++step) least = std::min(least, rate(page, step));
    return least;
  }
};

/// The step with the fewest errors of the first page of each layer that differs from `plain`; 0 of the others.
std::array<unsigned, kLayers> moved(const Drawn& drawn, const Drawn& plain) {
  std::array<unsigned, kLayers> steps{};
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
    const std::uint32_t page = layer * kPagesPerLayer;
    if (drawn.rate(page, 0) == plain.rate(page, 0)) continue;
    for (unsigned step = 0; step < kRetrySteps; ++step) {
      if (drawn.rate(page, step) < drawn.rate(page, steps[layer])) steps[layer] = step;
    }
    EXPECT_NE(steps[layer], 0U) << layer;
  }
  return steps;
}

TEST(MovedReferences, AllWordLinesOfALayerAreReadAtTheSameStepOnlyAndThereAtTheirBest) {
  for (const double days : {0.0, 365.0}) {
    const Drawn plain(0, 3, days), drawn(1, 3, days);
    const std::array<unsigned, kLayers> steps = moved(drawn, plain);
    for (std::uint32_t page = 0; page < kLayers * kPagesPerLayer; ++page) {
      const unsigned own = steps[page / kPagesPerLayer];
      ASSERT_GE(own, 1U);
      ASSERT_LE(own, 3U);
      EXPECT_DOUBLE_EQ(drawn.rate(page, own), plain.best(page)) << page;
      EXPECT_LT(drawn.rate(page, own, 1), kUncorrectable) << "the other plane of page " << page;
      for (unsigned step = 0; step < kRetrySteps; ++step) {
        if (step == own) continue;
        EXPECT_GT(drawn.rate(page, step), kUncorrectable) << page << ' ' << step;
        const unsigned nearer = step < own ? step + 1 : step - 1;
        EXPECT_LT(drawn.rate(page, nearer), drawn.rate(page, step)) << page << ' ' << step;
      }
    }
  }
}

TEST(MovedReferences, MoveInAShareOfTheLayersByEachStepAsOften) {
  const Drawn plain(0);
  const auto count = [&](double share, std::uint32_t steps) {
    Drawn drawn(share, steps), unchanged(0);
    std::array<int, kRetrySteps> found{};
    for (int life = 0; life < 10; ++life) {
      for (const unsigned step : moved(drawn, unchanged)) ++found[step];
      for (Drawn* d : {&drawn, &unchanged}) {
        d->erase();
        d->program();
      }
    }
    return found;
  };
  const std::array<int, kRetrySteps> third = count(0.3, 3);
  EXPECT_NEAR(third[0], 0.7 * 480, 45);  // 4.5 standard deviations
  for (const unsigned step : {1U, 2U, 3U}) EXPECT_NEAR(third[step], 0.1 * 480, 30) << step;
  EXPECT_EQ(third[4] + third[5] + third[6] + third[7], 0);
  EXPECT_EQ(count(1, 1)[1], 480);
  const std::array<int, kRetrySteps> all = count(1, 7);
  EXPECT_EQ(all[0], 0);
  EXPECT_GT(*std::min_element(all.begin() + 1, all.end()), 480 / 14);
}

TEST(MovedReferences, AreTheSameInEveryRunAndDrawnAgainAfterAnErase) {
  Drawn plain(0), once(0.5);
  const Drawn again(0.5);
  const std::array<unsigned, kLayers> first = moved(once, plain);
  EXPECT_EQ(moved(again, plain), first);
  for (Drawn* d : {&plain, &once}) {
    d->erase();
    d->program();
  }
  EXPECT_NE(moved(once, plain), first);
}

TEST(MovedReferences, SoftReadsHelpAtTheirOwnStepOnly) {
  const Drawn plain(0, 3, 365), drawn(1, 3, 365);
  const std::array<unsigned, kLayers> steps = moved(drawn, plain);
  for (std::uint32_t layer = 0; layer < kLayers; layer += 5) {
    const PageId page(layer * kPagesPerLayer + 1);
    ReadParameters seven;
    seven.senses = 7;
    seven.step = static_cast<std::uint8_t>(steps[layer]);
    const SoftChannel own = drawn.die.soft_channel(PlaneId(0), BlockId(2), page, seven);
    EXPECT_NEAR(own.error_rate(), drawn.rate(page.value(), steps[layer]), 1e-12);
    ++seven.step;
    const SoftChannel next = drawn.die.soft_channel(PlaneId(0), BlockId(2), page, seven);
    EXPECT_NEAR(next.error_rate(), drawn.rate(page.value(), seven.step), 1e-12);
    EXPECT_NEAR(std::accumulate(next.right.begin(), next.right.end(), 0.0) + next.error_rate(), 1, 1e-12);
    EXPECT_GT(next.wrong[0], kUncorrectable) << "sure and wrong";
  }
}

TEST(MovedReferences, HoldForProgramsWithParametersToo) {
  ProgramParameters shorter;
  shorter.final_cut = Millivolts(160);
  Drawn plain(0), drawn(1);
  const std::array<unsigned, kLayers> steps = moved(drawn, plain);
  for (Drawn* d : {&plain, &drawn}) d->erase();
  for (Drawn* d : {&plain, &drawn}) d->program(shorter);
  const std::array<unsigned, kLayers> after = moved(drawn, plain);
  EXPECT_NE(after, steps);
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
    const std::uint32_t page = layer * kPagesPerLayer;
    EXPECT_DOUBLE_EQ(drawn.rate(page, after[layer]), plain.best(page)) << layer;
  }
}

TEST(MovedReferences, ErrorsOfAReadFollowTheRate) {
  const Drawn plain(0), drawn(1);
  const std::array<unsigned, kLayers> steps = moved(drawn, plain);
  const unsigned bits = ecc::kCodewordBits;
  for (unsigned codeword = 0; codeword < 8; ++codeword) {
    const auto errors = [&](unsigned step) {
      return drawn.die.bit_errors(PlaneId(0), BlockId(2), PageId(0), codeword, bits, step);
    };
    EXPECT_LT(errors(steps[0]), bits * 5e-3);
    EXPECT_GT(errors(0), bits * kUncorrectable);
  }
}

}  // namespace
}  // namespace wordline::nand::moved_references_test
