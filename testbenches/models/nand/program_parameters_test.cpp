// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/program_parameters.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/nand/timing.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::program_parameters_test {
namespace {

using namespace wordline::literals;
using config::CellType;
using config::ProgramGranularity;
using testing::Device;

constexpr Picoseconds kPulse = 52'600_ns;
constexpr Picoseconds kVerify = 5400_ns;

Plan plan_of(const ProgramScheme& scheme, Picoseconds pulse = kPulse, Picoseconds verify = kVerify) {
  return Plan::program(pulse, verify, scheme.shape, Millivolts(14000), scheme.step, {}, 0.1);
}
ProgramScheme tlc_scheme(const ProgramParameters& parameters) {
  return program_scheme(Millivolts(180), Millivolts(1624), 7, 3, parameters);
}
/// The same program in loops of half the step.
ProgramScheme fine_scheme(const ProgramParameters& parameters) {
  return program_scheme(Millivolts(90), Millivolts(1624), 7, 6, parameters);
}
double saving(const Plan& plan, const Plan& base) {
  return 1 - static_cast<double>(plan.total().count()) / static_cast<double>(base.total().count());
}
ProgramParameters cut(double start, double final) {
  ProgramParameters p;
  p.start_raise = Millivolts(start);
  p.final_cut = Millivolts(final);
  return p;
}

// cube.prog.eq1, cube.prog.maxloop, cube.prog.mlc_vfy, cube.prog.inhibit: after each pulse a verify for each state that
// is not finished.
TEST(ProgramParametersTest, EquationOneOfTheThesisIsTheTotal) {
  // tPROG = sum over MaxLoop loops of (tPGM + k_i tVFY), MaxLoop = (Vfinal - Vstart) / dVISPP: figure 5, MLC.
  const ProgramScheme scheme = program_scheme(Millivolts(300), Millivolts(2100), 3, 3, {});
  EXPECT_EQ(scheme.shape.loops, 7);
  const unsigned k[] = {3, 3, 3, 2, 2, 1, 1};
  Picoseconds total{};
  for (unsigned loop = 1; loop <= 7; ++loop) {
    EXPECT_EQ(scheme.shape.verifies(loop), k[loop - 1]) << loop;
    total += 140_us + 14'400_ns * static_cast<std::int64_t>(k[loop - 1]);
  }
  EXPECT_EQ(plan_of(scheme, 140_us, 14'400_ns).total(), total);
}

// cube.prog.eq2: the same by states.
TEST(ProgramParametersTest, EquationTwoOfTheThesisIsTheSameTotal) {
  // tPROG = sum over states of L_s (tPGM + V_s tVFY): L = (3, 2, 2), V = (3, 2, 1).
  const std::int64_t l[] = {3, 2, 2};
  const std::int64_t v[] = {3, 2, 1};
  Picoseconds total{};
  for (unsigned s = 0; s < 3; ++s) total += (140_us + 14'400_ns * v[s]) * l[s];
  const Plan plan = plan_of(program_scheme(Millivolts(300), Millivolts(2100), 3, 3, {}), 140_us, 14'400_ns);
  EXPECT_EQ(plan.total(), total);
  EXPECT_EQ(plan.size(), 7U + 15U);
}

TEST(ProgramParametersTest, MlcExampleNeedsSevenVerifiesWithTheSkip) {
  StateLoops l_min{};
  StateLoops l_max{};
  for (unsigned s = 1; s <= 3; ++s) {
    l_min[s] = 1;
    l_max[s] = s == 1 ? 3 : 2;
  }
  ProgramParameters p;
  p.skip = safe_skips(cumulative_windows(3, l_min, l_max));
  EXPECT_EQ(p.skip[1], 0);
  EXPECT_EQ(p.skip[2], 3);  // as the thesis counts them
  EXPECT_EQ(p.skip[3], 5);
  const ProgramScheme scheme = program_scheme(Millivolts(300), Millivolts(2100), 3, 3, p);
  EXPECT_EQ(scheme.shape.loops, 7);
  EXPECT_EQ(scheme.shape.total_verifies(), 7U);
}

// cube.skip.p7_safe, cube.skip.p1_safe, cube.skip.p7_lmin, cube.skip.p7_lmax: Fig. 12 of the thesis.
TEST(ProgramParametersTest, P7SkipsSevenVerifiesAndP1One) {
  // Figure 12(a) takes Lmin = Lmax: the middle of windows of three loops. Figure 12(b): P7 passes in loops 7 to 9.
  PassWindows windows = pass_windows(9, 7, 3);
  EXPECT_EQ(windows.min[7], 7);
  EXPECT_EQ(windows.max[7], 9);
  for (unsigned s = 1; s <= 7; ++s) windows.min[s] = windows.max[s] = static_cast<std::uint8_t>(windows.max[s] - 1);
  const StateLoops skips = safe_skips(windows);
  EXPECT_EQ(skips[7], 7);
  EXPECT_EQ(skips[1], 1);
}

TEST(ProgramParametersTest, VerifySkipSavesSixteenPercentInBothStepSizes) {
  ProgramParameters p;
  p.skip = safe_skips(tlc_scheme({}).windows);
  EXPECT_NEAR(saving(plan_of(tlc_scheme(p)), plan_of(tlc_scheme({}))), 0.162, 0.0005);
  EXPECT_EQ(tlc_scheme(p).shape.total_verifies(), 21U);
  p.skip = safe_skips(fine_scheme({}).windows);
  const Plan base = plan_of(fine_scheme({}), 26'300_ns, 2700_ns);
  EXPECT_EQ(base.total(), 700'200_ns);
  EXPECT_NEAR(saving(plan_of(fine_scheme(p), 26'300_ns, 2700_ns), base), 0.162, 0.0005);
}

// cube.maxloop.proportional: on the average over layers, since loops are whole.
TEST(ProgramParametersTest, MaxLoopCutSavesTwentyPercentOnAverageOverLayers) {
  // 320 mV are 1.78 loops of 180 mV: one loop in 22 % of the layers, two in 78 %.
  const Plan base = plan_of(tlc_scheme({}));
  const double one = saving(plan_of(tlc_scheme(cut(180, 0))), base);
  const double two = saving(plan_of(tlc_scheme(cut(160, 160))), base);
  EXPECT_EQ(tlc_scheme(cut(160, 160)).shape.loops, 7);
  EXPECT_EQ(tlc_scheme(cut(160, 160)).loops_dropped_at_start, 1U);
  EXPECT_NEAR(one, 0.129, 0.001);
  EXPECT_NEAR(two, 0.212, 0.001);
  const double part = 320.0 / 180 - 1;
  EXPECT_NEAR(one + part * (two - one), 0.197, 0.005);
  // In half the step, 3.55 loops.
  const Plan fine = plan_of(fine_scheme({}), 26'300_ns, 2700_ns);
  const double three = saving(plan_of(fine_scheme(cut(180, 90)), 26'300_ns, 2700_ns), fine);
  const double four = saving(plan_of(fine_scheme(cut(160, 160)), 26'300_ns, 2700_ns), fine);
  EXPECT_NEAR(three + (320.0 / 90 - 3) * (four - three), 0.197, 0.005);
  // Proportional to the window, as the thesis has it.
  EXPECT_NEAR(320.0 / 1624, 0.197, 0.0005);
  EXPECT_NEAR(130.0 / 1624, 0.08, 0.0005);
}

TEST(ProgramParametersTest, BothSaveAThird) {
  // The thesis adds both on the uncut program, 35.9 %; one program that has both saves less, because a dropped loop has
  // fewer verifies left to save.
  const Plan base = plan_of(tlc_scheme({}));
  ProgramParameters skip;
  skip.skip = safe_skips(tlc_scheme({}).windows);
  const double one = saving(plan_of(tlc_scheme(cut(180, 0))), base);
  const double two = saving(plan_of(tlc_scheme(cut(160, 160))), base);
  const double added = saving(plan_of(tlc_scheme(skip)), base) + one + (320.0 / 180 - 1) * (two - one);
  EXPECT_GT(added, 0.33);
  EXPECT_LT(added, 0.36);
  ProgramParameters both = cut(0, 320);
  both.skip = skip.skip;
  EXPECT_NEAR(saving(plan_of(tlc_scheme(both)), base), 0.335, 0.001);
  both = cut(160, 160);
  both.skip = skip.skip;
  EXPECT_NEAR(saving(plan_of(tlc_scheme(both)), base), 0.328, 0.001);
}

TEST(ProgramParametersTest, TheStepWidensStatesAsTheDevicesStepWould) {
  const VthDistribution device = vth_distribution(CellType::kTlc, Millivolts(180), 2000, 90, 30);
  for (const double step : {90.0, 270.0, 360.0}) {
    ProgramParameters p;
    p.step = Millivolts(step);
    const VthDistribution left = placed(device, tlc_scheme(p));
    const VthDistribution other = vth_distribution(CellType::kTlc, Millivolts(step), 2000, 90, 30);
    // A layer that widens states widens this part too.
    const VthDistribution wide = placed(widened(device, 1.1), tlc_scheme(p), 1.1);
    for (unsigned s = 0; s < 8; ++s) {
      EXPECT_EQ(left.mean[s], other.mean[s]);
      EXPECT_NEAR(left.sigma[s], other.sigma[s], 1e-9) << s;
      EXPECT_NEAR(wide.sigma[s], 1.1 * other.sigma[s], 1e-9) << s;
    }
  }
  ProgramParameters coarse;
  coarse.pass = ProgramPass::kCoarse;
  EXPECT_EQ(tlc_scheme(coarse).step.count(), 360);
  EXPECT_NEAR(placed(device, tlc_scheme(coarse)).mean[3], device.mean[3] - 360 / kMillivoltsPerUnit, 1e-9);
}

class ProgrammedRber : public ::testing::Test {
 protected:
  static constexpr std::uint16_t kAll = 0xfe;
  VthDistribution vth_ = vth_distribution(CellType::kTlc, Millivolts(180), 2000, 365, 30);
  References references_ = optimal_references(vth_);
  double rate(const ProgramParameters& p, std::uint16_t mask = kAll) const {
    return programmed_rber(vth_, references_, mask, tlc_scheme(p));
  }
};

TEST_F(ProgrammedRber, DefaultProgramAndSafeSkipsCostNothing) {
  const double base = page_rber(vth_, references_, kAll);
  EXPECT_NEAR(rate({}), base, 1e-9 * base);
  ProgramParameters p;
  p.skip = safe_skips(tlc_scheme({}).windows);
  EXPECT_NEAR(rate(p), base, 1e-9 * base);
}

// cube.skip.ber_monotone, cube.prog.interval: from the loop on in which the first cells of a state pass, each verify
// that is left out costs errors, two cost more than one.
TEST_F(ProgrammedRber, EverySkipBeyondTheSafeOnesCostsErrorsInEveryState) {
  const StateLoops safe = safe_skips(tlc_scheme({}).windows);
  for (unsigned s = 1; s <= 7; ++s) {
    double last = rate({});
    for (unsigned more = 1; more <= 2; ++more) {
      ProgramParameters p;
      p.skip = safe;
      p.skip[s] = static_cast<std::uint8_t>(safe[s] + more);
      EXPECT_GT(rate(p), last) << "P" << s << " skips " << int{p.skip[s]};
      last = rate(p);
    }
  }
}

// cube.maxloop.window_vs_ber: the narrower Vfinal - Vstart, the more errors.
TEST_F(ProgrammedRber, EveryDroppedLoopCostsErrors) {
  double last = rate({});
  for (unsigned loops = 1; loops <= 3; ++loops) {
    const double start = rate(cut(180.0 * loops, 0));
    const double final = rate(cut(0, 180.0 * loops));
    EXPECT_GT(start, last);
    EXPECT_GT(final, last);
    last = std::max(start, final);
  }
}

TEST(ProgramParametersTest, PlansOfADeviceTakeParameters) {
  for (const auto mode : {config::ArrayTiming::kDerived, config::ArrayTiming::kPinned}) {
    Device d = testing::tlc();
    d.nand.timing.mode = mode;
    d.nand.timing.t_r = {45_us};
    d.nand.timing.t_prog = {660_us};
    d.nand.timing.t_bers = 4_ms;
    const ArrayPlans plans(d.nand, d.layout);
    EXPECT_EQ(plans.program(0, 0, {}).total(), plans.program(0).total());
    EXPECT_EQ(plans.program(0, 0, {}).size(), plans.program(0).size());
    ProgramParameters p;
    p.skip = safe_skips(pass_windows(9, 7, 3));
    EXPECT_NEAR(saving(plans.program(0, 0, p), plans.program(0)), 0.162, 0.0005);
    EXPECT_LT(plans.program(0, 0, p).energy().count(), plans.program(0).energy().count());
    // A raised Vstart begins where the third pulse was.
    EXPECT_NEAR(plans.program(0, 0, cut(360, 0)).at(0_us).op.voltage.count(), 14'360, 1e-6);
    // Half the step: twice the loops and the verifies.
    ProgramParameters fine;
    fine.step = Millivolts(90);
    EXPECT_EQ(plans.program(0, 0, fine).size(), 18U + 84U);
  }
}

TEST(ProgramParametersTest, WhatCannotBeIsRefused) {
  EXPECT_THROW((void)tlc_scheme(cut(1620, 0)), std::invalid_argument);
  EXPECT_THROW((void)tlc_scheme(cut(-180, 0)), std::invalid_argument);
  ProgramParameters blind;
  blind.skip[1] = 3;
  EXPECT_THROW((void)tlc_scheme(blind), std::invalid_argument);
  EXPECT_THROW((void)cumulative_windows(3, {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::nand::program_parameters_test
