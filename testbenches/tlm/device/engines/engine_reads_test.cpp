// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads of several logical pages: how they are cut, in which order and when their parts go to the host, and what makes
// them the firmware's, as a whole.
#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/engines/engine_bench.h"

namespace wordline::testing::engine_reads_test {
namespace {

namespace regs = registers::engines;

constexpr std::uint32_t kAll = WL_ENGINES_FLASH | WL_ENGINES_BUFFER;
constexpr std::uint32_t kNothing = 1, kPpa0 = 3, kInBuffer = 0x80000000U;
constexpr std::uint32_t kManySlots = 64;  // eight rows of a page, 8 logical pages
constexpr Picoseconds kLookUp = 86_ns;    // one burst: 16 ns on the port, 60 ns latency, 10 ns
// As in the gates, of whose clocks a lookup of one logical page has ten in 10 ns.
constexpr Picoseconds kNextLpage = 4_ns, kNextBurst = 5_ns + 16_ns;

void pass(Picoseconds t) { sc_core::wait(tlm_if::to_sc_time(t)); }
wl_flash_completion done(const wl_flash_job& job, wl_flash_status status = WL_FLASH_OK) {
  return {job.id, static_cast<std::uint8_t>(status), 0, 0};
}

TEST(EngineReads, AreCutAtPages) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    const Picoseconds now = tlm_if::kernel_time();
    ASSERT_TRUE(b.block.take_read(2, 5, 16));  // by the fill rule: PPAs 5 to 20, pages of 8, units of 24
    ASSERT_EQ(b.jobs.size(), 3U);
    const std::uint16_t lpage[] = {5, 0, 0}, count[] = {3, 8, 5}, id[] = {0, 8, 3};
    for (unsigned i = 0; i < 3; ++i) {
      const wl_flash_job& job = b.jobs[i].job;
      EXPECT_EQ(b.jobs[i].at.count(), (now + kLookUp + kNextLpage * 15 + kNextBurst + 40_ns + 5_ns * i).count()) << i;
      EXPECT_EQ(job.die, 0);
      EXPECT_EQ(job.page, i);
      EXPECT_EQ(job.lpage, lpage[i]);
      EXPECT_EQ(job.count, count[i]);
      EXPECT_EQ(job.tag, 2);
      EXPECT_EQ(job.id, id[i]) << "the first row has room for 3 and 5";
      EXPECT_EQ(job.slot, EngineBench::kSlotFirst + id[i]);
    }
    // They come back in another order. Each goes to the host at once; the last ends the command.
    pass(50_us);
    for (const unsigned i : {2U, 0U, 1U}) {
      ASSERT_TRUE(b.block.completed(b.jobs[i].job, done(b.jobs[i].job)));
      const auto& [job, from] = b.sent.back();
      EXPECT_EQ(from.count(), (tlm_if::kernel_time() + 80_ns).count());
      EXPECT_EQ(job.op, WL_JOB_DMA_OUT);
      EXPECT_EQ(job.count, count[i]);
      EXPECT_EQ(job.slot, b.jobs[i].job.slot);
      EXPECT_EQ(job.lpage, i == 0 ? 0U : i == 1 ? 3U : 11U);
      EXPECT_EQ(job.flags, i == 1 ? WL_JOB_THEN_COMPLETE : 0);
      pass(1_us);
    }
    EXPECT_EQ(b.sent.size(), 3U);
    EXPECT_EQ(b.read(regs::flash_reads), 1U);
    EXPECT_TRUE(b.handed_over.empty());
  });
}

TEST(EngineReads, OfAllKindsOfLogicalPages) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    b.map(100) = kInBuffer | 40;
    b.map(101) = kInBuffer | 41;
    b.map(102) = kInBuffer | 50;
    b.map(103) = b.map(104) = kNothing;
    b.map(105) = kPpa0 + 16;
    b.map(106) = kPpa0 + 17;
    b.map(107) = kPpa0 + 19;
    b.map(108) = kNothing;
    const Picoseconds known = tlm_if::kernel_time() + kLookUp + kNextLpage * 8;
    ASSERT_TRUE(b.block.take_read(7, 100, 9));
    ASSERT_EQ(b.jobs.size(), 2U) << "one page, but 18 is not read";
    EXPECT_EQ(b.jobs[0].job.count, 2);
    EXPECT_EQ(b.jobs[1].job.lpage, 3);
    ASSERT_EQ(b.sent.size(), 4U);
    const wl_host_job_op op[] = {WL_JOB_DMA_OUT, WL_JOB_DMA_OUT, WL_JOB_ZERO_OUT, WL_JOB_ZERO_OUT};
    const std::uint32_t lpage[] = {0, 2, 3, 8}, count[] = {2, 1, 2, 1};
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(b.sent[i].job.op, op[i]);
      EXPECT_EQ(b.sent[i].job.lpage, lpage[i]);
      EXPECT_EQ(b.sent[i].job.count, count[i]);
      EXPECT_EQ(b.sent[i].job.flags, 0) << "flash is still to come";
    }
    EXPECT_EQ(b.sent[0].job.slot, 40U);
    EXPECT_EQ(b.sent[1].job.slot, 50U);
    EXPECT_EQ(b.sent[0].from.count(), (known + 20_ns + 80_ns).count());
    EXPECT_EQ(b.sent[1].from.count(), (known + 25_ns + 80_ns).count()) << "one operation of each engine per run";
    EXPECT_EQ(b.sent[2].from.count(), (known + 80_ns).count()) << "the buffer's engine is not asked";
    EXPECT_EQ(b.sent[3].from.count(), (known + 5_ns + 80_ns).count());
    pass(10_us);
    ASSERT_TRUE(b.block.completed(b.jobs[0].job, done(b.jobs[0].job)));
    EXPECT_EQ(b.sent.back().job.flags, 0);
    ASSERT_TRUE(b.block.completed(b.jobs[1].job, done(b.jobs[1].job)));
    EXPECT_EQ(b.sent.back().job.flags, WL_JOB_THEN_COMPLETE);
    EXPECT_EQ(b.sent.back().job.lpage, 7U);
  });
}

TEST(EngineReads, WithoutFlashTheLastRunCompletes) {
  play(kAll, [](EngineBench& b) {
    b.map(100) = kInBuffer | 40;
    b.map(101) = kNothing;
    ASSERT_TRUE(b.block.take_read(7, 100, 2));
    ASSERT_EQ(b.sent.size(), 2U);
    EXPECT_EQ(b.sent[0].job.flags, 0);
    EXPECT_EQ(b.sent[1].job.flags, WL_JOB_THEN_COMPLETE);
    EXPECT_EQ(b.read(regs::buffer_reads), 1U);
    EXPECT_EQ(b.read(regs::zero_reads), 0U);
  });
}

TEST(EngineReads, AllOrNothing) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    b.map(100) = kInBuffer | 40;
    b.map(101) = kNothing;
    b.block.write_begins(103, 1);
    ASSERT_TRUE(b.block.take_read(1, 100, 4));
    EXPECT_EQ(b.handed_over.size(), 1U) << "103 is not settled";
    b.state(103).closed = 1;
    for (std::uint16_t tag = 0; tag < 6; ++tag) ASSERT_TRUE(b.block.take_read(tag, 8U * tag, 8));
    EXPECT_EQ(b.jobs.size(), 6U);
    ASSERT_TRUE(b.block.take_read(8, 200, 24));
    EXPECT_EQ(b.handed_over.size(), 2U) << "three pages, two rows";
    EXPECT_EQ(b.handed_over.back().flags, WL_EVENT_LOOKED_UP);
    EXPECT_TRUE(b.sent.empty());
    EXPECT_EQ(b.jobs.size(), 6U);
    ASSERT_TRUE(b.block.take_read(9, 200, 16));
    EXPECT_EQ(b.jobs.size(), 8U) << "the two rows were given back";
  });
}

TEST(EngineReads, AFragmentedRowDoesNotDo) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    for (std::uint32_t lpn = 0; lpn < kManySlots; ++lpn) {
      ASSERT_TRUE(b.block.take_read(static_cast<std::uint16_t>(lpn % 2), 2 * lpn, 1));
    }
    ASSERT_EQ(b.jobs.size(), kManySlots);
    pass(10_us);
    for (const auto& submitted : std::vector(b.jobs)) {
      if (submitted.job.tag == 0) continue;
      ASSERT_TRUE(b.block.completed(submitted.job, done(submitted.job)));
    }
    pass(10_us);
    ASSERT_TRUE(b.block.take_read(3, 300, 2));
    EXPECT_EQ(b.handed_over.size(), 1U) << "every other slot is free";
    ASSERT_TRUE(b.block.take_read(4, 300, 1));
    EXPECT_EQ(b.handed_over.size(), 1U);
  });
}

TEST(EngineReads, AFailureWaitsForTheOthers) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    b.map(15) = kNothing;
    ASSERT_TRUE(b.block.take_read(2, 0, 32));  // PPAs 0-14 in two runs, zeros, 16-31 in two
    ASSERT_EQ(b.jobs.size(), 4U);
    ASSERT_EQ(b.sent.size(), 1U);
    b.write(regs::grace, regs::grace_ppas_mask);
    pass(50_us);
    ASSERT_TRUE(b.block.completed(b.jobs[0].job, done(b.jobs[0].job)));
    EXPECT_EQ(b.sent.size(), 2U);
    ASSERT_TRUE(b.block.completed(b.jobs[1].job, done(b.jobs[1].job, WL_FLASH_UNCORRECTABLE)));
    ASSERT_TRUE(b.block.completed(b.jobs[3].job, done(b.jobs[3].job)));
    EXPECT_EQ(b.sent.size(), 2U) << "nothing more for a command that is given up";
    EXPECT_TRUE(b.handed_over.empty());
    pass(1_us);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 0U);
    ASSERT_TRUE(b.block.completed(b.jobs[2].job, done(b.jobs[2].job, WL_FLASH_UNCORRECTABLE)));
    ASSERT_EQ(b.handed_over.size(), 1U);
    EXPECT_EQ(b.handed_over[0].tag, 2);
    EXPECT_EQ(b.handed_over[0].flags, 0);
    EXPECT_EQ(b.handed_over[0].at.count(), (tlm_if::kernel_time() + 80_ns).count());
    for (const auto& sent : b.sent) EXPECT_EQ(sent.job.flags, 0) << "the firmware completes it";
    pass(100_us);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 1U);
    // All slots are back, and the tag serves another command.
    ASSERT_TRUE(b.block.take_read(2, 32, 32));
    ASSERT_TRUE(b.block.take_read(3, 64, 32));
    EXPECT_EQ(b.handed_over.size(), 1U);
    ASSERT_EQ(b.jobs.size(), 12U);
    for (unsigned i = 4; i < 8; ++i) ASSERT_TRUE(b.block.completed(b.jobs[i].job, done(b.jobs[i].job)));
    EXPECT_EQ(b.sent.back().job.flags, WL_JOB_THEN_COMPLETE);
  });
}

TEST(EngineReads, GraceOfPpasWaitsForTheWholeCommand) {
  play(kAll, [](EngineBench& b) {
    b.enable(kManySlots);
    ASSERT_TRUE(b.block.take_read(1, 0, 16));
    b.write(regs::grace, regs::grace_ppas_mask);
    pass(10_us);
    ASSERT_TRUE(b.block.completed(b.jobs[1].job, done(b.jobs[1].job)));
    pass(1_us);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 0U) << "its first page may still be read";
    ASSERT_TRUE(b.block.completed(b.jobs[0].job, done(b.jobs[0].job)));
    pass(1_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 1U);
  });
}

TEST(EngineReads, GraceOfSlotsWaitsForTheLastRun) {
  play(kAll, [](EngineBench& b) {
    b.map(100) = kInBuffer | 5;
    b.map(101) = kInBuffer | 9;
    b.map(102) = kInBuffer | 10;
    ASSERT_TRUE(b.block.take_read(1, 100, 4));  // and a logical page of flash
    ASSERT_EQ(b.sent.size(), 2U);
    const Picoseconds left = b.sent[1].from + b.transfer * 2;
    b.write(regs::grace, regs::grace_slots_mask);
    pass(left - tlm_if::kernel_time() - 1_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_SLOTS), 0U);
    pass(2_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_SLOTS), 1U);
    EXPECT_EQ(b.jobs.size(), 1U) << "the flash job is not waited for";
  });
}

}  // namespace
}  // namespace wordline::testing::engine_reads_test
