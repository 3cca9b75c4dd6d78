// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Raw bit errors that a data out carries beside its logical pages (flash::ReadErrors).
#include <gtest/gtest.h>

#include "models/nand/program_order.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_read_errors_test {
namespace {

using flash::OnfiTransaction;
using flash::ReadErrors;
using nand::StoredLpage;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

/// Worn, so that most codewords have errors.
config::Config worn() {
  config::Config config = reference_config();
  config.nand.aging.pe_cycles = 2000;
  config.nand.aging.retention_days = 365;
  return config;
}

constexpr unsigned kUntouched = 0xdead;

/// Data out with the errors asked for; their logical pages must have room for `count`.
OnfiTransaction data_out(ChannelBench& bench, ReadErrors& errors, StoredLpage* lpages, std::uint32_t count,
                         Picoseconds at) {
  OnfiTransaction t;
  t.kind = onfi::SegmentKind::kDataOut;
  t.lpages = lpages;
  t.lpage_count = count;
  t.bytes = count * bench.codec.lpage_bytes();
  t.errors = &errors;
  return bench.send(t, at);
}

TEST(NandDieReadErrors, AreThoseOfTheLogicalPagesOnTheBus) {
  ChannelBench bench(worn());
  simulate(
      [&] {
        const nand::Die& array = bench.dies[0]->array();
        const OnfiTransaction read =
            bench.command(0, bench.codec.read(at(1, 2, 1, 1)), 0_ps);  // from logical page 1 on
        bench.until(read.end + 100_ns + 46_us);
        StoredLpage out[2];
        ReadErrors::Lpage lpages[3];
        lpages[2] = {kUntouched, kUntouched};
        ReadErrors errors;
        errors.lpages = lpages;
        ASSERT_TRUE(data_out(bench, errors, out, 2, tlm_if::kernel_time() + 20_ns).ok);
        EXPECT_TRUE(errors.programmed);
        EXPECT_EQ(errors.erases, 0U);
        EXPECT_EQ(errors.soft.bins, 0U);  // not asked for
        unsigned sum = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned codeword = 2 + i;
          EXPECT_EQ(lpages[i / 2][i % 2],
                    array.bit_errors(PlaneId(1), BlockId(2), PageId(1), codeword, ecc::kCodewordBits, 0))
              << codeword;
          sum += lpages[i / 2][i % 2];
        }
        EXPECT_GT(sum, 0U);
        EXPECT_EQ(lpages[2], (ReadErrors::Lpage{kUntouched, kUntouched}));
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieReadErrors, AnErasedPageHasNoneAndItsBlockCountsErases) {
  ChannelBench bench(worn());
  simulate(
      [&] {
        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 2, 0)), 0_ps);
        bench.until(erase.end + 5_ms);
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 2, 1)), tlm_if::kernel_time());
        bench.until(read.end + 100_ns + 46_us);
        StoredLpage out;
        ReadErrors::Lpage lpage{kUntouched, kUntouched};
        ReadErrors errors;
        errors.programmed = true;
        errors.lpages = &lpage;
        ASSERT_TRUE(data_out(bench, errors, &out, 1, tlm_if::kernel_time() + 20_ns).ok);
        EXPECT_FALSE(errors.programmed);
        EXPECT_EQ(errors.erases, 1U);
        EXPECT_EQ(lpage, ReadErrors::Lpage{});
      },
      limit());
}

TEST(NandDieReadErrors, BehindAReadCacheThoseOfThePageInFront) {
  ChannelBench bench(worn());
  simulate(
      [&] {
        const nand::Die& array = bench.dies[0]->array();
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 2, 1)), 0_ps);
        bench.until(read.end + 100_ns + 46_us);
        const OnfiTransaction next =
            bench.command(0, onfi::AddressCodec::command(onfi::kReadCache), tlm_if::kernel_time() + 1_us);
        const auto expected = [&](unsigned codeword) {
          return array.bit_errors(PlaneId(0), BlockId(2), PageId(1), codeword, ecc::kCodewordBits, 0);
        };
        StoredLpage out[4];
        ReadErrors::Lpage lpages[4];
        ReadErrors errors;
        errors.lpages = lpages;
        // The array needs 37 us for page 2, whose read ends while the data of page 1 are on the bus.
        const OnfiTransaction data = data_out(bench, errors, out, 4, next.ready_at + 20_us);
        EXPECT_GT(data.end, next.array_ready_at);
        ASSERT_TRUE(data.ok);
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(lpages[i / 2][i % 2], expected(i)) << i;
        bench.until(data.end);  // what held at the start of the data holds at their end
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(lpages[i / 2][i % 2], expected(i)) << i;
      },
      limit());
}

TEST(NandDieReadErrors, SensesPutTogetherHaveTheBinsOfTheArray) {
  ChannelBench bench(worn());
  simulate(
      [&] {
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(1, 2, 0)), 0_ps);
        bench.until(read.end + 100_ns + 46_us);
        nand::ReadParameters together;
        together.senses = 5;
        together.delta = 3;
        together.offset[1] = -2;
        StoredLpage out;
        ReadErrors::Lpage lpage;
        ReadErrors errors;
        errors.lpages = &lpage;
        errors.together = &together;
        ASSERT_TRUE(data_out(bench, errors, &out, 1, tlm_if::kernel_time() + 20_ns).ok);
        const nand::SoftChannel expected =
            bench.dies[0]->array().soft_channel(PlaneId(1), BlockId(2), PageId(0), together);
        EXPECT_EQ(errors.soft.bins, 5U);
        EXPECT_EQ(errors.soft.right, expected.right);
        EXPECT_EQ(errors.soft.wrong, expected.wrong);
        EXPECT_GT(errors.soft.information(), 0.9);
      },
      limit());
}

TEST(NandDieReadErrors, LayerOfAPageFollowsFromTheGeometry) {
  // Four layers of two word lines of three pages, numbered layer by layer, or v-layer by v-layer.
  config::Config config = reference_config();
  const auto layer = [&](std::uint32_t page) {
    return nand::layer_of_page(config.nand.geometry, config::layout_of(config), PageId(page));
  };
  EXPECT_EQ(layer(0), 0U);
  EXPECT_EQ(layer(5), 0U);
  EXPECT_EQ(layer(6), 1U);
  EXPECT_EQ(layer(23), 3U);
  config.nand.geometry.order = config::ProgramOrder::kVertical;
  EXPECT_EQ(layer(3), 1U);
  EXPECT_EQ(layer(11), 3U);
  EXPECT_EQ(layer(12), 0U);
}

}  // namespace
}  // namespace wordline::testing::nand_die_read_errors_test
