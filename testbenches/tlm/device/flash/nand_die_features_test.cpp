// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Features that change how the array works, over the bus and at their cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/ecc/code/codeword.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/measured.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_features_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::FeatureParameters;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

OnfiTransaction set(ChannelBench& bench, std::uint8_t feature, FeatureParameters value) {
  bench.until(tlm_if::kernel_time() + 1_us);
  OnfiTransaction t;
  t.kind = SegmentKind::kSetFeatures;
  t.cycles = bench.codec.set_features(0, feature);
  t.parameters = value;
  t = bench.send(t, tlm_if::kernel_time());
  if (t.ok) bench.until(t.ready_at);
  return t;
}
FeatureParameters get(ChannelBench& bench, std::uint8_t feature) {
  bench.until(tlm_if::kernel_time() + 1_us);
  OnfiTransaction t;
  t.kind = SegmentKind::kGetFeatures;
  t.cycles = bench.codec.get_features(0, feature);
  t = bench.send(t, tlm_if::kernel_time());
  EXPECT_EQ(t.ready_at, t.end + 100_ns + 1_us);
  OnfiTransaction out;
  out.kind = SegmentKind::kFeatureOut;
  out = bench.send(out, t.ready_at + 20_ns);
  EXPECT_TRUE(out.ok);
  bench.until(out.end + 100_ns);
  return out.parameters;
}
onfi::MeasuredProgram measured(ChannelBench& bench) {
  std::array<FeatureParameters, 10> features{};
  for (unsigned i = 0; i < 10; ++i) features[i] = get(bench, static_cast<std::uint8_t>(0xb0 + i));
  return onfi::measured_program(features);
}
/// Programs a unit and returns how long R/B_n was low.
Picoseconds program(ChannelBench& bench, std::uint32_t block, std::uint32_t page) {
  bench.until(tlm_if::kernel_time() + 1_us);
  std::vector<StoredLpage> lpages = unit(bench);
  const OnfiTransaction t = bench.program(0, BlockId(block), PageId(page), lpages, tlm_if::kernel_time());
  const std::size_t before = bench.readies.size();
  bench.until(t.end + 2_ms);
  EXPECT_EQ(bench.readies.size(), before + 1);
  return bench.readies.back().at - t.end - 100_ns;
}
Picoseconds read(ChannelBench& bench, std::uint32_t block, std::uint32_t page) {
  bench.until(tlm_if::kernel_time() + 1_us);
  const OnfiTransaction t = bench.command(0, bench.codec.read(at(0, block, page)), tlm_if::kernel_time());
  const std::size_t before = bench.readies.size();
  bench.until(t.end + 1_ms);
  EXPECT_EQ(bench.readies.size(), before + 1);
  return bench.readies.back().at - t.end - 100_ns;
}

/// The bins of the senses of plane 0 of the page that was read.
nand::SoftChannel sensed(const ChannelBench& bench) {
  const flash::PageRegisters& registers = bench.dies[0]->registers();
  return registers.soft_channel(PlaneId(0), registers.cache(PlaneId(0)).read);
}

TEST(NandDieFeatures, ProgramParametersChangeTprogAndComeBack) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        EXPECT_EQ(program(bench, 6, 0), 660_us);
        // P1 is verified in loops 1 to 3, P7 in 1 to 9: skip two of P1 and six of P7, eight verifies of 5 us.
        set(bench, 0x91, {2, 0, 0, 0});
        set(bench, 0x92, {0, 0, 6, 0});
        EXPECT_EQ(bench.dies[0]->features().program().skip[1], 2);
        EXPECT_EQ(bench.dies[0]->features().program().skip[7], 6);
        EXPECT_EQ(program(bench, 6, 3), 660_us - 8 * 5_us);
        // Vstart 360 mV higher: the first two loops of 180 mV go, with their 14 verifies less the eight skipped.
        set(bench, 0x91, {0, 0, 0, 0});
        set(bench, 0x92, {0, 0, 0, 0});
        set(bench, 0x90, {0, 0, 36, 0});
        EXPECT_EQ(bench.dies[0]->features().program().start_raise, Millivolts(360));
        EXPECT_EQ(program(bench, 6, 6), 660_us - 2 * 50_us - 14 * 5_us);
        set(bench, 0x90, {0, 0, 0, 0});
        EXPECT_EQ(program(bench, 6, 9), 660_us);
        // A coarser step: 360 mV take ceil(1624 / 360) = 5 loops.
        set(bench, 0x90, {0x68, 0x01, 0, 0});
        EXPECT_LT(program(bench, 6, 12), 500_us);
        EXPECT_GT(bench.dies[0]->array().rber(PlaneId(0), BlockId(6), PageId(12), 0),
                  bench.dies[0]->array().rber(PlaneId(0), BlockId(6), PageId(0), 0));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// A program of two planes reports both together: of each loop window the extremes of the two planes, and the worse of
// their error rates. The same layer programs at a different speed in the two planes, so the two differ.
TEST(NandDieFeatures, PlanesThatAreProgrammedTogetherAreMeasuredTogether) {
  config::Config config = reference_config();
  config.nand.geometry.blocks_per_plane = 16;
  ChannelBench bench(config);
  simulate(
      [&] {
        const nand::Die& die = bench.dies[0]->array();
        unsigned differ = 0;
        for (std::uint32_t block = 4; block < 16; ++block) {    // those below are full
          for (std::uint32_t page = 0; page < 24; page += 6) {  // the first word line of each layer, and the next
            program(bench, block, page);
            const nand::ProgramReport all = measured(bench).report;
            const nand::ProgramReport a = die.program_report(PlaneId(0), BlockId(block), PageId(page));
            const nand::ProgramReport b = die.program_report(PlaneId(1), BlockId(block), PageId(page));
            for (unsigned s = 1; s <= 7; ++s) {
              EXPECT_EQ(all.windows.min[s], std::min(a.windows.min[s], b.windows.min[s])) << block << ' ' << page;
              EXPECT_EQ(all.windows.max[s], std::max(a.windows.max[s], b.windows.max[s])) << block << ' ' << page;
              differ += a.windows.min[s] != b.windows.min[s] ? 1 : 0;
            }
            EXPECT_NEAR(all.ber_ep1, std::max(a.ber_ep1, b.ber_ep1), 0.51e-9);
            EXPECT_NE(a.ber_ep1, b.ber_ep1);
            program(bench, block, page + 3);
          }
        }
        EXPECT_GT(differ, 0U) << "no layer is faster in one plane";
      },
      limit());
}

TEST(NandDieFeatures, TheLastProgramIsMeasured) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        EXPECT_EQ(measured(bench).report.windows.states, 0U);  // nothing programmed yet
        program(bench, 6, 0);
        const onfi::MeasuredProgram m = measured(bench);
        const nand::ProgramReport report = measured_of(bench.dies[0]->array(), BlockId(6), PageId(0));
        EXPECT_FALSE(m.failed);
        EXPECT_EQ(m.report.windows.loops, report.windows.loops);
        EXPECT_EQ(m.report.windows.states, 7U);
        for (unsigned s = 1; s <= 7; ++s) {
          EXPECT_EQ(m.report.windows.min[s], report.windows.min[s]) << s;
          EXPECT_EQ(m.report.windows.max[s], report.windows.max[s]) << s;
        }
        EXPECT_GT(report.ber_ep1, 0);
        EXPECT_NEAR(m.report.ber_ep1, report.ber_ep1, 0.51e-9);

        // The leader's windows make the follower's skips: shorter, and safe.
        nand::ProgramParameters follower;
        follower.skip = nand::safe_skips(m.report.windows);
        for (const onfi::FeatureWrite& w : onfi::feature_writes(bench.dies[0]->features().program(), follower)) {
          set(bench, w.feature, w.value);
        }
        EXPECT_EQ(bench.dies[0]->features().program(), follower);
        EXPECT_EQ(program(bench, 6, 3), 660_us - 21 * 5_us);  // each state only in its window of three loops

        // The erase ends the report.
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 6, 0)), tlm_if::kernel_time() + 1_us);
        bench.until(erase.end + 5_ms);
        EXPECT_EQ(measured(bench).report.windows.states, 0U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieFeatures, AFailedProgramIsMeasuredAsFailed) {
  config::Config config = reference_config();
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        program(bench, 2, 0);  // filled: refused
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_TRUE(measured(bench).failed);
        EXPECT_EQ(measured(bench).report.windows.loops, 0U);
        program(bench, 6, 0);
        EXPECT_FALSE(measured(bench).failed);
      },
      limit());
}

TEST(NandDieFeatures, OffsetsShiftTheReferencesOfTheNextRead) {
  config::Config config = reference_config();
  config.nand.aging.pe_cycles = 2000;
  config.nand.aging.retention_days = 365;
  ChannelBench bench(config);
  simulate(
      [&] {
        const auto total = [&] {
          unsigned sum = 0;
          for (unsigned i = 0; i < 8; ++i) sum += bench.dies[0]->registers().bit_errors(PlaneId(0), i / 2, i % 2);
          return sum;
        };
        EXPECT_EQ(read(bench, 0, 1), 46_us);
        const unsigned by_default = total();
        // The page senses references 2, 4 and 6; far off, they read half of the cells between wrong.
        set(bench, 0xa0, {0, 0x7f, 0, 0x80});
        EXPECT_EQ(bench.dies[0]->features().read().offset[2], 127);
        EXPECT_EQ(bench.dies[0]->features().read().offset[4], -128);
        EXPECT_EQ(total(), by_default);  // what was sensed stays
        EXPECT_EQ(read(bench, 0, 1), 46_us);
        EXPECT_GT(total(), 10 * by_default);
        EXPECT_EQ(bench.dies[0]->registers().bit_errors(PlaneId(0), 0, 0),
                  bench.dies[0]->array().bit_errors(PlaneId(0), BlockId(0), PageId(1), 0, ecc::kCodewordBits,
                                                    bench.dies[0]->features().read()));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieFeatures, SoftSensesCostTimeAndGiveBitPlanes) {
  config::Config config = reference_config();
  config.nand.aging.pe_cycles = 2000;
  config.nand.aging.retention_days = 365;
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_EQ(read(bench, 0, 0), 37_us);  // LSB: two references
        EXPECT_EQ(sensed(bench).bins, 1U);
        EXPECT_FALSE(
            bench.command(0, onfi::AddressCodec::select_soft_plane(1), tlm_if::kernel_time()).ok);  // a hard read
        EXPECT_EQ(reports_seen(), 1U);
        set(bench, onfi::kFeatureSoftSenses, {3, 0, 0, 0});
        EXPECT_EQ(read(bench, 0, 0), 19_us + 6 * 9_us);
        const nand::SoftChannel channel = sensed(bench);
        EXPECT_EQ(channel.bins, 3U);
        EXPECT_GT(channel.information(), 0.9);

        // The page, then its two bit planes: three transfers.
        StoredLpage out[4];
        OnfiTransaction data = bench.data_out(0, out, 4, tlm_if::kernel_time() + 20_ns);
        ASSERT_TRUE(data.ok);
        const OnfiTransaction column = bench.command(0, bench.codec.change_read_column(at(0, 0, 0)), data.end + 100_ns);
        OnfiTransaction select = bench.command(0, onfi::AddressCodec::select_soft_plane(1), column.end);
        ASSERT_TRUE(select.ok);
        data = bench.data_out(0, nullptr, 4, select.end + 400_ns);
        ASSERT_TRUE(data.ok);
        EXPECT_EQ(data.end - data.start, 66'250_ps + 23'240_ns);
        const OnfiTransaction again = bench.command(0, bench.codec.change_read_column(at(0, 0, 0)), data.end + 100_ns);
        select = bench.command(0, onfi::AddressCodec::select_soft_plane(2), again.end);
        EXPECT_TRUE(select.ok);
        data = bench.data_out(0, out, 4, select.end + 400_ns);
        EXPECT_TRUE(data.ok);
        EXPECT_EQ(reports_seen(), 0U);
        EXPECT_FALSE(bench.command(0, onfi::AddressCodec::select_soft_plane(3), data.end + 100_ns).ok);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.checker.violations(), 0U);
      },
      limit());
}

TEST(NandDieFeatures, WhatDoesNotFitIsRefused) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_FALSE(set(bench, 0xb8, {1, 0, 0, 0}).ok);  // read only
        bench.checker.ready_busy(0, true, tlm_if::kernel_time() + 1_us);
        EXPECT_FALSE(set(bench, onfi::kFeatureSoftSenses, {4, 0, 0, 0}).ok);
        EXPECT_FALSE(set(bench, onfi::kFeatureProgramPass, {3, 0, 0, 0}).ok);
        EXPECT_FALSE(set(bench, onfi::kFeatureTimingMode, {0x06, 0, 0, 0}).ok);
        EXPECT_GE(reports_seen(), 4U);
        // Vfinal cut by more than the window: shows when it is used.
        bench.until(tlm_if::kernel_time() + 10_us);
        EXPECT_TRUE(set(bench, onfi::kFeatureProgramVoltages, {0, 0, 0, 200}).ok);
        bench.until(tlm_if::kernel_time() + 10_us);
        reports_seen();
        std::vector<StoredLpage> lpages = unit(bench);
        EXPECT_FALSE(bench.program(0, BlockId(6), PageId(0), lpages, tlm_if::kernel_time()).ok);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time() + 1_ms).status & onfi::kFail, onfi::kFail);
      },
      limit());
}

TEST(NandDieFeatures, TheTimingModeSwitchesTheBus) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        EXPECT_EQ(get(bench, onfi::kFeatureTimingMode)[0], 0x2a);  // NV-DDR3, mode 10
        const onfi::BusTiming before = bench.bus.timing(0);
        const OnfiTransaction up = set(bench, onfi::kFeatureTimingMode, {0x63, 0, 0, 0});  // mode 19
        EXPECT_EQ(up.end - up.start, before.segment(SegmentKind::kSetFeatures, up.cycles, 0));
        EXPECT_EQ(up.ready_at, up.end + 100_ns + 1_us);
        EXPECT_EQ(get(bench, onfi::kFeatureTimingMode)[0], 0x63);
        bench.until(tlm_if::kernel_time() + 1_us);
        EXPECT_EQ(read(bench, 1, 0), 37_us);  // the array is the same
        StoredLpage out[4];
        const OnfiTransaction fast = bench.data_out(0, out, 4, tlm_if::kernel_time());
        ASSERT_TRUE(fast.ok);
        EXPECT_EQ(fast.end - fast.start, 65'417_ps + 7'748'334_ps);
        // The other package goes on as before.
        const OnfiTransaction other = bench.command(1, bench.codec.read(at(0, 1, 0)), fast.end + 200_ns);
        EXPECT_EQ(other.end - other.start, 195_ns);
        bench.until(other.end + 1_ms);
        EXPECT_EQ(bench.data_out(1, out, 4, tlm_if::kernel_time()).end - tlm_if::kernel_time(),
                  before.data_out(4 * 4648));
        bench.until(tlm_if::kernel_time() + 1_ms);

        // Down to SDR 4: a byte each 25 ns.
        set(bench, onfi::kFeatureTimingMode, {0x04, 0, 0, 0});
        read(bench, 1, 0);
        const OnfiTransaction slow = bench.data_out(0, out, 4, tlm_if::kernel_time());
        EXPECT_EQ(slow.end - slow.start, 20_ns + 4 * 4648 * 25_ns);
        bench.until(slow.end + 1_us);
        set(bench, onfi::kFeatureTimingMode, {0x2a, 0, 0, 0});
        read(bench, 1, 0);
        const OnfiTransaction back = bench.data_out(0, out, 4, tlm_if::kernel_time());
        EXPECT_EQ(back.end - back.start, before.data_out(4 * 4648));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieFeatures, FfhGoesBackToTheInterfaceAfterPowerOn) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        OnfiTransaction t;
        t.kind = SegmentKind::kReset;
        t.cycles = bench.codec.reset(at(0, 0, 0));
        EXPECT_EQ(t.cycles.opcode, onfi::kResetSync);
        t = bench.send(t, 1_us);
        bench.until(t.ready_at);
        EXPECT_EQ(get(bench, onfi::kFeatureTimingMode)[0], 0x2a);  // FCh keeps it
        t.cycles = onfi::AddressCodec::command(onfi::kReset);
        bench.until(tlm_if::kernel_time() + 1_us);
        t = bench.send(t, tlm_if::kernel_time());
        EXPECT_EQ(t.ready_at, t.end + 100_ns + 5_us);
        bench.until(t.ready_at);
        EXPECT_EQ(get(bench, onfi::kFeatureTimingMode)[0], 0x20);
        read(bench, 1, 0);
        StoredLpage out;
        const OnfiTransaction data = bench.data_out(0, &out, 1, tlm_if::kernel_time());
        EXPECT_EQ(data.end - data.start, 80_ns + Picoseconds(69'373'135));  // 4648 transfers at 67 MT/s
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

}  // namespace
}  // namespace wordline::testing::nand_die_features_test
