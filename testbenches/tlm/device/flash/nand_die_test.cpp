// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Dies behind their pins. Every segment starts at the earliest legal time; the checker on the bench makes any violation
// a failure, so these tests and the checker agree on what is legal.
#include "tlm/device/flash/die/nand_die.h"

#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::Address;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

TEST(NandDie, ReadEndsAtTheExactPicosecond) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        bench.until(1_us);
        const OnfiTransaction t = bench.command(0, bench.codec.read(at(1, 2, 7, 3)), 1_us);
        ASSERT_TRUE(t.ok);
        EXPECT_EQ(t.end, 1_us + 195_ns);
        EXPECT_EQ(t.ready_at, 0_ps);
        const Picoseconds ready = 1_us + 195_ns + 100_ns + 46_us;  // page 7: CSB, three senses
        bench.until(ready - 1_ps);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.readies[0].die, 0U);
        EXPECT_EQ(bench.readies[0].at, ready);

        // Data start at the column of the read command, logical page 3.
        StoredLpage out;
        const OnfiTransaction data = bench.data_out(0, &out, 1, ready + 20_ns);
        ASSERT_TRUE(data.ok);
        EXPECT_EQ(data.end, ready + 20_ns + 5'876'250_ps);
        const StoredLpage expected = filled_lpage(DieId(0), {PlaneId(1), BlockId(2), PageId(7), 3});
        EXPECT_EQ(out.token, expected.token);
        EXPECT_EQ(out.lpn, expected.lpn);
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 46_us);
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U);
        EXPECT_EQ(bench.bus.busy().busy, 195_ns + 5'876'250_ps);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// params.nfm.access: three logical pages sense whole pages, once, into the page registers; data go out of these.
TEST(NandDie, MultiPlaneReadAndChangeOfColumn) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction first = bench.command(1, bench.codec.read(at(0, 3, 0), onfi::kReadNextPlane), 0_ps);
        EXPECT_EQ(first.ready_at, 195_ns + 100_ns + 500_ns);
        const OnfiTransaction second = bench.command(1, bench.codec.read(at(1, 3, 0)), first.ready_at);
        const Picoseconds ready = second.end + 100_ns + 37_us;
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.readies[0].at, ready);

        // A run of three logical pages that crosses planes: logical pages 2 and 3 of plane 0, logical page 0 of plane
        // 1.
        StoredLpage out[3];
        const OnfiTransaction column = bench.command(1, bench.codec.change_read_column(at(0, 3, 0, 2)), ready);
        const OnfiTransaction data = bench.data_out(1, out, 2, column.end + 400_ns);
        const OnfiTransaction next =
            bench.command(1, bench.codec.change_read_column(at(1, 3, 0, 0)), data.end + 100_ns);
        ASSERT_TRUE(bench.data_out(1, out + 2, 1, next.end + 400_ns).ok);
        EXPECT_EQ(out[0].lpn, filled_lpage(DieId(2), {PlaneId(0), BlockId(3), PageId(0), 2}).lpn);
        EXPECT_EQ(out[1].lpn, filled_lpage(DieId(2), {PlaneId(0), BlockId(3), PageId(0), 3}).lpn);
        EXPECT_EQ(out[2].lpn, filled_lpage(DieId(2), {PlaneId(1), BlockId(3), PageId(0), 0}).lpn);
        EXPECT_EQ(bench.dies[1]->array().counters().page_reads, 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, EraseProgramStatusReadBack) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const BlockId block(1);
        // Erase both planes.
        const OnfiTransaction one = bench.command(0, bench.codec.erase(at(0, 1, 0), onfi::kEraseNextPlane), 0_ps);
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(1, 1, 0)), one.ready_at);
        const Picoseconds erased = 145_ns + 600_ns + 145_ns + 100_ns + 4_ms;
        EXPECT_EQ(erase.end + 100_ns + 4_ms, erased);
        EXPECT_EQ(bench.status(0, erase.end + 100_ns).status, onfi::kNotProtected);  // busy
        bench.until(erased);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.readies[0].at, erased);
        const OnfiTransaction status = bench.status(0, erased);
        EXPECT_EQ(status.status, kIdleStatus);
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(1), block, PageId(0)));

        // Program one word line: 2 planes x 3 pages.
        std::vector<StoredLpage> lpages = unit(bench);
        const Picoseconds begin = status.end + 100_ns;
        const OnfiTransaction confirm = bench.program(0, block, PageId(0), lpages, begin);
        ASSERT_TRUE(confirm.ok);
        // Six loads of 170 + 400 + 23276.5 + 45 ns, five of them followed by tWB + tDBSY.
        EXPECT_EQ(confirm.end, begin + 6 * 23'891'500_ps + 5 * 600_ns);
        const Picoseconds programmed = confirm.end + 100_ns + 660_us;
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), block, PageId(0)));
        bench.until(programmed - 1_ps);
        EXPECT_EQ(bench.readies.size(), 1U);
        bench.until(programmed);
        ASSERT_EQ(bench.readies.size(), 2U);
        EXPECT_EQ(bench.status(0, programmed).status, kIdleStatus);
        EXPECT_EQ(bench.dies[0]->array().counters().lpages_programmed, 24U);

        // The unit is in page order, planes of a page first.
        for (std::uint32_t i = 0; i < 24; ++i) {
          const nand::LpageAddress where{PlaneId(static_cast<std::uint8_t>(i / 4 % 2)), block, PageId(i / 8), i % 4};
          EXPECT_EQ(bench.dies[0]->array().lpage(where).token, written(i).token) << i;
        }

        // Read page 2 of plane 1 (MSB, two senses) through the bus.
        bench.until(programmed + 1_us);
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(1, 1, 2)), tlm_if::kernel_time());
        bench.until(read.end + 100_ns + 37_us);
        ASSERT_EQ(bench.readies.size(), 3U);
        StoredLpage out[4];
        ASSERT_TRUE(bench.data_out(0, out, 4, tlm_if::kernel_time() + 20_ns).ok);
        for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out[i].lpn, written(20 + i).lpn);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, OnePlaneMayBeProgrammedAlone) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        OnfiTransaction last;
        for (std::uint32_t page = 0; page < 3; ++page) {
          const OnfiTransaction load = bench.command(0, bench.codec.program(at(1, 5, page)), last.ready_at);
          const OnfiTransaction in = bench.data_in(0, &lpages[4 * page], 4, load.end + 400_ns);
          last = bench.command(0, onfi::AddressCodec::command(page == 2 ? 0x10 : 0x1a), in.end);
        }
        bench.until(last.end + 100_ns + 660_us);
        EXPECT_EQ(bench.readies.size(), 1U);
        EXPECT_FALSE(bench.dies[0]->array().programmed(PlaneId(0), BlockId(5), PageId(0)));
        for (std::uint32_t i = 0; i < 12; ++i) {
          const nand::LpageAddress where{PlaneId(1), BlockId(5), PageId(i / 4), i % 4};
          EXPECT_EQ(bench.dies[0]->array().lpage(where).token, written(i).token) << i;
        }
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, StatusIsSampledToThePicosecond) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 0, 0)), 0_ps);
        const Picoseconds ready = read.end + 100_ns + 37_us;
        // The die takes the status 125 ns into the segment: 45 of command and tWHR.
        bench.until(ready - 125_ns - 300_ns - 1_ps);
        const OnfiTransaction early = bench.status(0, ready - 125_ns - 300_ns);
        EXPECT_EQ(early.status, onfi::kNotProtected);
        bench.until(ready - 125_ns);
        EXPECT_EQ(bench.status(0, ready - 125_ns).status, kIdleStatus);
        EXPECT_TRUE(bench.readies.empty());
        bench.until(ready);
        EXPECT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U);
        // After a status read data need 00h again.
        const OnfiTransaction mode = bench.command(0, onfi::AddressCodec::command(onfi::kRead), ready + 1_us);
        StoredLpage out;
        EXPECT_TRUE(bench.data_out(0, &out, 1, mode.end + 80_ns).ok);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, StatusOnePicosecondEarlySaysBusy) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 0, 0)), 0_ps);
        const Picoseconds ready = read.end + 100_ns + 37_us;
        EXPECT_EQ(bench.status(0, ready - 125_ns - 1_ps).status, onfi::kNotProtected);
      },
      limit());
}

TEST(NandDie, LunsOfAPackageWorkInParallel) {
  config::Config config = reference_config();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  simulate(
      [&] {
        const OnfiTransaction a = bench.command(0, bench.codec.read(at(0, 0, 0, 0, 0)), 0_ps);
        const OnfiTransaction b = bench.command(1, bench.codec.read(at(0, 0, 0, 0, 1)), a.end);
        bench.until(b.end + 100_ns + 37_us);
        ASSERT_EQ(bench.readies.size(), 2U);
        EXPECT_EQ(bench.readies[0].at, 195_ns + 100_ns + 37_us);
        EXPECT_EQ(bench.readies[1].at, 2 * 195_ns + 100_ns + 37_us);
        // LUN 1 was addressed last; LUN 0 has to be selected.
        StoredLpage out[2];
        const OnfiTransaction second = bench.data_out(1, &out[1], 1, tlm_if::kernel_time() + 20_ns);
        const OnfiTransaction select =
            bench.command(0, bench.codec.change_read_column(at(0, 0, 0, 1, 0)), second.end + 100_ns);
        ASSERT_TRUE(bench.data_out(0, &out[0], 1, select.end + 400_ns).ok);
        EXPECT_EQ(out[0].lpn, filled_lpage(DieId(0), {PlaneId(0), BlockId(0), PageId(0), 1}).lpn);
        EXPECT_EQ(out[1].lpn, filled_lpage(DieId(2), {PlaneId(0), BlockId(0), PageId(0), 0}).lpn);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, FeaturesRoundTrip) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        OnfiTransaction set;
        set.kind = SegmentKind::kSetFeatures;
        set.cycles = bench.codec.set_features(0, onfi::kFeatureReferenceStep);
        set.parameters = {3, 1, 4, 1};
        set = bench.send(set, 0_ps);
        EXPECT_EQ(set.end, 516'500_ps);
        EXPECT_EQ(set.ready_at, set.end + 100_ns + 1_us);
        OnfiTransaction get;
        get.kind = SegmentKind::kGetFeatures;
        get.cycles = bench.codec.get_features(0, onfi::kFeatureReferenceStep);
        get = bench.send(get, set.ready_at);
        EXPECT_EQ(get.ready_at, get.end + 100_ns + 1_us);
        OnfiTransaction out;
        out.kind = SegmentKind::kFeatureOut;
        out = bench.send(out, get.ready_at + 20_ns);
        EXPECT_EQ(out.parameters, (onfi::FeatureParameters{3, 1, 4, 1}));
        EXPECT_EQ(bench.dies[0]->features().read().step, 3U);
        EXPECT_EQ(bench.dies[1]->features().read().step, 0U);
        EXPECT_TRUE(bench.readies.empty());
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, ReferenceStepAppliesToTheNextRead) {
  config::Config config = reference_config();
  config.nand.aging.pe_cycles = 2000;
  config.nand.aging.retention_days = 365;
  ChannelBench bench(config);
  simulate(
      [&] {
        const auto total = [&] {
          unsigned sum = 0;
          for (unsigned s = 0; s < 4; ++s) {
            for (unsigned w = 0; w < 2; ++w) sum += bench.dies[0]->registers().bit_errors(PlaneId(0), s, w);
          }
          return sum;
        };
        const OnfiTransaction first = bench.command(0, bench.codec.read(at(0, 0, 1)), 0_ps);
        bench.until(first.end + 100_ns + 46_us);
        unsigned expected = 0;
        for (unsigned w = 0; w < 8; ++w) {
          expected += bench.dies[0]->array().bit_errors(PlaneId(0), BlockId(0), PageId(1), w, 2324 * 8, 0);
        }
        const unsigned by_default = total();
        EXPECT_EQ(by_default, expected);
        EXPECT_GT(by_default, 0U);

        OnfiTransaction set;
        set.kind = SegmentKind::kSetFeatures;
        set.cycles = bench.codec.set_features(0, onfi::kFeatureReferenceStep);
        set.parameters = {1, 0, 0, 0};
        set = bench.send(set, tlm_if::kernel_time() + 1_us);
        EXPECT_EQ(total(), by_default);  // what was sensed stays
        const OnfiTransaction again = bench.command(0, bench.codec.read(at(0, 0, 1)), set.ready_at);
        bench.until(again.end + 100_ns + 46_us);
        expected = 0;
        for (unsigned w = 0; w < 8; ++w) {
          expected += bench.dies[0]->array().bit_errors(PlaneId(0), BlockId(0), PageId(1), w, 2324 * 8, 1);
        }
        EXPECT_EQ(total(), expected);
        EXPECT_NE(total(), by_default);
      },
      limit());
}

TEST(NandDie, ResetEndsARead) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 0, 0)), 0_ps);
        OnfiTransaction reset;
        reset.kind = SegmentKind::kReset;
        reset.cycles = bench.codec.reset(at(0, 0, 0));
        bench.until(10_us);
        reset = bench.send(reset, 10_us);
        EXPECT_EQ(reset.end, 10_us + 45_ns);
        EXPECT_EQ(reset.ready_at, 10_us + 45_ns + 100_ns + 10_us);
        bench.until(100_us);
        EXPECT_TRUE(bench.readies.empty());
        EXPECT_EQ(bench.dies[0]->work().busy().busy, 10_us + 45_ns - (read.end + 100_ns));
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 0U);
        EXPECT_EQ(bench.status(0, 100_us).status, kIdleStatus);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDie, PageByPageDevicesProgramEachPageAlone) {
  config::Config config = reference_config();
  config.nand.geometry.cell = config::CellType::kMlc;
  config.nand.geometry.program = config::ProgramGranularity::kPage;
  config.nand.geometry.planes = 1;
  config.nand.timing.senses_per_page = {1, 2};
  config.nand.timing.mode = config::ArrayTiming::kPinned;
  config.nand.timing.t_r = {40_us, 65_us};
  config.nand.timing.t_prog = {500_us, 1300_us};
  ChannelBench bench(config);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        ASSERT_EQ(lpages.size(), 4U);
        const OnfiTransaction lsb = bench.program(0, BlockId(5), PageId(0), lpages, 0_ps);
        EXPECT_EQ(lsb.end, 23'891'500_ps);
        bench.until(lsb.end + 100_ns + 500_us);
        EXPECT_EQ(bench.readies.size(), 1U);
        const OnfiTransaction msb = bench.program(0, BlockId(5), PageId(1), lpages, tlm_if::kernel_time());
        bench.until(msb.end + 100_ns + 1300_us - 1_ps);
        EXPECT_EQ(bench.readies.size(), 1U);
        bench.until(msb.end + 100_ns + 1300_us);
        EXPECT_EQ(bench.readies.size(), 2U);
        EXPECT_EQ(bench.dies[0]->array().counters().programs, 2U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

}  // namespace
}  // namespace wordline::testing::nand_die_test
