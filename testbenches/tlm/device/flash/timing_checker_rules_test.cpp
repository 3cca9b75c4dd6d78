// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A table of every wait between two segments of one LUN: on time nothing is said, one picosecond early exactly that
// rule.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "models/config/bus_modes.h"
#include "testbenches/tlm/device/flash/timing_checker_bench.h"

namespace wordline::testing::timing_checker_rules_test {
namespace {

using namespace wordline::literals;
using namespace checker_bench;
using flash::OnfiTransaction;
using flash::TimingChecker;
using onfi::SegmentKind;

/// One rule at its limit. `prepare` sends what comes before; `probe` is what may not come before `limit`.
struct Rule {
  const char* name;
  const char* between;
  Picoseconds limit;
  Picoseconds required;
  std::function<void(TimingChecker&)> prepare;
  std::function<OnfiTransaction(Picoseconds)> probe;
};

OnfiTransaction cycles(std::uint8_t opcode, std::uint8_t addresses, std::uint8_t second, Picoseconds at) {
  const unsigned count = 1U + addresses + (second != 0 ? 1U : 0U);
  return segment(SegmentKind::kCommand, opcode, addresses, second, 0, at, 20_ns + 25_ns * count);
}
OnfiTransaction reset(std::uint8_t opcode, Picoseconds at) {
  return segment(SegmentKind::kReset, opcode, 0, 0, 0, at, kCommand1);
}

/// A confirm at kStart that makes the LUN busy; R/B_n falls in time and rises at `ready`, known ahead or when it is
/// due.
std::function<void(TimingChecker&)> busy(OnfiTransaction confirm, Picoseconds ready) {
  return [=](TimingChecker& c) {
    c.segment(confirm);
    c.ready_busy(0, false, confirm.end + 100_ns);
    c.ready_busy(0, true, ready);
  };
}

std::vector<Rule> rules() {
  const auto next_read = [](Picoseconds at) { return read(at); };
  const Picoseconds ready = 700_us;
  std::vector<Rule> all;
  const auto array = [&](const char* name, const char* what, const OnfiTransaction& confirm) {
    // The rule names what the array does; `required` counts from the confirm.
    all.push_back({name, what, ready, ready - confirm.end, busy(confirm, ready), next_read});
  };
  array("tR", "30h to a command", read(kStart));
  array("tR", "35h to a command", read(kStart, 0x35));
  array("tPROG", "10h to a command", confirm(0x10, kStart));
  array("tPROG", "13h to a command", cycles(0x13, 5, 0, kStart));
  array("tBERS", "D0h to a command", cycles(0x60, 3, 0xd0, kStart));
  array("tBERS", "D2h to a command", cycles(0xd2, 0, 0, kStart));
  array("tRCBSY", "31h to a command", confirm(0x31, kStart));
  array("tRCBSY", "00h ADDR 31h to a command", read(kStart, 0x31));
  array("tRCBSY", "3Fh to a command", confirm(0x3f, kStart));
  array("tPCBSY", "15h to a command", confirm(0x15, kStart));
  array("tRST", "FFh to a command", reset(0xff, kStart));
  array("tRST", "FCh to a command", reset(0xfc, kStart));
  all.push_back({"tSUSP", "84h to a command", ready, ready - (100_us + 170_ns),
                 [=](TimingChecker& c) {
                   c.segment(confirm(0x10, kStart));
                   c.ready_busy(0, false, kStart + kCommand1 + 100_ns);
                   c.segment(cycles(0x84, 5, 0, 100_us));  // to a busy LUN: allowed
                   c.ready_busy(0, true, ready);
                 },
                 next_read});
  all.push_back({"tSUSP", "61h to a command", ready, ready - (100_us + 120_ns),
                 [=](TimingChecker& c) {
                   c.segment(cycles(0x60, 3, 0xd0, kStart));
                   c.ready_busy(0, false, kStart + kCommand5 + 100_ns);
                   c.segment(cycles(0x61, 3, 0, 100_us));
                   c.ready_busy(0, true, ready);
                 },
                 next_read});
  all.push_back({"tSUSP", "84h behind a ready LUN to a command", ready, ready - (100_us + 170_ns),
                 [=](TimingChecker& c) {
                   busy(confirm(0x15, kStart), 50_us)(c);
                   c.segment(cycles(0x84, 5, 0, 100_us));
                   c.ready_busy(0, false, 100_us + 170_ns + 100_ns);
                   c.ready_busy(0, true, ready);
                 },
                 next_read});
  all.push_back({"tWB", "15h to status", kStart + kCommand1 + 100_ns, 100_ns,
                 [](TimingChecker& c) { c.segment(confirm(0x15, kStart)); },
                 [](Picoseconds at) { return status(at); }});
  all.push_back({"tWB", "D0h to RESET", kStart + kCommand5 + 100_ns, 100_ns,
                 [](TimingChecker& c) { c.segment(cycles(0x60, 3, 0xd0, kStart)); },
                 [](Picoseconds at) { return reset(0xfa, at); }});
  all.push_back({"tRR", "READ CACHE to data", ready + 20_ns, 20_ns, busy(confirm(0x31, kStart), ready),
                 [](Picoseconds at) { return data_out(at); }});
  all.push_back({"tADL", "85h ADDR to data that change a copy", 10_us + kCommand6 + 400_ns, 400_ns,
                 [](TimingChecker& c) { c.segment(cycles(0x85, 5, 0, 10_us)); },
                 [](Picoseconds at) { return data_in(at); }});
  all.push_back({"tCCS", "85h C1 C2 to data in", 10_us + 95_ns + 400_ns, 400_ns,
                 [](TimingChecker& c) {
                   c.segment(load(kStart));
                   c.segment(cycles(0x85, 2, 0, 10_us));
                 },
                 [](Picoseconds at) { return data_in(at); }});
  all.push_back({"tCCS", "C0h N to data out", 10_us + kCommand2 + 400_ns, 400_ns,
                 [](TimingChecker& c) { c.segment(cycles(0xc0, 1, 0, 10_us)); },
                 [](Picoseconds at) { return data_out(at); }});
  all.push_back({"tRHW", "data out to C0h", 50_us + kLpageOut + 100_ns, 100_ns,
                 [](TimingChecker& c) { c.segment(data_out(50_us)); },
                 [](Picoseconds at) { return cycles(0xc0, 1, 0, at); }});
  all.push_back({"tFEAT", "EEh to RESET's successor", kStart + kCommand2 + 100_ns + 1_us, 1_us + 100_ns,
                 [](TimingChecker& c) { c.segment(get_features(kStart)); },
                 [](Picoseconds at) { return cycles(0x60, 3, 0xd0, at); }});
  // What goes before a program with parameters of its own, and after one with a report.
  all.push_back({"tFEAT", "EFh to the next EFh", kStart + kSetLength + 100_ns + 1_us, 1_us + 100_ns,
                 [](TimingChecker& c) { c.segment(set_features(kStart)); },
                 [](Picoseconds at) { return set_features(at); }});
  all.push_back({"tFEAT", "EFh to 80h ADDR", kStart + kSetLength + 100_ns + 1_us, 1_us + 100_ns,
                 [](TimingChecker& c) { c.segment(set_features(kStart)); }, [](Picoseconds at) { return load(at); }});
  all.push_back({"tRHW", "status to EEh", 10_us + kStatusLength + 100_ns, 100_ns,
                 [](TimingChecker& c) { c.segment(status(10_us)); }, [](Picoseconds at) { return get_features(at); }});
  all.push_back({"tRR", "EEh to its bytes", kStart + kCommand2 + 100_ns + 1_us + 20_ns, 20_ns,
                 [](TimingChecker& c) {
                   c.segment(get_features(kStart));
                   c.ready_busy(0, false, kStart + kCommand2 + 100_ns);
                   c.ready_busy(0, true, kStart + kCommand2 + 100_ns + 1_us);
                 },
                 [](Picoseconds at) { return segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, at, kFeatureLength); }});
  all.push_back(
      {"tRHW", "bytes of a feature to the next EEh", 10_us + kFeatureLength + 100_ns, 100_ns,
       [](TimingChecker& c) { c.segment(segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, 10_us, kFeatureLength)); },
       [](Picoseconds at) { return get_features(at); }});
  all.push_back({"tDBSY", "1Ah to 85h ADDR", kStart + kCommand1 + 600_ns, 600_ns,
                 [](TimingChecker& c) { c.segment(confirm(0x1a, kStart)); },
                 [](Picoseconds at) { return cycles(0x85, 5, 0, at); }});
  return all;
}

TEST(TimingCheckerRules, OnTimeIsLegalOnePicosecondEarlyIsNot) {
  expect_reports(true);
  unsigned index = 0;
  for (const Rule& rule : rules()) {
    const std::string label = std::string(rule.name) + ", " + rule.between;
    TimingChecker on_time(("on_time" + std::to_string(index)).c_str(), reference_config().channels);
    rule.prepare(on_time);
    on_time.segment(rule.probe(rule.limit));
    EXPECT_EQ(on_time.violations(), 0U) << label << ": " << on_time.last_violation().rule;

    TimingChecker early(("early" + std::to_string(index)).c_str(), reference_config().channels);
    rule.prepare(early);
    early.segment(rule.probe(rule.limit - 1_ps));
    EXPECT_EQ(early.violations(), 1U) << label;
    EXPECT_EQ(early.last_violation().rule, rule.name) << label;
    EXPECT_EQ(early.last_violation().required, rule.required) << label;
    EXPECT_EQ(early.last_violation().measured, rule.required - 1_ps) << label;
    ++index;
  }
  EXPECT_GE(index, 29U);
}

// tADL lies within EFh: from its address to its bytes, so one picosecond less of it makes the segment too short.
TEST(TimingCheckerRules, SetFeaturesKeepsTadl) {
  expect_reports(true);
  for (const Picoseconds less : {0_ps, 1_ps}) {
    TimingChecker c(less == 0_ps ? "on_time" : "early", reference_config().channels);
    const Picoseconds adl = 400_ns - less;
    c.segment(segment(SegmentKind::kSetFeatures, 0xef, 1, 0, 0, kStart, kCommand2 + adl + 46'500_ps));
    EXPECT_EQ(c.violations(), less == 0_ps ? 0U : 1U);
    if (less != 0_ps) {
      EXPECT_EQ(c.last_violation().rule, "length");
    }
  }
}

TEST(TimingCheckerRules, CacheBusyHasALeastTime) {
  expect_reports(true);
  struct Case {
    std::uint8_t code;
    const char* rule;
    Picoseconds least;
  };
  unsigned index = 0;
  for (const Case& k : {Case{0x31, "tRCBSY", 3_us}, Case{0x3f, "tRCBSY", 3_us}, Case{0x15, "tPCBSY", 4_us}}) {
    const Picoseconds fall = kStart + kCommand1 + 100_ns;
    for (const Picoseconds off : {0_ps, 1_ps}) {
      TimingChecker c(("c" + std::to_string(index++)).c_str(), reference_config().channels);
      c.segment(confirm(k.code, kStart));
      c.ready_busy(0, false, fall);
      c.ready_busy(0, true, fall + k.least - off);
      EXPECT_EQ(c.violations(), off == 0_ps ? 0U : 1U) << unsigned{k.code};
      if (off != 0_ps) {
        EXPECT_EQ(c.last_violation().rule, k.rule);
      }
    }
  }
}

TEST(TimingCheckerRules, ASuspendOfAReadyLunMayMakeItBusyWithinTwb) {
  expect_reports(true);
  const OnfiTransaction suspend = cycles(0x84, 5, 0, 10_us);
  TimingChecker c("c", reference_config().channels);
  c.segment(suspend);
  c.ready_busy(0, false, suspend.end + 100_ns);
  EXPECT_EQ(c.violations(), 0U);
  TimingChecker late("late", reference_config().channels);
  late.segment(suspend);
  late.ready_busy(0, false, suspend.end + 100_ns + 1_ps);
  EXPECT_EQ(late.violations(), 1U);
  // Nothing to suspend: R/B_n stays high and the next command is as welcome as before.
  TimingChecker ignored("ignored", reference_config().channels);
  ignored.segment(suspend);
  ignored.segment(read(suspend.end));
  EXPECT_EQ(ignored.violations(), 0U);
}

TEST(TimingCheckerRules, LengthsOfSdrAndOfWarmUp) {
  expect_reports(true);
  const config::Channels base = reference_config().channels;
  const config::Channels sdr = config::switched_to(base, {config::BusInterface::kSdr, 0});
  config::Channels warm = base;
  warm.warmup_cycles = 2;
  struct Case {
    const config::Channels* channels;
    OnfiTransaction exact;
  };
  const Case all[] = {
      {&sdr, segment(SegmentKind::kCommand, 0x00, 5, 0x30, 0, kStart, 770_ns)},
      {&sdr, segment(SegmentKind::kDataIn, 0, 0, 0, 4648, kStart, 70_ns + 464'800_ns)},
      {&sdr, segment(SegmentKind::kDataOut, 0, 0, 0, 4648, kStart, 70_ns + 464'800_ns)},
      {&sdr, segment(SegmentKind::kStatus, 0x70, 0, 0, 0, kStart, 390_ns)},
      {&sdr, segment(SegmentKind::kSetFeatures, 0xef, 1, 0, 0, kStart, 1'070_ns)},
      {&sdr, segment(SegmentKind::kFeatureOut, 0, 0, 0, 0, kStart, 470_ns)},
      {&warm, segment(SegmentKind::kDataOut, 0, 0, 0, 4648, kStart, kLpageOut + 5_ns)},
      {&warm, segment(SegmentKind::kDataIn, 0, 0, 0, 4 * 4648, kStart, kPageIn + 5_ns)},
      {&warm, segment(SegmentKind::kStatus, 0x70, 0, 0, 0, kStart, kStatusLength)},
  };
  unsigned index = 0;
  for (const Case& k : all) {
    for (const std::int64_t off : {-1, 0, 1}) {
      TimingChecker c(("c" + std::to_string(index++)).c_str(), *k.channels);
      OnfiTransaction t = k.exact;
      t.end += Picoseconds(off);
      c.segment(t);
      EXPECT_EQ(c.violations(), off == 0 ? 0U : 1U) << "kind " << static_cast<int>(t.kind) << " off by " << off;
    }
  }
}

TEST(TimingCheckerRules, TheModeOfAPackageFollowsFeature01h) {
  expect_reports(true);
  TimingChecker c("c", reference_config().channels);
  OnfiTransaction set = set_features(kStart);
  set.cycles.address[0] = 0x01;
  set.parameters = {0x00, 0, 0, 0};  // SDR 0
  c.segment(set);
  const Picoseconds later = 100_us;
  c.segment(segment(SegmentKind::kCommand, 0x00, 5, 0x30, 0, later, 770_ns));
  EXPECT_EQ(c.violations(), 0U);
  c.segment(segment(SegmentKind::kCommand, 0x00, 5, 0x30, 0, later + 10_us, kCommand7, 1));  // the other package
  EXPECT_EQ(c.violations(), 0U);
  c.segment(segment(SegmentKind::kReset, 0xfa, 0, 0, 0, later + 20_us, kCommand1));  // of the old length
  EXPECT_EQ(c.violations(), 1U);
  EXPECT_EQ(c.last_violation().rule, "length");
}

}  // namespace
}  // namespace wordline::testing::timing_checker_rules_test
