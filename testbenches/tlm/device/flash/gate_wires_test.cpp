// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A channel in gates. At its pins every time that is a clock short is seen by the timing checker, which knows nothing
// of the gates; and jobs take as long as on the model's channel, but for the clocks.
#include "tlm/device/flash/bus/gate_wires.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/config/channel_clocks.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::gate_wires_test {
namespace {

using config::ChannelClocks;
using flash::OnfiTransaction;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

// ---- times that are too short ---------------------------------------------------------------------------------------

/// The gates and the checker at their pins, and segments that are offered as soon as the wires are free.
class Pins {
 public:
  Pins(const config::Channels& channels, const ChannelClocks& programmed)
      : checker("checker", config::in_whole_clocks(channels)),
        gates_("gates", channels, 4648, checker, nullptr, "", &programmed) {}

  const OnfiTransaction& send(OnfiTransaction t) {
    t.start = now_;
    gates_.expect(t, now_);
    gates_.carry(t);
    checker.segment(gates_.seen());
    now_ = t.end;
    return gates_.seen();
  }
  const OnfiTransaction& command(std::uint8_t opcode, unsigned addresses, std::uint8_t confirm = 0) {
    OnfiTransaction t;
    t.cycles.opcode = opcode;
    t.cycles.confirm = confirm;
    t.cycles.address_count = static_cast<std::uint8_t>(addresses);
    return send(t);
  }
  const OnfiTransaction& of_kind(SegmentKind kind, std::uint8_t opcode, unsigned addresses) {
    OnfiTransaction t;
    t.kind = kind;
    t.cycles.opcode = opcode;
    t.cycles.address_count = static_cast<std::uint8_t>(addresses);
    return send(t);
  }
  const OnfiTransaction& data(SegmentKind kind, std::uint32_t bytes = 8) {
    OnfiTransaction t;
    t.kind = kind;
    t.bytes = bytes;
    return send(t);
  }
  /// R/B_n as after a command that has just ended.
  void busy(Picoseconds time) {
    const Picoseconds fall = now_ + 100_ns;
    gates_.ready_busy(0, false, fall);
    gates_.ready_busy(0, true, fall + time);
  }

  flash::TimingChecker checker;

 private:
  flash::GateWires gates_;
  Picoseconds now_{};
};

struct Short {
  const char* name;
  std::uint32_t ChannelClocks::*time;
  const char* rule;
  void (*traffic)(Pins& pins);
};

void read_and_data(Pins& pins) {
  pins.command(0x00, 5, 0x30);
  pins.busy(37_us);
  pins.data(SegmentKind::kDataOut);
}
void program(Pins& pins) {
  pins.command(0x80, 5);
  pins.data(SegmentKind::kDataIn);
}
void status(Pins& pins) { pins.of_kind(SegmentKind::kStatus, 0x70, 0); }
void features(Pins& pins) { pins.of_kind(SegmentKind::kSetFeatures, 0xef, 1); }

class TimeIsAClockShort : public ::testing::TestWithParam<Short> {};

// With the right times nothing is seen; with one that is a clock short, the rule that it breaks, and no other.
TEST_P(TimeIsAClockShort, AndTheCheckerSeesItAtThePins) {
  expect_reports(true);
  const config::Channels channels = reference_config().channels;
  ChannelClocks clocks = config::clocks_of(channels);
  Pins right(channels, clocks);
  GetParam().traffic(right);
  EXPECT_EQ(right.checker.violations(), 0U);
  clocks.*GetParam().time -= 1;
  Pins wrong(channels, clocks);
  GetParam().traffic(wrong);
  EXPECT_EQ(wrong.checker.violations(), 1U);
  EXPECT_EQ(wrong.checker.last_violation().rule, GetParam().rule);
}

INSTANTIATE_TEST_SUITE_P(
    Gates, TimeIsAClockShort,
    ::testing::Values(Short{"tADL", &ChannelClocks::adl, "tADL", program},
                      Short{"tADL_of_features", &ChannelClocks::adl, "length", features},
                      Short{"tCCS_out", &ChannelClocks::ccs, "tCCS",
                            [](Pins& pins) {
                              pins.command(0x06, 5, 0xe0);
                              pins.data(SegmentKind::kDataOut);
                            }},
                      Short{"tCCS_in", &ChannelClocks::ccs, "tCCS",
                            [](Pins& pins) {
                              pins.command(0x85, 2);
                              pins.data(SegmentKind::kDataIn);
                            }},
                      Short{"tWHR", &ChannelClocks::whr, "tWHR",
                            [](Pins& pins) {
                              pins.command(0x00, 0);
                              pins.data(SegmentKind::kDataOut);
                            }},
                      Short{"tWHR_of_status", &ChannelClocks::whr, "length", status},
                      Short{"tRHW", &ChannelClocks::rhw, "tRHW",
                            [](Pins& pins) {
                              status(pins);
                              pins.command(0x60, 3, 0xd0);
                            }},
                      Short{"setup", &ChannelClocks::setup, "length", [](Pins& pins) { pins.command(0x80, 5); }},
                      Short{"tWC", &ChannelClocks::write_cycle, "length", [](Pins& pins) { pins.command(0x80, 5); }},
                      Short{"tWPRE", &ChannelClocks::write_preamble, "length", program},
                      Short{"tWPST", &ChannelClocks::write_postamble, "length", program},
                      Short{"tRPRE", &ChannelClocks::read_preamble, "length", read_and_data},
                      Short{"tRPST", &ChannelClocks::read_postamble, "length", read_and_data}),
    [](const auto& test) { return std::string(test.param.name); });

// The gates see R/B_n two clocks late, so one clock less of tWB or tRR breaks no rule at the pins; three do.
TEST(Gates, TimesThatRbHidesBreakTheirRulesThreeClocksShort) {
  expect_reports(true);
  const config::Channels channels = reference_config().channels;
  ChannelClocks early = config::clocks_of(channels);
  early.rr -= 3;
  Pins data(channels, early);
  read_and_data(data);
  EXPECT_EQ(data.checker.violations(), 1U);
  EXPECT_EQ(data.checker.last_violation().rule, "tRR");
  early = config::clocks_of(channels);
  early.wb -= 3;
  Pins command(channels, early);
  command.command(0x60, 3, 0xd0);
  command.busy(4_ms);
  status(command);
  EXPECT_EQ(command.checker.violations(), 1U);
  EXPECT_EQ(command.checker.last_violation().rule, "tWB");
}

// A die that drives nothing, too late or too early: strobes are missing or come before they are expected.
TEST(Gates, ADifferenceIsNamedByItsSegmentAndClock) {
  expect_reports(true);
  const config::Channels channels = reference_config().channels;
  ChannelClocks clocks = config::clocks_of(channels);
  clocks.adl -= 1;
  Pins pins(channels, clocks);
  program(pins);
  EXPECT_NE(last_report().find("tADL of die 0"), std::string::npos) << last_report();
}

// ---- the same jobs --------------------------------------------------------------------------------------------------

config::Config drive() {
  config::Config c = reference_config();
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

config::Config in_gates() {
  config::Config c = drive();
  c.channels.model = config::ChannelModel::kRtl;
  return c;
}

/// Jobs of every kind on both dies; returns how many.
unsigned push_mixed_jobs(ControllerBench& bench) {
  unsigned jobs = 0;
  const auto push = [&](const wl_flash_job& job) {
    bench.push(job);
    ++jobs;
  };
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint16_t die = 0; die < 2; ++die) {
      const auto global = static_cast<std::uint16_t>(die * bench.config.channels.count);
      push(ControllerBench::read_job(global, round % 4, 3 * round, 1, 2, 8 * jobs));
      push(ControllerBench::read_job(global, 1, 5, 2, 6, 8 * jobs));  // of both planes
      push(bench.write_job(WL_FLASH_ERASE, global, 4 + round, 0, 0));
      push(bench.write_job(WL_FLASH_PROGRAM, global, 4 + round, 0, 512));
      push(ControllerBench::read_job(global, 2, 7 + round, 0, 4, 8 * jobs));
    }
  }
  bench.doorbell();
  return jobs;
}

// Two channels side by side: every job ends with the same result, and within 1 % of the time of the model's.
TEST(Gates, JobsOfEveryKindTakeAsLong) {
  ControllerBench model("model", drive());
  ControllerBench gates("gates", in_gates());
  simulate(
      [&] {
        const unsigned jobs = push_mixed_jobs(model);
        push_mixed_jobs(gates);
        model.wait_for(jobs);
        gates.wait_for(jobs);
      },
      limit());
  ASSERT_EQ(model.completions.size(), 30U);
  ASSERT_EQ(gates.completions.size(), 30U);
  EXPECT_EQ(gates.gates->differences(), 0U);
  EXPECT_EQ(gates.checker.violations(), 0U);
  EXPECT_EQ(gates.gates->segments(), gates.segments.size());
  EXPECT_EQ(gates.segments.size(), model.segments.size());
  for (std::uint16_t id = 0; id < 30; ++id) {
    const SeenCompletion one = model.completion(id);
    const SeenCompletion other = gates.completion(id);
    EXPECT_EQ(one.entry.status, other.entry.status) << id;
    EXPECT_GE(other.at, one.at) << id;
    EXPECT_LE(other.at, one.at + one.at / std::int64_t{100}) << id;
  }
}

// The pins are in the waveform, next to the segments.
TEST(Gates, PinsAreInTheWaveform) {
  Notebook notebook;
  ControllerBench bench("bench", in_gates(), 1024, 4, &notebook);
  simulate(
      [&] {
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 1, 0));
        bench.doorbell();
        bench.wait_for(1);
      },
      limit());
  ASSERT_EQ(bench.segments.size(), 2U);
  const auto& we = notebook.notes["ssd.channel0.pins.we_n"];
  EXPECT_EQ(std::count_if(we.begin(), we.end(), [](const auto& note) { return note.second == "0"; }), 7);
  const auto& re = notebook.notes["ssd.channel0.pins.re_n"];
  // The preamble, then an edge a byte, and back.
  EXPECT_EQ(re.size(), 1U + 1U + 4648U + 1U);
  const auto& ce = notebook.notes["ssd.channel0.pins.ce_n"];
  EXPECT_EQ(ce.at(bench.segments[1].start), "2");
  EXPECT_EQ(ce.at(bench.segments[1].end), "3");
}

}  // namespace
}  // namespace wordline::testing::gate_wires_test
