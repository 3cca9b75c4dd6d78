// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Array times that the device files of configs/nand give, against what their sources say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/commands.h"
#include "models/nand/timing.h"

namespace wordline::nand::shipped_times_test {
namespace {

struct Times {
  std::vector<double> read, program;  // us, by page type; one program for a word line in one shot
  double erase = 0;
};

Times times(const char* file) {
  const config::Config c = config::load(std::string(WORDLINE_CONFIGS "/nand/") + file, {}).config;
  const config::Layout layout = config::layout_of(c);
  const ArrayPlans plans(c.nand, layout);
  const auto us = [](const Plan& plan) { return static_cast<double>(plan.total().count()) * 1e-6; };
  Times t;
  for (unsigned type = 0; type < layout.page_types; ++type) t.read.push_back(us(plans.read(type)));
  const unsigned passes = layout.pages_per_program > 1 ? 1 : layout.page_types;
  for (unsigned pass = 0; pass < passes; ++pass) t.program.push_back(us(plans.program(pass)));
  t.erase = us(plans.erase());
  return t;
}

TEST(ShippedTimesTest, TlcReadsAsMeasuredAndProgramsIn700Microseconds) {
  const Times t = times("tlc_48x4.toml");
  // 1, 2, 3 senses: 28, 37, 46 us (AiF, ISCA'25); the code of this device senses 2, 3, 2.
  EXPECT_EQ(t.read, (std::vector<double>{37, 46, 37}));
  ASSERT_EQ(t.program.size(), 1U);
  EXPECT_NEAR(t.program[0], 700, 0.5);
  EXPECT_NEAR(t.erase, 4000, 1e-6);
}

TEST(ShippedTimesTest, TlcReadsBySenses) {
  // With a 1-2-4 code the same array reads its LSB page in one sense.
  config::Config c = config::load(WORDLINE_CONFIGS "/nand/tlc_48x4.toml", {}).config;
  const config::Layout layout = config::layout_of(c);
  c.nand.timing.senses_per_page = {1, 2, 4};
  const ArrayPlans plans(c.nand, layout);
  EXPECT_EQ(plans.read(0).total(), Picoseconds(28'000'000));
  EXPECT_EQ(plans.read(1).total(), Picoseconds(37'000'000));
  c.nand.timing.senses_per_page = {1, 3, 3};
  const ArrayPlans other(c.nand, layout);
  EXPECT_EQ(other.read(0).total(), Picoseconds(28'000'000));
  EXPECT_EQ(other.read(1).total(), Picoseconds(46'000'000));
}

TEST(ShippedTimesTest, QlcReadsWithinSixPercentOfMeasuredTimes) {
  const Times t = times("qlc_96x4.toml");
  const double measured[] = {47.9, 76.2, 134.6, 228.1};
  ASSERT_EQ(t.read.size(), 4U);
  for (unsigned type = 0; type < 4; ++type) EXPECT_NEAR(t.read[type] / measured[type], 1, 0.06) << type;
  ASSERT_EQ(t.program.size(), 1U);
  EXPECT_NEAR(t.program[0] / 3100, 1, 0.05);  // one pass, derived
  EXPECT_GE(t.erase, 5000);                   // Micron L06B: 5 to 10 ms
  EXPECT_LE(t.erase, 10'000);
}

TEST(ShippedTimesTest, SlcReadsInThreeMicroseconds) {
  const Times t = times("slc_fast.toml");
  EXPECT_EQ(t.read, (std::vector<double>{3}));
  EXPECT_NEAR(t.program.at(0), 100, 1e-6);
  EXPECT_NEAR(t.erase, 1000, 1e-6);
}

TEST(ShippedTimesTest, SixteenPlanesOfSlcAreThoseOfXlFlash) {
  const Times t = times("slc_96x4.toml");
  EXPECT_EQ(t.read, (std::vector<double>{4}));
  EXPECT_NEAR(t.program.at(0), 75, 1e-6);
  EXPECT_NEAR(t.erase, 2000, 1e-6);
  const config::Config c = config::load(WORDLINE_CONFIGS "/nand/slc_96x4.toml", {}).config;
  const config::Layout layout = config::layout_of(c);
  const std::uint64_t die =
      std::uint64_t{c.nand.geometry.planes} * c.nand.geometry.blocks_per_plane * layout.pages_per_block * 4096;
  EXPECT_NEAR(static_cast<double>(die) / (std::uint64_t{16} << 30U), 1, 0.001);  // 128 Gb
}

TEST(ShippedTimesTest, MlcIsThatOfTable2) {
  // "Exploration of design parameters", JSTS: tR 60, tPROG 1,200, tBERS 3,000 us, of any page.
  const Times t = times("mlc_planar.toml");
  EXPECT_EQ(t.read, (std::vector<double>{60, 60}));
  EXPECT_EQ(t.program, (std::vector<double>{1200, 1200}));
  EXPECT_NEAR(t.erase, 3000, 1e-6);
}

TEST(ShippedTimesTest, PinnedDeviceHasThePinnedTimes) {
  const Times t = times("tlc_ref.toml");
  EXPECT_EQ(t.read, (std::vector<double>{45, 65, 85}));
  EXPECT_EQ(t.program, (std::vector<double>{300, 700, 1100}));
  EXPECT_NEAR(t.erase, 3500, 1e-6);
}

TEST(ShippedTimesTest, PlanarSlcIsThatOfTable2) {
  const Times t = times("slc_planar.toml");
  EXPECT_EQ(t.read, (std::vector<double>{25}));
  EXPECT_NEAR(t.program.at(0), 200, 1e-6);
  EXPECT_NEAR(t.erase, 2000, 1e-6);
}

TEST(ShippedTimesTest, LayersReadAtHalfTheSpeedOnTop) {
  const config::Config c = config::load(WORDLINE_CONFIGS "/nand/tlc_layers.toml", {}).config;
  const config::Layout layout = config::layout_of(c);
  EXPECT_EQ(layout.pages_per_block, 384U);
  const ArrayPlans plans(c.nand, layout);
  const auto us = [](const Plan& plan) { return static_cast<double>(plan.total().count()) * 1e-6; };
  EXPECT_NEAR(us(plans.read(0, 0)) / us(plans.read(0, 31)), 2, 1e-6);
  double sum = 0;
  for (unsigned layer = 0; layer < 32; ++layer) sum += us(plans.read(1, layer)) / 32;
  EXPECT_NEAR(sum, 49, 1e-5);
  EXPECT_NEAR(us(plans.program(2, 0)), 600, 1e-9);
  EXPECT_NEAR(us(plans.erase()), 4000, 1e-9);
}

}  // namespace
}  // namespace wordline::nand::shipped_times_test
