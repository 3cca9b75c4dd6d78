// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/features.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/config/bus_modes.h"

namespace wordline::onfi::features_test {
namespace {

TEST(FeatureRegisters, EachFeatureMovesItsOwnParameter) {
  FeatureRegisters r;
  EXPECT_EQ(r.set(0x89, {5, 0, 0, 0}), "");
  EXPECT_EQ(r.read().step, 5);
  EXPECT_EQ(r.set(0x8a, {5, 7, 0, 0}), "");
  EXPECT_EQ(r.read().senses, 5);
  EXPECT_EQ(r.read().delta, 7);
  EXPECT_EQ(r.set(0x8a, {0, 0, 0, 0}), "");  // hard again
  EXPECT_EQ(r.read().senses, 1);
  EXPECT_EQ(r.read().delta, nand::ReadParameters{}.delta);
  EXPECT_EQ(r.set(0x90, {0x5a, 0x01, 12, 34}), "");
  EXPECT_EQ(r.program().step, Millivolts(346));
  EXPECT_EQ(r.program().start_raise, Millivolts(120));
  EXPECT_EQ(r.program().final_cut, Millivolts(340));
  EXPECT_EQ(r.set(0x95, {2, 0, 0, 0}), "");
  EXPECT_EQ(r.program().pass, nand::ProgramPass::kFine);
  for (unsigned s = 1; s < nand::kMaxStates; ++s) {
    FeatureRegisters one;
    FeatureParameters p{};
    p[(s - 1) % 4] = 9;
    EXPECT_EQ(one.set(static_cast<std::uint8_t>(0x91 + (s - 1) / 4), p), "");
    EXPECT_EQ(one.set(static_cast<std::uint8_t>(0xa0 + (s - 1) / 4), p), "");
    for (unsigned other = 0; other < nand::kMaxStates; ++other) {
      EXPECT_EQ(one.program().skip[other], other == s ? 9 : 0);
      EXPECT_EQ(one.read().offset[other], other == s ? 9 : 0);
    }
  }
  EXPECT_EQ(r.get(0x90), (FeatureParameters{0x5a, 0x01, 12, 34}));
}

TEST(FeatureRegisters, BadValuesLeaveTheRegisterAsItWas) {
  FeatureRegisters r;
  for (const std::uint8_t senses : {4, 6, 8, 255}) {
    EXPECT_NE(r.set(kFeatureSoftSenses, {senses, 0, 0, 0}), "");
  }
  EXPECT_NE(r.set(kFeatureProgramPass, {3, 0, 0, 0}), "");
  for (unsigned f = 0xb0; f <= 0xb9; ++f) EXPECT_NE(r.set(static_cast<std::uint8_t>(f), {1, 0, 0, 0}), "");
  EXPECT_EQ(r.get(kFeatureSoftSenses), FeatureParameters{});
  EXPECT_EQ(r.read(), nand::ReadParameters{});
  EXPECT_EQ(r.program(), nand::ProgramParameters{});
}

TEST(FeatureRegisters, WritesBringADieFromOneToTheOther) {
  nand::ProgramParameters a;
  a.skip[1] = 2;
  a.skip[15] = 7;
  nand::ProgramParameters b;
  b.step = Millivolts(90);
  b.start_raise = Millivolts(160);
  b.skip[15] = 7;
  b.pass = nand::ProgramPass::kCoarse;
  FeatureRegisters r;
  for (const FeatureWrite& w : feature_writes({}, a)) EXPECT_EQ(r.set(w.feature, w.value), "");
  EXPECT_EQ(r.program(), a);
  const auto writes = feature_writes(a, b);
  EXPECT_EQ(writes.size(), 3U);  // 90h, 91h, 95h; 94h stays
  for (const FeatureWrite& w : writes) EXPECT_EQ(r.set(w.feature, w.value), "");
  EXPECT_EQ(r.program(), b);
  EXPECT_TRUE(feature_writes(b, b).empty());

  nand::ReadParameters read;
  read.step = 3;
  read.senses = 5;
  read.offset[2] = -9;
  read.offset[15] = 120;
  for (const FeatureWrite& w : feature_writes(nand::ReadParameters{}, read)) EXPECT_EQ(r.set(w.feature, w.value), "");
  EXPECT_EQ(r.read(), read);
  for (const FeatureWrite& w : feature_writes(read, nand::ReadParameters{})) EXPECT_EQ(r.set(w.feature, w.value), "");
  EXPECT_EQ(r.read(), nand::ReadParameters{});

  b.start_raise = Millivolts(2560);  // 256 units of 10 mV
  EXPECT_THROW(feature_writes(a, b), std::invalid_argument);
}

TEST(FeatureRegisters, AReportReadsBack) {
  nand::ProgramReport report;
  report.windows.loops = 20;
  report.windows.states = 15;
  for (unsigned s = 1; s <= 15; ++s) {
    report.windows.min[s] = static_cast<std::uint8_t>(s);
    report.windows.max[s] = static_cast<std::uint8_t>(s + 5);
  }
  report.ber_ep1 = 1.234567e-4;
  FeatureRegisters r;
  r.report(&report, false);
  std::array<FeatureParameters, 10> raw{};
  for (unsigned i = 0; i < 10; ++i) raw[i] = r.get(static_cast<std::uint8_t>(0xb0 + i));
  const MeasuredProgram m = measured_program(raw);
  EXPECT_EQ(m.report.windows.min, report.windows.min);
  EXPECT_EQ(m.report.windows.max, report.windows.max);
  EXPECT_EQ(m.report.windows.loops, 20);
  EXPECT_NEAR(m.report.ber_ep1, report.ber_ep1, 0.5e-9);
  EXPECT_FALSE(m.failed);
  r.report(nullptr, true);
  EXPECT_EQ(r.get(kFeatureLoopWindows), FeatureParameters{});
  EXPECT_EQ(r.get(kFeatureProgramResult)[0], 1);
}

TEST(SoftPlanes, HoldTheBins) {
  EXPECT_EQ(soft_planes(1), 0U);
  EXPECT_EQ(soft_planes(2), 1U);
  EXPECT_EQ(soft_planes(3), 2U);
  EXPECT_EQ(soft_planes(5), 3U);
  EXPECT_EQ(soft_planes(7), 3U);
}

TEST(TimingModeFeature, EveryModeReadsBack) {
  for (const config::BusModeName& m : config::bus_modes()) {
    EXPECT_EQ(timing_mode(timing_mode_value(m.mode), m.mode.interface), m.mode) << m.name;
  }
  EXPECT_EQ(timing_mode_value({config::BusInterface::kNvDdr3, 10})[0], 0x2a);
  EXPECT_EQ(timing_mode_value({config::BusInterface::kNvDdr3, 19})[0], 0x63);
  EXPECT_EQ(timing_mode_value({config::BusInterface::kSdr, 5})[0], 0x05);
  EXPECT_FALSE(timing_mode({0x06, 0, 0, 0}, config::BusInterface::kNvDdr3));  // SDR has no mode 6
  EXPECT_FALSE(timing_mode({0x15, 0, 0, 0}, config::BusInterface::kNvDdr3));  // NV-DDR
  EXPECT_FALSE(timing_mode({0x2b, 0, 0, 0}, config::BusInterface::kNvDdr2));
}

TEST(TimingModeFeature, AfterReset) {
  using config::BusInterface;
  EXPECT_EQ(mode_after_reset({BusInterface::kSdr, 4}), (config::BusMode{BusInterface::kSdr, 4}));
  EXPECT_EQ(mode_after_reset({BusInterface::kNvDdr2, 7}), (config::BusMode{BusInterface::kSdr, 0}));
  EXPECT_EQ(mode_after_reset({BusInterface::kNvDdr3, 12}), (config::BusMode{BusInterface::kNvDdr3, 0}));
}

}  // namespace
}  // namespace wordline::onfi::features_test
