// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Coalescing of interrupts (Base 3.3.3.3; Features 08h and 09h), and arbitration by weights with commands that wait.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_interrupts_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

nvme::SubmissionEntry set_feature(std::uint32_t id, std::uint32_t value) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kSetFeatures;
  sqe.cdw10 = id;
  sqe.cdw11 = value;
  return sqe;
}

void complete(NvmeBench& bench, const wl_host_event& event) { bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0)); }

/// `count` flushes on queue 1 that have all completed.
void flushes(NvmeBench& bench, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bench.put(1, io(nvme::kFlush, 0, 1, 0));
  bench.ring(1);
  for (unsigned i = 0; i < count; ++i) complete(bench, bench.event());
}

/// Messages of vector 1 since the last call.
unsigned messages(NvmeBench& bench) {
  unsigned count = 0;
  for (const NvmeBench::Interrupt& interrupt : bench.interrupts) count += interrupt.vector == 1 ? 1 : 0;
  bench.interrupts.clear();
  return count;
}

/// Takes all entries of queue 1 that are there.
unsigned drain(NvmeBench& bench) {
  unsigned entries = 0;
  for (; bench.has_completion(1); ++entries) bench.completion(1, false);
  bench.ring_head(1);
  return entries;
}

void let_pass(Picoseconds time) { sc_core::wait(tlm_if::to_sc_time(time)); }

// n completions that come closer than TIME: n / (THR + 1) messages when they are there, one more for the rest; without
// THR or TIME one each.
TEST(NvmeCoalescing, MessagesAreThoseOfTheClosedForm) {
  struct Setting {
    std::uint32_t threshold, time;  // as in dword 11: counted from 0, 100 us
    unsigned completions;
  };
  constexpr std::array<Setting, 10> kSettings{{{0, 0, 9},
                                               {0, 5, 9},
                                               {5, 0, 9},
                                               {1, 1, 9},
                                               {2, 1, 9},
                                               {3, 1, 8},
                                               {3, 2, 9},
                                               {7, 1, 14},
                                               {9, 3, 9},
                                               {255, 1, 14}}};
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    for (const Setting& s : kSettings) {
      bench.admin(set_feature(nvme::kFeatureInterruptCoalescing, s.time << 8 | s.threshold));
      bench.interrupts.clear();
      flushes(bench, s.completions);
      let_pass(20_us);
      const bool coalesced = s.threshold != 0 && s.time != 0;
      const unsigned whole = coalesced ? s.completions / (s.threshold + 1) : s.completions;
      const unsigned rest = coalesced && s.completions % (s.threshold + 1) != 0 ? 1 : 0;
      EXPECT_EQ(messages(bench), whole) << "THR " << s.threshold << " TIME " << s.time;
      let_pass(100_us * static_cast<std::int64_t>(s.time));
      EXPECT_EQ(messages(bench), rest) << "THR " << s.threshold << " TIME " << s.time;
      EXPECT_EQ(drain(bench), s.completions);
    }
  });
}

TEST(NvmeCoalescing, TheFirstEntryWaitsForTheTimeToThePicosecond) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.interrupts.clear();
    flushes(bench, 1);
    let_pass(10_us);
    ASSERT_EQ(bench.interrupts.size(), 1U);
    const Picoseconds begin = tlm_if::kernel_time() - 10_us;
    const Picoseconds alone = bench.interrupts[0].at - begin;
    drain(bench);
    bench.admin(set_feature(nvme::kFeatureInterruptCoalescing, 3U << 8 | 7U));
    bench.interrupts.clear();
    flushes(bench, 1);
    const Picoseconds again = tlm_if::kernel_time();
    let_pass(400_us);
    ASSERT_EQ(bench.interrupts.size(), 1U);
    // Alone the message follows the entry on the wire; here it is sent when the entry has been there for the time.
    EXPECT_EQ(bench.interrupts[0].at - again, alone - 28_ns + 300_us + 28_ns + 100_ns);
    drain(bench);
  });
}

TEST(NvmeCoalescing, AVectorIsLeftOutAndTheAdminQueueAlwaysIs) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    using namespace nvme;
    const auto read = [&](std::uint32_t id, std::uint32_t value = 0) {
      SubmissionEntry sqe = set_feature(id, value);
      sqe.opcode = kGetFeatures;
      return bench.admin(sqe).dw0;
    };
    bench.admin(set_feature(kFeatureInterruptCoalescing, 0x0107));  // the answer has a message
    EXPECT_EQ(read(kFeatureInterruptCoalescing), 0x0107U);
    EXPECT_EQ(read(kFeatureInterruptVector, 0), 1U << 16);
    EXPECT_EQ(read(kFeatureInterruptVector, 1), 1U);
    EXPECT_EQ(status_of(bench.admin(set_feature(kFeatureInterruptVector, 0))), kFeatureNotChangeable | kDnr);
    EXPECT_EQ(status_of(bench.admin(set_feature(kFeatureInterruptVector, 64))), kInvalidField | kDnr);
    bench.admin(set_feature(kFeatureInterruptVector, 1U << 16 | 1U));
    EXPECT_EQ(read(kFeatureInterruptVector, 1), 1U << 16 | 1U);
    bench.interrupts.clear();
    flushes(bench, 5);
    let_pass(20_us);
    EXPECT_EQ(messages(bench), 5U);
    drain(bench);
  });
}

TEST(NvmeCoalescing, WhatIsHeldIsToldOfWhenCoalescingEnds) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.admin(set_feature(nvme::kFeatureInterruptCoalescing, 0xff07));
    bench.interrupts.clear();
    flushes(bench, 3);
    let_pass(20_us);
    EXPECT_EQ(messages(bench), 0U);
    bench.admin(set_feature(nvme::kFeatureInterruptCoalescing, 0));
    let_pass(1_us);
    EXPECT_EQ(messages(bench), 1U);
    EXPECT_EQ(drain(bench), 3U);
  });
}

// Four tags, so commands wait in the queues; whenever one ends, the next is fetched by weight.
TEST(NvmeArbitration, CommandsThatWaitAreFetchedByWeight) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 4;
  NvmeBench bench(config);
  play([&] {
    bench.weighted = true;
    bench.bring_up(64, 64);
    using namespace nvme;
    bench.admin(set_feature(kFeatureArbitration, 7U | (1U - 1) << 8 | (2U - 1) << 16 | (4U - 1) << 24));
    for (std::uint16_t qid = 2; qid <= 4; ++qid) {
      ASSERT_EQ(status_of(bench.create_queue(qid, 64, 64, static_cast<QueuePriority>(qid - 1))), kSuccess);
    }
    for (std::uint16_t qid = 2; qid <= 4; ++qid) {
      for (std::uint64_t i = 0; i < 56; ++i) bench.put(qid, io(kWriteZeroes, std::uint64_t{qid} * 100, 1, 0));
      bench.ring(qid);
    }
    std::map<std::uint64_t, unsigned> commands;
    for (int i = 0; i < 60; ++i) {
      const wl_host_event event = bench.event();
      if (i >= 4) ++commands[event.slba / 100];  // the first four came alone
      complete(bench, event);
    }
    EXPECT_NEAR(commands[2], 32, 2) << "high: 4 of 7";
    EXPECT_NEAR(commands[3], 16, 2) << "medium: 2 of 7";
    EXPECT_NEAR(commands[4], 8, 2) << "low: 1 of 7";
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_interrupts_test
