// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/bus/onfi_bus.h"

#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

TEST(OnfiBus, WaveformOfARead) {
  Notebook notebook;
  ChannelBench bench(reference_config(), &notebook);
  simulate(
      [&] {
        const onfi::Address where{0, PlaneId(1), BlockId(2), PageId(1), 4648};
        const OnfiTransaction read = bench.command(1, bench.codec.read(where), 1_us);
        const Picoseconds begin = read.end + 100_ns;
        const Picoseconds ready = begin + 46_us;
        bench.until(ready);
        StoredLpage out[2];
        const OnfiTransaction data = bench.data_out(1, out, 2, ready + 20_ns);

        const auto& kind = notebook.notes["ssd.channel0.bus.segment"];
        EXPECT_EQ(kind, (std::map<Picoseconds, std::string>{
                            {1_us, "command"}, {read.end, "idle"}, {data.start, "data_out"}, {data.end, "idle"}}));
        const auto& text = notebook.notes["ssd.channel0.bus.transaction"];
        EXPECT_EQ(
            text,
            (std::map<Picoseconds, std::string>{
                {1_us, "READ d1 b2 p1"}, {read.end, ""}, {data.start, "DATA OUT d1 b2 p1 s1+2"}, {data.end, ""}}));
        const auto& code = notebook.notes["ssd.channel0.bus.command"];
        EXPECT_EQ(code, (std::map<Picoseconds, std::string>{{1_us, "48"}}));
        EXPECT_EQ(notebook.notes["ssd.channel0.die1.state"],
                  (std::map<Picoseconds, std::string>{{begin, "read"}, {ready, "idle"}}));
        // CSB: references 2, 4, 6.
        EXPECT_EQ(notebook.notes["ssd.channel0.die1.microop"],
                  (std::map<Picoseconds, std::string>{{begin, "precharge"},
                                                      {begin + 12_us, "sense R2"},
                                                      {begin + 21_us, "sense R4"},
                                                      {begin + 30_us, "sense R6"},
                                                      {begin + 39_us, "discharge"},
                                                      {ready, "idle"}}));
        EXPECT_EQ(notebook.notes["ssd.channel0.die1.voltage"].size(), 6U);
        EXPECT_EQ(notebook.notes.count("ssd.channel0.die0.state"), 0U);
      },
      limit());
}

TEST(OnfiBus, WaveformOfAProgramIsItsPlan) {
  Notebook notebook;
  ChannelBench bench(reference_config(), &notebook);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages(bench.layout.lpages_per_program);
        const OnfiTransaction confirm = bench.program(0, BlockId(4), PageId(0), lpages, 0_ps);
        const Picoseconds begin = confirm.end + 100_ns;
        const auto& micro = notebook.notes["ssd.channel0.die0.microop"];
        EXPECT_EQ(micro.size(), 9U + 42U + 1U);
        bench.dies[0]
            ->array()
            .plan_program(BlockId(4), PageId(0))
            .for_each([&](Picoseconds offset, const nand::MicroOp& op) {
              const auto found = micro.find(begin + offset);
              ASSERT_NE(found, micro.end());
              EXPECT_EQ(found->second, op.kind == nand::MicroOpKind::kPulse
                                           ? std::string("pulse")
                                           : "verify P" + std::to_string(unsigned{op.state}));
            });
        EXPECT_EQ(micro.at(begin + 660_us), "idle");
        EXPECT_EQ(notebook.notes["ssd.channel0.die0.voltage"].at(begin), "16.000000");
        EXPECT_EQ(notebook.notes["ssd.channel0.die0.state"].at(begin), "program");
        EXPECT_EQ(notebook.notes["ssd.channel0.die0.state"].at(begin + 660_us), "idle");
      },
      limit());
}

TEST(OnfiBus, OutsideTheWindowNothingIsFormatted) {
  Notebook notebook;
  notebook.on = false;
  ChannelBench bench(reference_config(), &notebook);
  simulate([&] { bench.command(0, bench.codec.read({0, PlaneId(0), BlockId(0), PageId(0), 0}), 0_ps); }, limit());
  EXPECT_EQ(notebook.notes.count("ssd.channel0.bus.transaction"), 0U);
  EXPECT_EQ(notebook.notes.count("ssd.channel0.die0.microop"), 0U);
  EXPECT_EQ(notebook.notes["ssd.channel0.die0.state"].size(), 2U);  // the window may open in the middle
}

TEST(OnfiBus, MicroopsOnlyWhenAskedFor) {
  Notebook notebook;
  config::Config config = reference_config();
  config.observe.nand_microops = false;
  ChannelBench bench(config, &notebook);
  simulate([&] { bench.command(0, bench.codec.read({0, PlaneId(0), BlockId(0), PageId(0), 0}), 0_ps); }, limit());
  EXPECT_EQ(notebook.notes.count("ssd.channel0.die0.microop"), 0U);
  EXPECT_EQ(notebook.notes["ssd.channel0.die0.state"].size(), 2U);
}

TEST(OnfiBus, OneSegmentAtATime) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const onfi::Address where{0, PlaneId(0), BlockId(0), PageId(0), 0};
        const OnfiTransaction first = bench.command(0, bench.codec.read(where), 0_ps);
        EXPECT_EQ(bench.bus.free_at(), 195_ns);
        EXPECT_FALSE(bench.command(1, bench.codec.read(where), first.end - 1_ps).ok);
        EXPECT_EQ(reports_seen(), 2U);  // bus and checker
        EXPECT_EQ(bench.checker.last_violation().rule, "overlap");
        EXPECT_EQ(bench.bus.free_at(), 195_ns);
        EXPECT_FALSE(bench.dies[1]->operating());
      },
      limit());
}

TEST(OnfiBus, ACommandMayFollowAtOnce) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const onfi::Address where{0, PlaneId(0), BlockId(0), PageId(0), 0};
        EXPECT_TRUE(bench.command(0, bench.codec.read(where), 0_ps).ok);
        EXPECT_TRUE(bench.command(1, bench.codec.read(where), 195_ns).ok);
        EXPECT_EQ(bench.bus.busy().uses, 2U);
        bench.until(195_ns + 195_ns + 100_ns + 37_us);
        EXPECT_EQ(bench.readies.size(), 2U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(OnfiBus, DataOfALunThatIsNotSelected) {
  config::Config config = reference_config();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction a = bench.command(0, bench.codec.read({0, PlaneId(0), BlockId(0), PageId(0), 0}), 0_ps);
        const OnfiTransaction b = bench.command(1, bench.codec.read({1, PlaneId(0), BlockId(0), PageId(0), 0}), a.end);
        bench.until(b.end + 100_ns + 37_us);
        StoredLpage out;
        EXPECT_FALSE(bench.data_out(0, &out, 1, tlm_if::kernel_time() + 20_ns).ok);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(out.lpn, 0xffffffffU);
      },
      limit());
}

TEST(OnfiBus, DiesAndPhasesThatDoNotExist) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_FALSE(bench.command(2, onfi::AddressCodec::command(onfi::kReset), 0_ps).ok);
        EXPECT_EQ(reports_seen(), 2U);
        OnfiTransaction t;
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        bench.socket->nb_transport_fw(t, phase, delay);
        EXPECT_FALSE(t.ok);
        EXPECT_EQ(reports_seen(), 1U);
      },
      limit());
}

TEST(OnfiBus, SpendsOneEventPerArrayOperation) {
  ChannelBench bench(reference_config());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.command(0, bench.codec.read({0, PlaneId(0), BlockId(0), PageId(0), 0}), 0_ps);
  const Picoseconds ready = 195_ns + 100_ns + 37_us;
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), tlm_if::to_sc_time(ready));
  run_until(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(sc_core::sc_time_stamp(), tlm_if::to_sc_time(ready));
  EXPECT_EQ(bench.readies.size(), 1U);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

}  // namespace
}  // namespace wordline::testing
