// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every rule at its limit: on time passes, one picosecond early is a violation of that rule and of no other.
#include "tlm/device/flash/bus/timing_checker.h"

#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/device/flash/timing_checker_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::timing_checker_test {
namespace {

using namespace wordline::literals;
using namespace checker_bench;
using flash::OnfiTransaction;
using flash::TimingChecker;
using onfi::SegmentKind;

TEST(TimingChecker, Overlap) {
  // Two packages, so that nothing but the wires is shared.
  expect_tight(
      "overlap", kStart + kCommand7, 0_ps, [](TimingChecker& c) { c.segment(read(kStart, 0x30, 0)); },
      [](Picoseconds at) { return read(at, 0x30, 1); });
}

TEST(TimingChecker, ALengthMayBeLongerWhereItIsSaidSo) {
  expect_reports(true);
  const auto violations = [](const char* name, TimingChecker::Lengths lengths, Picoseconds off) {
    TimingChecker c(name, reference_config().channels, lengths);
    OnfiTransaction t = read(kStart);
    t.end += off;
    c.segment(t);
    return c.violations();
  };
  EXPECT_EQ(violations("longer", TimingChecker::Lengths::kAtLeast, 1_ps), 0U);
  EXPECT_EQ(violations("as_long", TimingChecker::Lengths::kAtLeast, 0_ps), 0U);
  EXPECT_EQ(violations("shorter", TimingChecker::Lengths::kAtLeast, 0_ps - 1_ps), 1U);
  EXPECT_EQ(violations("exact", TimingChecker::Lengths::kExact, 1_ps), 1U);
}

TEST(TimingChecker, TwbBeforeStatus) {
  expect_tight(
      "tWB", kStart + kCommand7 + 100_ns, 100_ns, [](TimingChecker& c) { c.segment(read(kStart)); },
      [](Picoseconds at) { return status(at); });
}

TEST(TimingChecker, TwbIsTheLatestFallOfReadyBusy) {
  expect_reports(true);
  TimingChecker c("checker", reference_config().channels);
  c.segment(read(kStart));
  c.ready_busy(0, false, kStart + kCommand7 + 100_ns);
  EXPECT_EQ(c.violations(), 0U);
  TimingChecker late("late", reference_config().channels);
  late.segment(read(kStart));
  late.ready_busy(0, false, kStart + kCommand7 + 100_ns + 1_ps);
  EXPECT_EQ(late.violations(), 1U);
  EXPECT_EQ(late.last_violation().rule, "tWB");
  TimingChecker unasked("unasked", reference_config().channels);
  unasked.ready_busy(0, false, kStart);
  EXPECT_EQ(unasked.violations(), 1U);
}

TEST(TimingChecker, TrrBeforeData) {
  expect_tight(
      "tRR", 40_us + 20_ns, 20_ns, [](TimingChecker& c) { finished_read(c, 40_us); },
      [](Picoseconds at) { return data_out(at); });
}

TEST(TimingChecker, TadlBeforeData) {
  expect_tight(
      "tADL", kStart + kCommand6 + 400_ns, 400_ns, [](TimingChecker& c) { c.segment(load(kStart)); },
      [](Picoseconds at) { return data_in(at); });
}

TEST(TimingChecker, TccsAfterChangeColumn) {
  expect_tight(
      "tCCS", 50_us + kCommand7 + 400_ns, 400_ns,
      [](TimingChecker& c) {
        finished_read(c, 40_us);
        c.segment(change_column(50_us));
      },
      [](Picoseconds at) { return data_out(at); });
}

TEST(TimingChecker, TwhrAfterReadMode) {
  expect_tight(
      "tWHR", 50_us + kCommand1 + 80_ns, 80_ns,
      [](TimingChecker& c) {
        finished_read(c, 40_us);
        c.segment(confirm(0x00, 50_us));
      },
      [](Picoseconds at) { return data_out(at); });
}

TEST(TimingChecker, TrhwAfterDataOut) {
  expect_tight(
      "tRHW", 50_us + kLpageOut + 100_ns, 100_ns,
      [](TimingChecker& c) {
        finished_read(c, 40_us);
        c.segment(data_out(50_us));
      },
      [](Picoseconds at) { return read(at); });
}

TEST(TimingChecker, TrhwAfterStatus) {
  expect_tight(
      "tRHW", 50_us + kStatusLength + 100_ns, 100_ns,
      [](TimingChecker& c) {
        finished_read(c, 40_us);
        c.segment(status(50_us));
      },
      [](Picoseconds at) { return status(at); });
}

TEST(TimingChecker, TrhwIsOfThePackage) {
  TimingChecker c("checker", reference_config().channels);
  finished_read(c, 40_us);
  c.segment(data_out(50_us, 0));
  c.segment(read(50_us + kLpageOut, 0x30, 1));  // another chip enable
  EXPECT_EQ(c.violations(), 0U);
}

TEST(TimingChecker, TdbsyBetweenPlanes) {
  expect_tight(
      "tDBSY", kStart + kCommand7 + 600_ns, 600_ns, [](TimingChecker& c) { c.segment(read(kStart, 0x32)); },
      [](Picoseconds at) { return read(at); });
  const auto erase = [](Picoseconds at, std::uint8_t code) {
    return segment(SegmentKind::kCommand, 0x60, 3, code, 0, at, kCommand5);
  };
  expect_tight(
      "tDBSY", kStart + kCommand5 + 600_ns, 600_ns, [&](TimingChecker& c) { c.segment(erase(kStart, 0xd1)); },
      [&](Picoseconds at) { return erase(at, 0xd0); });
}

TEST(TimingChecker, TdbsyBetweenLoads) {
  for (const std::uint8_t code : {0x11, 0x1a}) {
    expect_tight(
        "tDBSY", 50_us + kCommand1 + 600_ns, 600_ns, [&](TimingChecker& c) { c.segment(confirm(code, 50_us)); },
        [](Picoseconds at) { return load(at); });
  }
}

TEST(TimingChecker, TfeatAfterSetFeatures) {
  expect_tight(
      "tFEAT", kStart + kSetLength + 1_us + 100_ns, 1_us + 100_ns,
      [](TimingChecker& c) { c.segment(set_features(kStart)); }, [](Picoseconds at) { return read(at); });
}

TEST(TimingChecker, TfeatAndTrrBeforeFeatureData) {
  const Picoseconds ready = kStart + kCommand2 + 100_ns + 1_us;
  expect_tight(
      "tRR", ready + 20_ns, 20_ns,
      [&](TimingChecker& c) {
        c.segment(get_features(kStart));
        c.ready_busy(0, false, ready - 1_us);
        c.ready_busy(0, true, ready);
      },
      [](Picoseconds at) { return segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, at, kFeatureLength); });
  expect_tight(
      "tFEAT", ready, 1_us + 100_ns, [](TimingChecker& c) { c.segment(get_features(kStart)); },
      [](Picoseconds at) { return segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, at, kFeatureLength); });
}

TEST(TimingChecker, BusyLunTakesStatusOnly) {
  expect_reports(true);
  TimingChecker c("checker", reference_config().channels);
  c.segment(read(kStart));
  c.ready_busy(0, false, kStart + kCommand7 + 100_ns);
  c.segment(status(10_us));
  c.segment(read(11_us, 0x30, 1));  // the other die
  EXPECT_EQ(c.violations(), 0U);
  c.segment(read(12_us));
  EXPECT_EQ(c.violations(), 1U);
  EXPECT_EQ(c.last_violation().rule, "tR");
  EXPECT_EQ(reports_seen(), 1U);
}

TEST(TimingChecker, ReadyAnnouncedAheadCountsFromItsTime) {
  // RESET: the die tells at once when it will be ready.
  const Picoseconds begin = kStart + kCommand1;
  expect_tight(
      "tRST", begin + 100_ns + 5_us, 5_us + 100_ns,
      [&](TimingChecker& c) {
        c.segment(segment(SegmentKind::kReset, 0xff, 0, 0, 0, kStart, kCommand1));
        c.ready_busy(0, false, begin + 100_ns);
        c.ready_busy(0, true, begin + 100_ns + 5_us);
      },
      [](Picoseconds at) { return read(at); });
}

TEST(TimingChecker, LengthOfEveryKindToThePicosecond) {
  expect_reports(true);
  const OnfiTransaction all[] = {read(kStart),
                                 status(kStart),
                                 data_out(kStart),
                                 data_in(kStart),
                                 set_features(kStart),
                                 get_features(kStart),
                                 change_column(kStart),
                                 load(kStart),
                                 segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, kStart, kFeatureLength),
                                 segment(SegmentKind::kStatus, 0x78, 3, 0, 0, kStart, kStatusLength + 75_ns),
                                 segment(SegmentKind::kReset, 0xff, 0, 0, 0, kStart, kCommand1)};
  unsigned index = 0;
  for (const OnfiTransaction& exact : all) {
    for (const std::int64_t off : {-1, 0, 1}) {
      TimingChecker c(("checker" + std::to_string(index++)).c_str(), reference_config().channels);
      OnfiTransaction t = exact;
      t.end += Picoseconds(off);
      c.segment(t);
      EXPECT_EQ(c.violations(), off == 0 ? 0U : 1U) << "kind " << static_cast<int>(t.kind) << " off by " << off;
      EXPECT_EQ(c.last_violation().rule, off == 0 ? "" : "length");
    }
  }
}

TEST(TimingChecker, AChipEnableThatDoesNotExist) {
  expect_reports(true);
  TimingChecker c("checker", reference_config().channels);
  c.segment(read(kStart, 0x30, 2));
  EXPECT_EQ(c.violations(), 1U);
  EXPECT_EQ(reports_seen(), 1U);
}

}  // namespace
}  // namespace wordline::testing::timing_checker_test
