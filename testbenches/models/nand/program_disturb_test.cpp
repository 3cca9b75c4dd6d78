// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// nand.faults.program_disturb: which word lines come out of their program with more bit errors.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::program_disturb_test {
namespace {

constexpr std::uint32_t kBothPlanes = 3;

/// A die of 192 word lines to a block, one of which is programmed.
struct Programmed {
  testing::Device device = testing::tlc();
  Die die;

  static testing::Device with(double share) {
    testing::Device d = testing::tlc();
    d.nand.faults.program_disturb = share;
    return d;
  }
  explicit Programmed(double share, std::uint64_t seed = 1)
      : device(with(share)), die(device.nand, device.layout, DieId(0), seed, {}) {
    program();
  }
  void program() {
    const std::vector<StoredLpage> lpages(device.layout.lpages_per_program);
    for (std::uint32_t page = 0; page < device.layout.pages_per_block; page += 3) {
      ASSERT_EQ(die.commit_program(kBothPlanes, BlockId(2), PageId(page), lpages.data()), OperationStatus::kOk);
    }
  }
  double ber(std::uint32_t word_line, std::uint8_t plane = 0) const {
    return die.program_report(PlaneId(plane), BlockId(2), PageId(3 * word_line)).ber_ep1;
  }
  double rber(std::uint32_t page) const { return die.rber(PlaneId(1), BlockId(2), PageId(page), 0); }
};

std::set<std::uint32_t> disturbed(const Programmed& with, const Programmed& without) {
  std::set<std::uint32_t> found;
  for (std::uint32_t w = 0; w < 192; ++w) {
    const double ratio = with.ber(w) / without.ber(w);
    if (ratio == 1) continue;
    EXPECT_NEAR(ratio, 3, 1e-9) << w;
    found.insert(w);
  }
  return found;
}

TEST(ProgramDisturb, AShareOfWordLinesHasThreeTimesTheErrorsInAllPlanesAndPages) {
  const Programmed plain(0), some(0.25);
  const std::set<std::uint32_t> found = disturbed(some, plain);
  EXPECT_GT(found.size(), 192U / 8);
  EXPECT_LT(found.size(), 192U / 2);
  for (const std::uint32_t w : found) {
    EXPECT_NEAR(some.ber(w, 1) / plain.ber(w, 1), 3, 1e-9);
    for (std::uint32_t type = 0; type < 3; ++type) {
      EXPECT_NEAR(some.rber(3 * w + type) / plain.rber(3 * w + type), 3, 1e-9) << w << ' ' << type;
    }
  }
  EXPECT_EQ(disturbed(Programmed(1), plain).size(), 192U);
}

TEST(ProgramDisturb, IsTheSameInEveryRunAndDrawnAgainAfterAnErase) {
  const Programmed plain(0), once(0.25), again(0.25);
  const std::set<std::uint32_t> first = disturbed(once, plain);
  EXPECT_EQ(disturbed(again, plain), first);
  Programmed plain2(0), next(0.25);
  for (Programmed* p : {&plain2, &next}) {
    ASSERT_EQ(p->die.commit_erase(kBothPlanes, BlockId(2)), OperationStatus::kOk);
    p->program();
  }
  const std::set<std::uint32_t> second = disturbed(next, plain2);
  EXPECT_GT(second.size(), 192U / 8);
  EXPECT_NE(second, first);
}

}  // namespace
}  // namespace wordline::nand::program_disturb_test
