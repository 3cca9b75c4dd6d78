// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Times of every engine to the picosecond, and what makes a command the firmware's.
#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/engines/engine_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::engine_block_test {
namespace {

namespace regs = registers::engines;

constexpr std::uint32_t kAll = WL_ENGINES_FLASH | WL_ENGINES_BUFFER;
constexpr std::uint32_t kNothing = 1, kLost = 2, kPpa0 = 3, kInBuffer = 0x80000000U;
// One burst of 64 bytes: 16 ns on the port, 60 ns latency; then the l2p engine's 10 ns.
constexpr Picoseconds kLookUp = 86_ns;
// As in the gates, of whose clocks a lookup of one logical page has ten in 10 ns.
constexpr Picoseconds kNextLpage = 4_ns, kNextBurst = 5_ns + 16_ns;

void pass(Picoseconds t) { sc_core::wait(tlm_if::to_sc_time(t)); }
wl_flash_completion done(const wl_flash_job& job, wl_flash_status status = WL_FLASH_OK) {
  return {job.id, static_cast<std::uint8_t>(status), 0, 0};
}

TEST(Engines, LookedUpForTheFirmwareWhenThereIsNoMore) {
  play(WL_ENGINE_L2P, [](EngineBench& b) {
    const Picoseconds now = tlm_if::kernel_time();
    b.map(20) = kInBuffer | 7;
    b.state(20).changes = 5;
    ASSERT_TRUE(b.block.take_read(3, 20, 2));
    ASSERT_EQ(b.handed_over.size(), 1U);
    EXPECT_EQ(b.handed_over[0].tag, 3);
    EXPECT_EQ(b.handed_over[0].flags, WL_EVENT_LOOKED_UP);
    EXPECT_EQ(b.handed_over[0].at.count(), (now + kLookUp + kNextLpage).count());
    EXPECT_EQ(b.answer(3).value[0], kInBuffer | 7);
    EXPECT_EQ(b.answer(3).changes[0], 5U);
    EXPECT_EQ(b.answer(3).value[1], 21 + kPpa0) << "never written: by the fill rule";
    EXPECT_EQ(b.read(regs::looked_up), 2U);
  });
}

TEST(Engines, EntriesInTwoBurstsTakeTwo) {
  play(WL_ENGINE_L2P, [](EngineBench& b) {
    const Picoseconds now = tlm_if::kernel_time();
    ASSERT_TRUE(b.block.take_read(3, 15, 2));  // 16 entries of 4 bytes to a burst
    EXPECT_EQ(b.handed_over[0].at.count(), (now + kLookUp + kNextLpage + kNextBurst).count());
    ASSERT_TRUE(b.block.take_read(4, 0, 500));
    EXPECT_EQ(b.read(regs::looked_up), 2U + WL_LOOKUP_LPAGES);
  });
}

TEST(Engines, AFlashReadRunsThroughAllOfThem) {
  play(kAll, [](EngineBench& b) {
    const Picoseconds now = tlm_if::kernel_time();
    b.map(9) = kPpa0 + 3 * 24 + 17;  // unit 3: die 3, row 0; page 2, logical page 1
    ASSERT_TRUE(b.block.take_read(2, 9, 1));
    EXPECT_TRUE(b.handed_over.empty());
    ASSERT_EQ(b.jobs.size(), 1U);
    EXPECT_EQ(b.jobs[0].at.count(), (now + kLookUp + 40_ns).count());
    const wl_flash_job job = b.jobs[0].job;
    EXPECT_EQ(job.op, WL_FLASH_READ);
    EXPECT_EQ(job.flags, WL_FLASH_ENGINE);
    EXPECT_EQ(job.tag, 2);
    EXPECT_EQ(job.die, 3);
    EXPECT_EQ(job.block, 0U);
    EXPECT_EQ(job.page, 2U);
    EXPECT_EQ(job.lpage, 1);
    EXPECT_EQ(job.count, 1);
    EXPECT_GE(job.slot, EngineBench::kSlotFirst);
    pass(50_us);
    ASSERT_TRUE(b.block.completed(job, done(job)));
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].job.tag, 2);
    EXPECT_EQ(b.sent[0].job.slot, job.slot);
    EXPECT_EQ(b.sent[0].from.count(), (tlm_if::kernel_time() + 80_ns).count());
    EXPECT_EQ(b.sent[0].job.flags, WL_JOB_THEN_COMPLETE);
    EXPECT_EQ(b.read(regs::flash_reads), 1U);
    EXPECT_EQ(b.read(regs::handed_over), 0U);
  });
}

TEST(Engines, ABufferedLogicalPageComesFromItsSlot) {
  play(kAll, [](EngineBench& b) {
    const Picoseconds now = tlm_if::kernel_time();
    b.map(9) = kInBuffer | 42;
    ASSERT_TRUE(b.block.take_read(2, 9, 1));
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].job.slot, 42U);
    EXPECT_EQ(b.sent[0].from.count(), (now + kLookUp + 20_ns + 80_ns).count());
    EXPECT_EQ(b.read(regs::buffer_reads), 1U);
  });
}

TEST(Engines, WithoutTheBufferEngineItIsTheFirmwares) {
  play(WL_ENGINES_FLASH, [](EngineBench& b) {
    b.map(9) = kInBuffer | 42;
    ASSERT_TRUE(b.block.take_read(2, 9, 1));
    EXPECT_TRUE(b.sent.empty());
    ASSERT_EQ(b.handed_over.size(), 1U);
    EXPECT_EQ(b.handed_over[0].flags, WL_EVENT_LOOKED_UP);
  });
}

TEST(Engines, AWriteUnderWayKeepsReadsWithTheFirmware) {
  play(kAll, [](EngineBench& b) {
    b.block.write_begins(8, 2);
    EXPECT_EQ(b.state(8).opened, 1U);
    EXPECT_EQ(b.state(10).opened, 0U);
    ASSERT_TRUE(b.block.take_read(1, 9, 1));
    ASSERT_TRUE(b.block.take_read(2, 9 + WL_LPAGE_STATES, 1));  // hashes alike
    EXPECT_EQ(b.handed_over.size(), 2U);
    ASSERT_TRUE(b.block.take_read(3, 10, 1));
    EXPECT_EQ(b.handed_over.size(), 2U);
    b.state(9).closed = 1;
    ASSERT_TRUE(b.block.take_read(4, 9, 1));
    EXPECT_EQ(b.handed_over.size(), 2U);
    EXPECT_EQ(b.jobs.size(), 2U);
  });
}

TEST(Engines, ZerosNeedNoFlash) {
  play(WL_ENGINE_L2P | WL_ENGINE_COMPLETION, [](EngineBench& b) {
    const Picoseconds now = tlm_if::kernel_time();
    for (std::uint32_t lpn = 9; lpn < 12; ++lpn) b.map(lpn) = kNothing;
    ASSERT_TRUE(b.block.take_read(1, 9, 3));
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].job.op, WL_JOB_ZERO_OUT);
    EXPECT_EQ(b.sent[0].job.count, 3);
    EXPECT_EQ(b.sent[0].job.lpage, 0U);
    EXPECT_EQ(b.sent[0].job.flags, WL_JOB_THEN_COMPLETE);
    EXPECT_EQ(b.sent[0].from.count(), (now + kLookUp + kNextLpage * 2 + 80_ns).count());
    EXPECT_EQ(b.read(regs::zero_reads), 1U);
    ASSERT_TRUE(b.block.take_read(2, 11, 2));
    EXPECT_EQ(b.handed_over.size(), 1U) << "12 lies in flash, and there is no job engine";
  });
}

TEST(Engines, WhatIsLostOrTooLongIsTheFirmwares) {
  play(kAll, [](EngineBench& b) {
    b.map(10) = kLost;
    ASSERT_TRUE(b.block.take_read(1, 10, 1));
    ASSERT_TRUE(b.block.take_read(2, 9, 2));
    ASSERT_TRUE(b.block.take_read(3, 20, WL_LOOKUP_LPAGES + 1));
    EXPECT_EQ(b.handed_over.size(), 3U);
    for (const auto& h : b.handed_over) EXPECT_EQ(h.flags, WL_EVENT_LOOKED_UP);
    EXPECT_TRUE(b.jobs.empty());
    EXPECT_TRUE(b.sent.empty());
  });
}

TEST(Engines, AFailedReadIsHandedOver) {
  play(kAll, [](EngineBench& b) {
    ASSERT_TRUE(b.block.take_read(2, 9, 1));
    pass(50_us);
    ASSERT_TRUE(b.block.completed(b.jobs[0].job, done(b.jobs[0].job, WL_FLASH_UNCORRECTABLE)));
    EXPECT_TRUE(b.sent.empty());
    ASSERT_EQ(b.handed_over.size(), 1U);
    EXPECT_EQ(b.handed_over[0].flags, 0) << "nothing looked up is left";
    EXPECT_EQ(b.handed_over[0].at.count(), (tlm_if::kernel_time() + 80_ns).count());
  });
}

TEST(Engines, SlotsComeBackWhenTheDataHaveLeft) {
  play(kAll, [](EngineBench& b) {
    for (std::uint16_t tag = 0; tag < EngineBench::kSlots; ++tag) ASSERT_TRUE(b.block.take_read(tag, tag, 1));
    ASSERT_TRUE(b.block.take_read(8, 8, 1));
    EXPECT_EQ(b.handed_over.size(), 1U) << "no slot";
    pass(1_us);
    ASSERT_TRUE(b.block.completed(b.jobs[2].job, done(b.jobs[2].job)));
    pass(80_ns + b.transfer - 1_ps);
    ASSERT_TRUE(b.block.take_read(9, 9, 1));
    EXPECT_EQ(b.handed_over.size(), 2U) << "one picosecond early";
    pass(1_ps);
    ASSERT_TRUE(b.block.take_read(10, 10, 1));
    EXPECT_EQ(b.handed_over.size(), 2U);
    EXPECT_EQ(b.jobs.back().job.slot, b.jobs[2].job.slot);
  });
}

TEST(Engines, TheFirmwaresJobsAreBuiltInTurn) {
  play(WL_ENGINE_JOB, [](EngineBench& b) {
    b.post({WL_FLASH_READ, WL_PRIORITY_GC, 11, 5, 6, kPpa0 + 24 * 16, 70, WL_FLASH_AUTOMATIC, 0});
    b.post({WL_FLASH_PROGRAM, WL_PRIORITY_HOST, 12, WL_NO_TAG, 24, 24 * 5, 0, 0, WL_PROGRAM_REPORT | 7});
    const Picoseconds now = tlm_if::kernel_time();
    b.write(regs::job_doorbell, 2, 300_ns);
    pass(299_ns);
    EXPECT_TRUE(b.jobs.empty());
    pass(2_ns);
    ASSERT_EQ(b.jobs.size(), 2U);
    EXPECT_EQ(b.jobs[0].at.count(), (now + 340_ns).count());
    EXPECT_EQ(b.jobs[1].at.count(), (now + 345_ns).count());
    const wl_flash_job read = b.jobs[0].job, program = b.jobs[1].job;
    EXPECT_EQ(read.id, 11);
    EXPECT_EQ(read.tag, 5);
    EXPECT_EQ(read.flags, WL_FLASH_AUTOMATIC);
    EXPECT_EQ(read.priority, WL_PRIORITY_GC);
    EXPECT_EQ(read.block, 1U);
    EXPECT_EQ(read.lpage, 3);
    EXPECT_EQ(read.count, 6);
    EXPECT_EQ(read.slot, 70U);
    EXPECT_EQ(program.op, WL_FLASH_PROGRAM);
    EXPECT_EQ(program.die, 1);
    EXPECT_EQ(program.page, 3U);
    EXPECT_EQ(read.control, 0U);
    EXPECT_EQ(program.control, WL_PROGRAM_REPORT | 7U);
  });
}

TEST(Engines, TheFirmwaresReadIsFinishedAndItIsTold) {
  play(WL_ENGINE_COMPLETION, [](EngineBench& b) {
    wl_flash_job job{};
    job.op = WL_FLASH_READ;
    job.tag = 6;
    job.slot = 33;
    job.count = 4;
    job.flags = WL_FLASH_AUTOMATIC;
    EXPECT_FALSE(b.block.completed(job, done(job, WL_FLASH_UNCORRECTABLE))) << "the firmware's ring";
    EXPECT_TRUE(b.block.completed(job, done(job)));
    ASSERT_EQ(b.sent.size(), 1U);
    EXPECT_EQ(b.sent[0].job.count, 4);
    EXPECT_EQ(b.sent[0].job.flags, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY);
    EXPECT_FALSE(b.block.take_read(1, 1, 1));
  });
}

TEST(Engines, GraceOfPpasWaitsForReadsThatHadBegun) {
  play(kAll, [](EngineBench& b) {
    ASSERT_TRUE(b.block.take_read(1, 1, 1));
    b.write(regs::grace, regs::grace_ppas_mask, 100_ns);
    ASSERT_TRUE(b.block.take_read(2, 2, 1));
    pass(10_us);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 0U);
    ASSERT_TRUE(b.block.completed(b.jobs[1].job, done(b.jobs[1].job)));
    pass(1_us);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 0U);
    ASSERT_TRUE(b.block.completed(b.jobs[0].job, done(b.jobs[0].job)));
    pass(1_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 1U);
    EXPECT_EQ(b.raised, std::vector<unsigned>{WL_IRQ_ENGINE});
    b.write(regs::grace, regs::grace_ppas_mask, 100_ns);
    pass(99_ns);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 1U) << "not before it was asked for";
    pass(2_ns);
    EXPECT_EQ(b.grace_done(WL_GRACE_PPAS), 2U);
  });
}

TEST(Engines, GraceOfSlotsWaitsForTheDataToLeave) {
  play(kAll, [](EngineBench& b) {
    b.map(1) = kInBuffer | 5;
    ASSERT_TRUE(b.block.take_read(1, 1, 1));
    const Picoseconds left = b.sent[0].from + b.transfer;
    b.write(regs::grace, regs::grace_slots_mask);
    pass(left - tlm_if::kernel_time() - 1_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_SLOTS), 0U);
    pass(2_ps);
    EXPECT_EQ(b.grace_done(WL_GRACE_SLOTS), 1U);
  });
}

// Against the definition: a PPA is valid when the map points back to it.
TEST(Engines, AScanListsWhatIsValid) {
  play(WL_ENGINE_GC, [](EngineBench& b) {
    // Filled by rule: PPAs 100 to 109 hold logical pages 100 to 109. 103 was written again elsewhere, 105 is padding;
    // 106 names a logical page that lies at 500, and 107 one that is in the buffer.
    b.map(103) = kPpa0 + 700;
    b.owner(105) = 0xffffffffU;
    b.map(105) = kPpa0 + 701;
    b.owner(106) = 50 + 1;
    b.map(107) = kInBuffer | 3;
    b.owner(108) = 60 + 1;
    b.map(60) = kPpa0 + 108;
    const Picoseconds now = tlm_if::kernel_time();
    b.write(regs::scan_end, 110);
    b.write(regs::scan, 100, 200_ns);
    // Ten PPAs, 5 ns apart, eight at a time; owners in one burst (112 begins the next). The owners come 76 ns after
    // the first has begun; then nine map entries of 16 ns each on the port, and 60 ns to the last. (Owner bursts are
    // not in between.)
    const Picoseconds first = 200_ns + 76_ns;
    pass(first);
    EXPECT_EQ(b.found().done, 0U);
    pass(2_us);
    ASSERT_EQ(b.found().done, 1U);
    EXPECT_EQ(b.raised, std::vector<unsigned>{WL_IRQ_ENGINE});
    ASSERT_EQ(b.found().count, 6U);
    EXPECT_EQ(b.found().next, 110U);
    const std::uint32_t expected[] = {100, 101, 102, 104, 108, 109};
    for (unsigned i = 0; i < 6; ++i) {
      EXPECT_EQ(b.found().found[i].ppa, expected[i]);
      EXPECT_EQ(b.found().found[i].lpn, expected[i] == 108 ? 60 : expected[i]);
    }
    EXPECT_EQ(b.read(regs::scanned), 10U);
    (void)now;
  });
}

TEST(Engines, TimeOfAScan) {
  play(WL_ENGINE_GC, [](EngineBench& b) {
    b.owner(40) = 0xffffffffU;  // one PPA, nothing there: the owner's burst, then the latency
    b.write(regs::scan_end, 41);
    b.write(regs::scan, 40, 200_ns);
    pass(200_ns + 76_ns + 7_ns - 1_ps);
    EXPECT_EQ(b.found().done, 0U);
    pass(1_ps);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(b.found().done, 1U);
    EXPECT_EQ(b.found().count, 0U);
    b.write(regs::scan_end, 43);  // two PPAs with owners: 42's map entry follows 41's on the port
    b.write(regs::scan, 41);
    pass(76_ns + 76_ns + 16_ns + 7_ns - 1_ps);
    EXPECT_EQ(b.found().done, 1U);
    pass(1_ps);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(b.found().done, 2U);
    EXPECT_EQ(b.found().count, 2U);
  });
}

TEST(Engines, AScanStopsWhenItsListIsFull) {
  play(WL_ENGINE_GC, [](EngineBench& b) {
    b.write(regs::scan_end, 3000);
    b.write(regs::scan, 0);
    pass(50_us);
    EXPECT_EQ(b.found().count, WL_GC_FOUND);
    EXPECT_EQ(b.found().next, WL_GC_FOUND);
    for (std::uint32_t ppa = 1000; ppa < 2000; ++ppa) b.owner(ppa) = 0xffffffffU;
    b.write(regs::scan, 1000);
    pass(50_us);
    EXPECT_EQ(b.found().count, 0U);
    EXPECT_EQ(b.found().next, 1000 + WL_GC_SCAN) << "or has looked at enough";
  });
}

TEST(Engines, WrongUseIsReported) {
  play(kAll, [](EngineBench& b) {
    expect_reports(true);
    ASSERT_TRUE(b.block.take_read(1, 1, 1));
    b.write(regs::grace, regs::grace_ppas_mask);
    b.write(regs::grace, regs::grace_ppas_mask);
    EXPECT_EQ(reports_seen(), 1U) << "two grace periods of a kind";
    EXPECT_FALSE(b.block.take_read(1, EngineBench::kLpages, 1));
    EXPECT_EQ(reports_seen(), 1U) << "a logical page outside of the map";
    b.write(regs::enable, 0);
    b.write(regs::job_ring_size, 3);
    b.write(regs::enable, kAll);
    EXPECT_EQ(reports_seen(), 1U) << "a ring that is no power of two";
    EXPECT_EQ(b.read(regs::enable), 0U);
    b.write(regs::job_doorbell, 1);
    pass(1_ns);
    EXPECT_EQ(reports_seen(), 1U) << "a doorbell without the engine";
    b.write(regs::scan, 1);
    EXPECT_EQ(reports_seen(), 1U) << "a scan without the engine";
    expect_reports(false);
  });
}

TEST(Engines, OnlyThoseOfTheConfigurationCanBeEnabled) {
  play(WL_ENGINE_L2P | WL_ENGINE_JOB, [](EngineBench& b) {
    EXPECT_EQ(b.read(regs::present), static_cast<std::uint32_t>(WL_ENGINE_L2P | WL_ENGINE_JOB));
    EXPECT_EQ(b.read(regs::enable), static_cast<std::uint32_t>(WL_ENGINE_L2P | WL_ENGINE_JOB));
  });
}

}  // namespace
}  // namespace wordline::testing::engine_block_test
