// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The protocol that firmware follows to survive power cuts, tried without it: many cuts cost little here. The whole
// protocol holds; with one rule broken, a cut is found that loses data, or the drive.
//
// WORDLINE_CRASH_CUTS=100000 tries so many cuts of each kind instead of some thousand; WORDLINE_CRASH_REPLAY='...' with
// a line that a failing test has printed repeats that failure alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "schedule.h"

namespace wordline::persist_model::crash_model_test {
namespace {

std::uint64_t cuts_wanted(std::uint64_t otherwise) {
  const char* text = std::getenv("WORDLINE_CRASH_CUTS");
  return text == nullptr ? otherwise : std::max<std::uint64_t>(otherwise, std::strtoull(text, nullptr, 10));
}

struct Found {
  Outcome outcome;
  std::uint64_t seed = 0, cuts = 0, cuts_in_mount = 0;
};

/// Runs until `cuts` power cuts have gone by, or one has done harm.
Found search(const Conditions& conditions, std::uint64_t cuts) {
  Found found;
  for (; found.cuts < cuts; ++found.seed) {
    found.outcome = run(conditions, found.seed);
    found.cuts += found.outcome.cuts;
    found.cuts_in_mount += found.outcome.cuts_in_mount;
    if (found.outcome.failure != Failure::kNone) break;
  }
  return found;
}

std::string replay_line(const Outcome& failing) {
  const Schedule s = shrunk(failing.schedule);
  return std::string(name_of(replay(s).failure)) + ": WORDLINE_CRASH_REPLAY='" + s.line() + "'";
}

constexpr Damage kNoDamage{}, kUnstable{true, false}, kPaired{false, true}, kBoth{true, true};

TEST(CrashModel, TheWholeProtocolHolds) {
  for (const Damage damage : {kNoDamage, kUnstable, kPaired, kBoth}) {
    const Found found = search({std::nullopt, damage}, cuts_wanted(4000));
    std::cout << (damage.unstable ? "unstable" : "stable") << (damage.paired ? " paired: " : " single: ") << found.cuts
              << " cuts, " << found.cuts_in_mount << " of them in a mount\n";
    EXPECT_EQ(found.outcome.failure, Failure::kNone) << "seed " << found.seed << ", " << replay_line(found.outcome);
    EXPECT_GT(found.cuts_in_mount, damage.unstable ? found.cuts / 10 : 0);
  }
}

/// The damage without which a rule is not needed.
Damage damage_for(Rule rule) {
  switch (rule) {
    case Rule::kDoubtfulCopied:
    case Rule::kMountErasesLast:
    case Rule::kAnswersAfterErases:
    case Rule::kErasesOnOwnRecord:
    case Rule::kRecordsVouch:
      return kUnstable;
    case Rule::kClosingApart:
      return kBoth;
    case Rule::kPairsComplete:
      return kPaired;
    default:
      return kNoDamage;
  }
}

class BrokenRule : public ::testing::TestWithParam<RuleName> {};

TEST_P(BrokenRule, IsFound) {
  const auto [rule, name] = GetParam();
  const Found found = search({rule, damage_for(rule)}, cuts_wanted(60000));
  ASSERT_NE(found.outcome.failure, Failure::kNone) << "not found in " << found.cuts << " cuts";
  const Schedule s = shrunk(found.outcome.schedule);
  std::cout << name << ": found after " << found.cuts << " cuts, seed " << found.seed << ", "
            << name_of(found.outcome.failure) << ", " << found.outcome.schedule.actions.size() << " actions\n  "
            << name_of(replay(s).failure) << " in " << s.actions.size() << ": WORDLINE_CRASH_REPLAY='" << s.line()
            << "'\n";
  EXPECT_LE(s.actions.size(), found.outcome.schedule.actions.size());
  const Schedule again = Schedule::parse(s.line());
  EXPECT_NE(replay(again).failure, Failure::kNone);
  Schedule kept = again;
  kept.conditions.broken.reset();
  EXPECT_EQ(replay(kept).failure, Failure::kNone) << "fails without the broken rule, too: " << kept.line();
}

INSTANTIATE_TEST_SUITE_P(CrashModel, BrokenRule, ::testing::ValuesIn(kRules),
                         [](const auto& info) { return std::string(info.param.name); });

/// Carries out the schedule, cuts power, and once more after `steps` steps of the mount (none: not again). Returns
/// whether the mount takes as many steps.
bool cut_twice(const Schedule& schedule, std::uint32_t steps, std::uint64_t* cuts) {
  Drive drive(schedule.conditions);
  Failure failure = Failure::kNone;
  const auto act = [&](Action a) {
    if (failure == Failure::kNone) failure = drive.act(a);
  };
  for (const Action& a : schedule.actions) act(a);
  act({'x', steps});
  Dice dice(steps);
  for (std::uint32_t n = 0; n != steps && !drive.ftl().mounted(); ++n) {
    const std::vector<Action> may = drive.ftl().steps();
    act(may[dice.below(may.size())]);
  }
  const bool mounting = !drive.ftl().mounted();
  if (steps != 0 && mounting) act({'x', steps + 1});
  act({'q', steps});
  *cuts += drive.cuts();
  EXPECT_EQ(failure, Failure::kNone) << name_of(failure) << ", cut again after " << steps
                                     << " steps of the mount: " << schedule.line();
  return mounting && failure == Failure::kNone;
}

/// Cuts after every action, and again after every step of the mounts that follow.
TEST(CrashModel, HoldsWhereverAScheduleIsCut) {
  std::uint64_t cuts = 0;
  for (const Damage damage : {kNoDamage, kUnstable, kBoth}) {
    const Schedule all = run({std::nullopt, damage}, 1).schedule;
    for (std::size_t n = 0; n <= std::min<std::size_t>(all.actions.size(), 400); ++n) {
      const Schedule first{all.conditions, {all.actions.begin(), all.actions.begin() + static_cast<std::ptrdiff_t>(n)}};
      for (std::uint32_t steps = 0; cut_twice(first, steps, &cuts) || steps == 0; ++steps) {
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  std::cout << cuts << " cuts\n";
  EXPECT_GT(cuts, 10000U);
}

TEST(CrashModel, ALineIsReplayed) {
  const std::string line = "none unstable paired w3 a0 f0 p0 d0 x17 q1";
  EXPECT_EQ(Schedule::parse(line).line(), line);
  EXPECT_EQ(replay(Schedule::parse(line)).failure, Failure::kNone);
  EXPECT_THROW((void)Schedule::parse("nonsense stable single w3"), std::invalid_argument);
  EXPECT_THROW((void)Schedule::parse("none stable single k3"), std::invalid_argument);
  if (const char* given = std::getenv("WORDLINE_CRASH_REPLAY")) {
    const Outcome outcome = replay(Schedule::parse(given));
    EXPECT_EQ(outcome.failure, Failure::kNone)
        << name_of(outcome.failure) << " at action " << outcome.schedule.actions.size();
  }
}

}  // namespace
}  // namespace wordline::persist_model::crash_model_test
