// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What holds for a plan of any parameters, with parameters drawn and failures shrunk by RapidCheck.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "models/nand/cell_model.h"
#include "models/nand/plan.h"
#include "models/nand/program_parameters.h"

namespace wordline::nand::plan_properties_test {
namespace {

/// The same draws in every run; RC_PARAMS in the environment asks for others.
const int kSeeded = setenv("RC_PARAMS", "seed=2020 max_success=1000", 0);

Picoseconds any_time() { return Picoseconds(*rc::gen::inRange<std::int64_t>(1, 2'000'000'000)); }
double any_real(double low, double high) {
  return low + (high - low) * *rc::gen::inRange<std::uint32_t>(0, 1'000'001) / 1e6;
}

ProgramScheme any_scheme() {
  const unsigned states = (1U << *rc::gen::inRange<unsigned>(1, 5)) - 1;
  const double step = any_real(20, 500);
  const double window = step * *rc::gen::inRange<unsigned>(1, 60);
  const auto loops = static_cast<unsigned>(std::lround(window / step));
  ProgramParameters p;
  const unsigned start = *rc::gen::inRange<unsigned>(0, loops);
  const unsigned end = *rc::gen::inRange<unsigned>(0, loops - start);
  p.start_raise = Millivolts(step * start);
  p.final_cut = Millivolts(step * end);
  const unsigned state_loops = *rc::gen::inRange<unsigned>(1, 12);
  const IsppShape uncut = default_shape(loops, states, state_loops);
  for (unsigned s = 1; s <= states; ++s) {
    p.skip[s] = static_cast<std::uint8_t>(*rc::gen::inRange<unsigned>(0, uncut.last[s]));
  }
  return program_scheme(Millivolts(step), Millivolts(window), states, state_loops, p);
}

Plan any_plan() {
  const double watts = any_real(0, 2);
  StateLevels levels{};
  for (unsigned s = 1; s < kMaxStates; ++s) levels[s] = static_cast<float>(300 * s);
  Plan plan;
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      plan = Plan::read(any_time(), any_time(), any_time(),
                        static_cast<std::uint16_t>(*rc::gen::inRange<unsigned>(1, 1U << 15) << 1), levels, watts);
      break;
    case 1: {
      const ProgramScheme scheme = any_scheme();
      plan = Plan::program(any_time(), any_time(), scheme.shape, Millivolts(14000), scheme.step, levels, watts);
      break;
    }
    default:
      plan = Plan::erase(any_time(), any_time(), *rc::gen::inRange<unsigned>(1, 251), Millivolts(18000),
                         Millivolts(500), watts);
  }
  if (plan.operation() == Plan::Operation::kRead && *rc::gen::arbitrary<bool>()) {
    plan = plan.sensed(*rc::gen::inRange<unsigned>(1, 8), Millivolts(any_real(0, 100)), levels);
  }
  // A pinned total, not so short that micro-operations vanish.
  if (*rc::gen::arbitrary<bool>()) plan = plan.scaled_to(plan.total() + any_time());
  return plan;
}

TEST(PlanPropertiesTest, TotalIsTheSumOfMicroOperations) {
  ASSERT_EQ(kSeeded, 0);
  EXPECT_TRUE(rc::check("sum, count and order", [] {
    const Plan plan = any_plan();
    Picoseconds sum{};
    unsigned count = 0;
    plan.for_each([&](Picoseconds begin, const MicroOp& op) {
      RC_ASSERT(begin == sum);
      RC_ASSERT(op.duration.count() > 0);
      sum += op.duration;
      ++count;
    });
    RC_ASSERT(sum == plan.total());
    RC_ASSERT(count == plan.size());
  }));
}

TEST(PlanPropertiesTest, AtGivesTheMicroOperationOfTheList) {
  EXPECT_TRUE(rc::check("at(t)", [] {
    const Plan plan = any_plan();
    const Picoseconds t(*rc::gen::inRange<std::int64_t>(0, plan.total().count()));
    const Plan::Step step = plan.at(t);
    bool found = false;
    plan.for_each([&](Picoseconds begin, const MicroOp& op) {
      if (t < begin || t >= begin + op.duration) return;
      found = true;
      RC_ASSERT(step.begin == begin);
      RC_ASSERT(step.op.kind == op.kind);
      RC_ASSERT(step.op.state == op.state);
      RC_ASSERT(step.op.duration == op.duration);
      RC_ASSERT(step.op.voltage == op.voltage);
    });
    RC_ASSERT(found);
  }));
}

TEST(PlanPropertiesTest, ASuspendedOperationDoesTheSameMicroOperations) {
  EXPECT_TRUE(rc::check("suspend and resume, as often as one likes", [] {
    const Plan plan = any_plan();
    std::vector<MicroOp> whole;
    plan.for_each([&](Picoseconds, const MicroOp& op) { whole.push_back(op); });
    std::vector<MicroOp> parts;
    Picoseconds from{};
    Picoseconds run{};
    double energy = 0;
    while (from < plan.total()) {
      const Picoseconds asked(*rc::gen::inRange<std::int64_t>(from.count() + 1, plan.total().count() + 2));
      const Picoseconds to = plan.suspend_point(asked);
      RC_ASSERT(to > from);
      RC_ASSERT(to <= plan.total());
      // The boundary is the next one: the micro-operation that ends there was under way when the request came.
      if (asked < plan.total()) {
        const Plan::Step step = plan.at(asked);
        RC_ASSERT(to == (step.begin == asked ? asked : step.begin + step.op.duration));
      }
      plan.for_each(from, to, [&](Picoseconds begin, const MicroOp& op) {
        RC_ASSERT(begin >= from);
        RC_ASSERT(begin + op.duration <= to);
        parts.push_back(op);
        run += op.duration;
      });
      energy += plan.energy_until(to).count() - plan.energy_until(from).count();
      from = to;
    }
    RC_ASSERT(run == plan.total());
    RC_ASSERT(std::fabs(energy - plan.energy().count()) <= 1e-9 * plan.energy().count());
    RC_ASSERT(parts.size() == whole.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      RC_ASSERT(parts[i].kind == whole[i].kind);
      RC_ASSERT(parts[i].state == whole[i].state);
      RC_ASSERT(parts[i].duration == whole[i].duration);
      RC_ASSERT(parts[i].voltage == whole[i].voltage);
    }
  }));
}

TEST(PlanPropertiesTest, EnergyAddsUpAndNothingIsNegativeOrUndefined) {
  EXPECT_TRUE(rc::check("energy", [] {
    const Plan plan = any_plan();
    double energy = 0;
    plan.for_each([&](Picoseconds, const MicroOp& op) {
      RC_ASSERT(std::isfinite(op.energy.count()));
      RC_ASSERT(op.energy.count() >= 0);
      RC_ASSERT(std::isfinite(op.voltage.count()));
      // The lowest soft sense of the lowest reference, 300 mV, lies at most 300 mV below it.
      RC_ASSERT(op.voltage.count() >= 0);
      energy += op.energy.count();
    });
    RC_ASSERT(std::fabs(energy - plan.energy().count()) <= 1e-9 * plan.energy().count());
  }));
}

TEST(PlanPropertiesTest, SkippingAndCuttingNeverLengthenAProgram) {
  EXPECT_TRUE(rc::check("shorter", [] {
    const ProgramScheme scheme = any_scheme();
    const Picoseconds pulse = any_time();
    const Picoseconds verify = any_time();
    const IsppShape uncut = default_shape(scheme.windows.loops, scheme.windows.states, 1);
    RC_ASSERT(scheme.shape.loops <= uncut.loops);
    const Plan plan = Plan::program(pulse, verify, scheme.shape, {}, scheme.step, {}, 1);
    // Every state verified in every loop is the longest program there is.
    RC_ASSERT(plan.total() <= (pulse + verify * std::int64_t{scheme.windows.states}) * std::int64_t{uncut.loops});
  }));
}

TEST(PlanPropertiesTest, ProgrammedRatesAreProbabilitiesAndCrossingsSumToThem) {
  EXPECT_TRUE(rc::check("programmed rates", [] {
    const auto cell = static_cast<config::CellType>(*rc::gen::inRange(1, 5));
    const VthDistribution vth =
        vth_distribution(cell, Millivolts(180), any_real(0, 5000), any_real(0, 400), 30, kEarliest3dDays);
    ProgramParameters p;
    const unsigned states = vth.states - 1;
    const double step = any_real(60, 300);
    const double window = step * *rc::gen::inRange<unsigned>(4, 30);
    const auto loops = static_cast<unsigned>(std::lround(window / step));
    p.start_raise = Millivolts(step * *rc::gen::inRange<unsigned>(0, 3));
    const IsppShape uncut = default_shape(loops, states, 3);
    for (unsigned s = 1; s <= states; ++s) {
      p.skip[s] = static_cast<std::uint8_t>(*rc::gen::inRange<unsigned>(0, uncut.last[s]));
    }
    p.pass = *rc::gen::element(ProgramPass::kWhole, ProgramPass::kFine);
    const ProgramScheme scheme =
        shifted_windows(program_scheme(Millivolts(step), Millivolts(window), states, 3, p), *rc::gen::inRange(-1, 2));
    const VthDistribution left = placed(vth, scheme);
    const References references = retry_references(cell, *rc::gen::inRange<unsigned>(0, kRetrySteps));
    double sum = 0;
    for (unsigned r = 1; r < vth.states; ++r) {
      const Crossings c = programmed_crossings(left, scheme, r, references[r]);
      RC_ASSERT(c.above >= 0);
      RC_ASSERT(c.below >= 0);
      sum += c.above + c.below;
    }
    const double rate = programmed_rber(left, references, 0xfffe, scheme);
    const double blocked = blocked_strings(left, scheme);
    RC_ASSERT(blocked >= 0);
    RC_ASSERT(blocked <= 1);
    RC_ASSERT(std::isfinite(rate));
    RC_ASSERT(rate >= 0);
    RC_ASSERT(std::fabs(rate - (sum + blocked * (0.5 - sum))) <= 1e-9 * (1 + sum));
  }));
}

TEST(PlanPropertiesTest, RatesAreProbabilities) {
  EXPECT_TRUE(rc::check("rates", [] {
    const auto cell = static_cast<config::CellType>(*rc::gen::inRange(1, 5));
    const VthDistribution vth =
        read_disturbed(vth_distribution(cell, Millivolts(any_real(20, 500)), any_real(0, 20'000), any_real(0, 4000),
                                        any_real(-40, 125)),
                       any_real(0, 20'000), any_real(0, 1e6));
    for (unsigned s = 0; s < vth.states; ++s) {
      RC_ASSERT(std::isfinite(vth.mean[s]));
      RC_ASSERT(std::isfinite(vth.sigma[s]));
      RC_ASSERT(vth.sigma[s] > 0);
    }
    for (unsigned step = 0; step < kRetrySteps; ++step) {
      const double rate = mean_rber(vth, retry_references(cell, step));
      RC_ASSERT(rate >= 0);
      RC_ASSERT(rate <= 1);
    }
  }));
}

}  // namespace
}  // namespace wordline::nand::plan_properties_test
