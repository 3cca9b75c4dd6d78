// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a die does not obey: it reports, answers ok = false, and goes on.
#include "tlm/device/flash/die/nand_die.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_errors_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::Address;
using onfi::SegmentKind;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

TEST(NandDieErrors, CommandInTheDummyBusyTime) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction one = bench.command(0, bench.codec.read(at(0, 3, 0), onfi::kReadNextPlane), 0_ps);
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(1, 3, 0)), one.ready_at - 1_ps).ok);
        EXPECT_EQ(reports_seen(), 2U);  // the die and the checker
        EXPECT_EQ(bench.checker.last_violation().rule, "tDBSY");
        EXPECT_FALSE(bench.dies[0]->operating());
      },
      limit());
}

TEST(NandDieErrors, CommandWhileTheArrayWorks) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(1, 3, 0)), 0_ps);
        const Picoseconds ready = read.end + 100_ns + 37_us;
        EXPECT_FALSE(bench.command(0, bench.codec.erase(at(1, 3, 0)), ready - 1_ps).ok);
        EXPECT_EQ(reports_seen(), 2U);
        EXPECT_EQ(bench.checker.last_violation().rule, "tR");
        bench.until(ready);
        ASSERT_EQ(bench.readies.size(), 1U);  // the read goes on
        EXPECT_EQ(bench.readies[0].at, ready);
        StoredLpage out;
        EXPECT_TRUE(bench.data_out(0, &out, 1, ready + 20_ns + 145_ns).ok);
        EXPECT_EQ(bench.dies[0]->array().counters().erases, 0U);
      },
      limit());
}

// nand.plane_blocks: two planes of a read in different blocks, and of an erase.
TEST(NandDieErrors, PlanesOfOneOperationInDifferentBlocks) {
  std::vector<std::unique_ptr<ChannelBench>> benches;
  for (const bool any : {false, true}) {
    config::Config c = reference_config();
    c.nand.geometry.plane_blocks = any ? config::PlaneBlocks::kAny : config::PlaneBlocks::kSame;
    benches.push_back(std::make_unique<ChannelBench>(c, nullptr, any ? "any" : "same"));
  }
  expect_reports(true);
  simulate(
      [&] {
        for (const auto& bench : benches) {
          const bool any = bench->config.nand.geometry.plane_blocks == config::PlaneBlocks::kAny;
          const Picoseconds now = tlm_if::kernel_time();
          const OnfiTransaction one = bench->command(0, bench->codec.read(at(0, 3, 5), onfi::kReadNextPlane), now);
          const OnfiTransaction two = bench->command(0, bench->codec.read(at(1, 2, 5)), one.ready_at);
          EXPECT_EQ(two.ok, any);
          EXPECT_EQ(reports_seen(), any ? 0U : 1U);
          if (any) {
            bench->until(two.end + 100_ns + 46_us);
            StoredLpage out;
            for (const Address& from : {at(0, 3, 5, 1), at(1, 2, 5, 3)}) {
              const Picoseconds select = tlm_if::kernel_time() + 1_us;
              const OnfiTransaction column = bench->command(0, bench->codec.change_read_column(from), select);
              EXPECT_TRUE(column.ok);
              bench->until(bench->data_out(0, &out, 1, column.end + 400_ns).end + 1_us);
              const nand::LpageAddress place{from.plane, from.block, from.page, from.column / 4648};
              EXPECT_EQ(out.token, filled_lpage(DieId(0), place).token);
            }
            EXPECT_FALSE(bench->command(0, bench->codec.change_read_column(at(1, 3, 5)), tlm_if::kernel_time()).ok);
            EXPECT_EQ(reports_seen(), 1U) << "plane 1 holds block 2";
          }
          const Picoseconds then = tlm_if::kernel_time() + 100_us;
          const OnfiTransaction first = bench->command(1, bench->codec.erase(at(0, 6, 0), onfi::kEraseNextPlane), then);
          const OnfiTransaction second = bench->command(1, bench->codec.erase(at(1, 7, 0)), first.ready_at);
          EXPECT_EQ(second.ok, any);
          EXPECT_EQ(reports_seen(), any ? 0U : 1U);
          if (!any) continue;
          bench->until(second.end + 10_ms);
          const nand::Die& array = bench->dies[1]->array();
          for (const std::uint32_t block : {6U, 7U}) {
            for (const std::uint8_t plane : {0, 1}) {
              EXPECT_EQ(array.erase_count(PlaneId(plane), BlockId(block)), block == 6U + plane ? 1U : 0U);
            }
          }
        }
      },
      limit());
}

TEST(NandDieErrors, OutputWithoutData) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        StoredLpage out[5];
        EXPECT_FALSE(bench.data_out(0, out, 1, 0_ps).ok);
        EXPECT_FALSE(bench.command(0, bench.codec.change_read_column(at(0, 0, 0)), 10_us).ok);
        OnfiTransaction feature;
        feature.kind = SegmentKind::kFeatureOut;
        EXPECT_FALSE(bench.send(feature, 20_us).ok);
        EXPECT_EQ(reports_seen(), 3U);

        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 0, 0)), 30_us);
        bench.until(read.end + 100_ns + 37_us);
        const Picoseconds ready = tlm_if::kernel_time();
        EXPECT_FALSE(bench.command(0, bench.codec.change_read_column(at(1, 0, 0)), ready).ok);  // plane 1 was not read
        EXPECT_FALSE(bench.data_out(0, out, 5, ready + 10_us).ok);                              // beyond the page
        EXPECT_EQ(reports_seen(), 2U);
        // A program load takes the register.
        EXPECT_TRUE(bench.command(0, bench.codec.program(at(0, 6, 0)), ready + 50_us).ok);
        EXPECT_FALSE(bench.data_out(0, out, 1, ready + 60_us).ok);
        EXPECT_EQ(reports_seen(), 1U);
      },
      limit());
}

TEST(NandDieErrors, ProgramOfAProgrammedPageFails) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const OnfiTransaction confirm = bench.program(0, BlockId(2), PageId(0), lpages, 0_ps);  // filled
        ASSERT_TRUE(confirm.ok);
        EXPECT_EQ(reports_seen(), 0U);
        bench.until(confirm.end + 100_ns + 660_us);
        EXPECT_EQ(reports_seen(), 1U);
        ASSERT_EQ(bench.readies.size(), 1U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus | onfi::kFail);
        const nand::LpageAddress where{PlaneId(0), BlockId(2), PageId(0), 0};
        EXPECT_EQ(bench.dies[0]->array().lpage(where).token, filled_lpage(DieId(0), where).token);
        // The next operation clears FAIL.
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 2, 0)), tlm_if::kernel_time() + 10_us);
        bench.until(erase.end + 100_ns + 4_ms);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieErrors, UnitThatIsNotComplete) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        const auto load = [&](const Address& where, std::uint8_t confirm, Picoseconds begin, std::uint32_t count = 4) {
          const OnfiTransaction address = bench.command(0, bench.codec.program(where), begin);
          const OnfiTransaction in = bench.data_in(0, lpages.data(), count, address.end + 400_ns);
          return bench.command(0, onfi::AddressCodec::command(confirm), in.end);
        };
        EXPECT_FALSE(load(at(0, 6, 0), 0x1a, 0_us, 3).ok);  // three logical pages of four
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.status(0, 100_us).status & onfi::kFail, onfi::kFail);

        EXPECT_TRUE(load(at(0, 6, 0), 0x11, 300_us).ok);
        EXPECT_TRUE(load(at(1, 6, 0), 0x1a, 400_us).ok);
        EXPECT_FALSE(load(at(0, 6, 1), 0x1a, 500_us).ok);  // plane 1 of page 1 is missing
        EXPECT_EQ(reports_seen(), 1U);

        EXPECT_TRUE(load(at(0, 6, 0), 0x11, 600_us).ok);
        EXPECT_FALSE(bench.command(0, bench.codec.program(at(1, 7, 0)), 700_us).ok);  // another block
        EXPECT_FALSE(bench.data_in(0, lpages.data(), 4, 710_us).ok);
        EXPECT_FALSE(bench.command(0, onfi::AddressCodec::command(0x11), 800_us).ok);
        EXPECT_EQ(reports_seen(), 3U);

        EXPECT_FALSE(load(at(0, 6, 0), 0x10, 900_us).ok);  // one page of three
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.dies[0]->array().counters().programs, 0U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieErrors, LoadOfTheWrongPageOrColumn) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        std::vector<StoredLpage> lpages = unit(bench);
        EXPECT_FALSE(bench.command(0, bench.codec.program(at(0, 6, 1)), 0_us).ok);  // a unit begins with page 0
        EXPECT_FALSE(
            bench.command(0, bench.codec.program(at(0, 6, 0, 1)), 10_us).ok);  // and a page with logical page 0
        EXPECT_EQ(reports_seen(), 2U);
        EXPECT_TRUE(bench.command(0, bench.codec.program(at(0, 6, 0)), 20_us).ok);
        EXPECT_TRUE(bench.data_in(0, lpages.data(), 4, 21_us).ok);
        EXPECT_TRUE(bench.command(0, onfi::AddressCodec::command(0x1a), 50_us).ok);
        EXPECT_FALSE(bench.command(0, bench.codec.program(at(0, 6, 2)), 60_us).ok);  // page 1 is next
        EXPECT_EQ(reports_seen(), 1U);
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieErrors, CommandsOfAWholeTargetWithSeveralLuns) {
  config::Config config = reference_config();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        OnfiTransaction set;
        set.kind = SegmentKind::kSetFeatures;
        set.parameters = {2, 0, 0, 0};
        set.cycles = {onfi::kSetFeatures, onfi::kNoConfirm, 1, {onfi::kFeatureReferenceStep}};
        EXPECT_FALSE(bench.send(set, 0_us).ok);  // EFh would reach both LUNs
        set.cycles = bench.codec.set_features(1, onfi::kFeatureReferenceStep);
        EXPECT_FALSE(bench.send(set, 10_us).ok);  // addressed to LUN 1, sent to LUN 0
        EXPECT_EQ(reports_seen(), 2U);
        set.die = 1;
        EXPECT_TRUE(bench.send(set, 20_us).ok);
        EXPECT_EQ(bench.dies[0]->features().read().step, 0U);
        EXPECT_EQ(bench.dies[1]->features().read().step, 2U);
      },
      limit());
}

TEST(NandDieErrors, AddressesOutsideTheDie) {
  config::Config config = reference_config();
  config.nand.geometry.planes = 1;
  config.nand.geometry.blocks_per_plane = 5;
  ChannelBench bench(config);
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, 5, 0)), 0_ps).ok);    // three bits, five blocks
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, 0, 24)), 10_us).ok);  // five bits, 24 pages
        EXPECT_FALSE(bench.command(0, bench.codec.erase(at(0, 0, 0, 0, 1)), 20_us).ok);
        EXPECT_FALSE(bench.command(0, onfi::AddressCodec::command(0x38), 30_us).ok);  // not a command
        // Four of the die; and the checker, which saw confirms, misses R/B_n in the three segments that follow one.
        EXPECT_EQ(reports_seen(), 7U);
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_errors_test
