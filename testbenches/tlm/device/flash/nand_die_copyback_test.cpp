// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copyback: pages that do not leave the die, with the bit errors they were read with.
#include <gtest/gtest.h>

#include "models/ecc/code/codeword.h"
#include "testbenches/tlm/device/flash/channel_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nand_die_copyback_test {
namespace {

using flash::OnfiTransaction;
using nand::StoredLpage;
using onfi::AddressCodec;
using namespace wordline::literals;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

/// Reads page `page` of `block` in both planes with 35h; ready at the time returned.
Picoseconds read_source(ChannelBench& bench, std::uint32_t block, std::uint32_t page, Picoseconds from) {
  const OnfiTransaction one = bench.command(0, bench.codec.read(at(0, block, page), onfi::kReadNextPlane), from);
  const OnfiTransaction two = bench.command(0, bench.codec.read(at(1, block, page), onfi::kReadCopyback), one.ready_at);
  EXPECT_TRUE(two.ok);
  const Picoseconds ready = two.end + 100_ns + (page % 3 == 1 ? 46_us : 37_us);
  bench.until(ready);
  return ready;
}

TEST(NandDieCopyback, AWordLinePageByPage) {
  ChannelBench bench(reference_config());
  simulate(
      [&] {
        Picoseconds now{};
        OnfiTransaction confirm;
        for (std::uint32_t page = 0; page < 3; ++page) {
          now = read_source(bench, 2, 6 + page, now);
          ASSERT_EQ(bench.readies.size(), page + 1U);
          EXPECT_EQ(bench.readies.back().at, now);
          const OnfiTransaction one = bench.command(0, bench.codec.copyback_program(at(0, 5, page)), now);
          const OnfiTransaction plane = bench.command(0, AddressCodec::command(onfi::kProgramNextPlane), one.end);
          const OnfiTransaction two = bench.command(0, bench.codec.copyback_program(at(1, 5, page)), plane.ready_at);
          if (page == 1) {
            // Logical page 2 of plane 1 is replaced: 85h C1 C2, tCCS, data.
            StoredLpage mine = written(7);
            const OnfiTransaction column =
                bench.command(0, bench.codec.change_write_column(bench.codec.column_of(2)), two.end);
            const OnfiTransaction in = bench.data_in(0, &mine, 1, column.end + 400_ns);
            EXPECT_TRUE(in.ok);
            confirm = bench.command(0, AddressCodec::command(onfi::kProgramNextPage), in.end);
          } else {
            confirm = bench.command(
                0, AddressCodec::command(page == 2 ? onfi::kProgramConfirm : onfi::kProgramNextPage), two.end);
          }
          ASSERT_TRUE(confirm.ok);
          now = confirm.ready_at;
        }
        bench.until(confirm.end + 100_ns + 660_us);
        ASSERT_EQ(bench.readies.size(), 4U);
        EXPECT_EQ(bench.status(0, tlm_if::kernel_time()).status, kIdleStatus);
        for (std::uint32_t i = 0; i < 24; ++i) {
          const std::uint32_t page = i / 8;
          const PlaneId plane(static_cast<std::uint8_t>(i / 4 % 2));
          const StoredLpage copy = bench.dies[0]->array().lpage({plane, BlockId(5), PageId(page), i % 4});
          if (page == 1 && plane.value() == 1 && i % 4 == 2) {
            EXPECT_EQ(copy.lpn, written(7).lpn);
          } else {
            EXPECT_EQ(copy.token, filled_lpage(DieId(0), {plane, BlockId(2), PageId(6 + page), i % 4}).token) << i;
          }
        }
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCopyback, BitErrorsTravelOnUntilTheErase) {
  config::Config config = reference_config();
  config.nand.aging.pe_cycles = 2000;
  config.nand.aging.retention_days = 365;
  config.nand.geometry.program = config::ProgramGranularity::kPage;
  ChannelBench bench(config);
  simulate(
      [&] {
        flash::NandDie& die = *bench.dies[0];
        const auto read = [&](std::uint32_t block, std::uint8_t confirm) {
          bench.until(tlm_if::kernel_time() + 1_us);
          const OnfiTransaction t = bench.command(0, bench.codec.read(at(0, block, 0), confirm), tlm_if::kernel_time());
          bench.until(t.end + 100_ns + 37_us);
          std::array<unsigned, 8> errors{};
          for (unsigned i = 0; i < 8; ++i) errors[i] = die.registers().bit_errors(PlaneId(0), i / 2, i % 2);
          return errors;
        };
        const auto own = [&](std::uint32_t block, unsigned i) {
          return die.array().bit_errors(PlaneId(0), BlockId(block), PageId(0), i, ecc::kCodewordBits, 0);
        };
        const std::array<unsigned, 8> source = read(2, onfi::kReadCopyback);
        unsigned sum = 0;
        for (const unsigned errors : source) sum += errors;
        ASSERT_GT(sum, 0U);
        const OnfiTransaction load = bench.command(0, bench.codec.copyback_program(at(0, 5, 0)), tlm_if::kernel_time());
        StoredLpage mine = written(7);
        const OnfiTransaction in = bench.data_in(0, &mine, 1, load.end + 400_ns);  // logical page 0 is replaced
        const OnfiTransaction confirm = bench.command(0, AddressCodec::command(onfi::kProgramConfirm), in.end);
        ASSERT_TRUE(confirm.ok);
        bench.until(confirm.end + 2_ms);
        const std::array<unsigned, 8> copy = read(5, onfi::kReadConfirm);
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(copy[i], own(5, i) + (i < 2 ? 0 : source[i])) << i;
        EXPECT_EQ(die.array().lpage({PlaneId(0), BlockId(5), PageId(0), 0}).lpn, written(7).lpn);

        // A copy of the copy carries both.
        read(5, onfi::kReadCopyback);
        const std::array<unsigned, 8> again = [&] {
          std::array<unsigned, 8> errors{};
          for (unsigned i = 0; i < 8; ++i) errors[i] = die.registers().bit_errors(PlaneId(0), i / 2, i % 2);
          return errors;
        }();
        const OnfiTransaction second =
            bench.command(0, bench.codec.copyback_program(at(0, 6, 0)), tlm_if::kernel_time());
        const OnfiTransaction done = bench.command(0, AddressCodec::command(onfi::kProgramConfirm), second.end);
        bench.until(done.end + 2_ms);
        const std::array<unsigned, 8> third = read(6, onfi::kReadConfirm);
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(third[i], own(6, i) + again[i]) << i;

        const OnfiTransaction erase = bench.command(0, bench.codec.erase(at(0, 6, 0)), tlm_if::kernel_time() + 1_us);
        bench.until(erase.end + 5_ms);
        const OnfiTransaction fresh = bench.command(0, bench.codec.program(at(0, 6, 0)), tlm_if::kernel_time());
        std::vector<StoredLpage> lpages(4, written(1));
        const OnfiTransaction data = bench.data_in(0, lpages.data(), 4, fresh.end + 400_ns);
        const OnfiTransaction last = bench.command(0, AddressCodec::command(onfi::kProgramConfirm), data.end);
        bench.until(last.end + 2_ms);
        const std::array<unsigned, 8> clean = read(6, onfi::kReadConfirm);
        for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(clean[i], own(6, i)) << i;
      },
      limit());
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(NandDieCopyback, WhatIsNotInTheRegisterIsNotCopied) {
  ChannelBench bench(reference_config());
  expect_reports(true);
  simulate(
      [&] {
        EXPECT_FALSE(bench.command(0, bench.codec.copyback_program(at(0, 5, 0)), 0_ps).ok);
        EXPECT_FALSE(bench.command(0, bench.codec.change_write_column(4648), 1_us).ok);
        const OnfiTransaction read = bench.command(0, bench.codec.read(at(0, 2, 0), onfi::kReadCopyback), 2_us);
        bench.until(read.end + 100_ns + 37_us);
        EXPECT_EQ(reports_seen(), 2U);
        EXPECT_FALSE(bench.command(0, bench.codec.copyback_program(at(1, 5, 0)), tlm_if::kernel_time()).ok);  // plane 1
        EXPECT_EQ(reports_seen(), 1U);
        const OnfiTransaction load =
            bench.command(0, bench.codec.copyback_program(at(0, 5, 0)), tlm_if::kernel_time() + 1_us);
        EXPECT_TRUE(load.ok);
        const OnfiTransaction next = bench.command(0, AddressCodec::command(onfi::kProgramNextPage), load.end);
        EXPECT_TRUE(next.ok);
        // Between the pages of a unit only the next page of a copy is read.
        EXPECT_FALSE(bench.command(0, bench.codec.read(at(0, 2, 1)), next.ready_at).ok);
        EXPECT_EQ(reports_seen(), 1U);
      },
      limit());
}

}  // namespace
}  // namespace wordline::testing::nand_die_copyback_test
