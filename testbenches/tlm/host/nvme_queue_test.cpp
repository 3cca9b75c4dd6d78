// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Queues under load: bursts, arbitration, tags, wrap-around, back-pressure, refused commands, Dataset Management.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_queue_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;

nvme::SubmissionEntry flush() { return io(nvme::kFlush, 0, 1, 0); }
void complete(NvmeBench& bench, const wl_host_event& event) { bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0)); }

TEST(NvmeFetchTest, BurstsOverlapAndTheParserTakesOneAfterTheOther) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const Picoseconds start = tlm_if::kernel_time();
    for (std::uint64_t i = 0; i < 6; ++i) bench.put(1, io(nvme::kWriteZeroes, i, 1, 0));
    bench.ring(1);
    // Doorbell at 128. Four entries: request 128..152, data 252..532, there at 632. Two: request 152..176, data
    // 532..684.
    const Picoseconds pushed[] = {832_ns, 1032_ns, 1232_ns, 1432_ns, 1632_ns, 1832_ns};
    for (std::uint64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(bench.event().slba, i);
      EXPECT_EQ(tlm_if::kernel_time(), start + pushed[i]) << i;
    }
  });
}

TEST(NvmeFetchTest, DoorbellsInOrderOfArrival) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kWriteZeroes, 1, 1, 0));  // doorbell 0..28, there at 128
    bench.submit(1, io(nvme::kWriteZeroes, 2, 1, 0));  // 28..56, there at 156
    EXPECT_EQ(bench.event().slba, 1U);
    EXPECT_EQ(tlm_if::kernel_time(), start + 640_ns);
    EXPECT_EQ(bench.event().slba, 2U);
    // Its data would be there at 468, but the wire is taken: 252..340 for the first, then 340..428.
    EXPECT_EQ(tlm_if::kernel_time(), start + 840_ns);  // and the parser until 640
  });
}

TEST(NvmeFetchTest, BurstEndsWhereTheQueueWraps) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(4, 16);
    for (int i = 0; i < 2; ++i) {
      bench.submit(1, flush());
      complete(bench, bench.event());
      bench.completion(1);
    }
    pass(1_us);
    const Picoseconds start = tlm_if::kernel_time();
    for (std::uint64_t i = 0; i < 3; ++i) bench.put(1, io(nvme::kWriteZeroes, i, 1, 0));  // positions 2, 3, 0
    bench.ring(1);
    // Two entries: request 128..152, data 252..404, there at 504. One: request 152..176, data 404..492, there at 592.
    const Picoseconds pushed[] = {704_ns, 904_ns, 1104_ns};
    for (std::uint64_t i = 0; i < 3; ++i) {
      const wl_host_event event = bench.event();
      EXPECT_EQ(event.slba, i);
      EXPECT_EQ(tlm_if::kernel_time(), start + pushed[i]);
      complete(bench, event);
    }
    for (const std::uint16_t head : {3, 0, 1}) EXPECT_EQ(bench.completion(1).sq_head, head);
  });
}

TEST(NvmeFetchTest, WaitsForATagAndTakesItWhenTheEntryLeaves) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 2;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (std::uint64_t i = 0; i < 3; ++i) bench.put(1, io(nvme::kRead, i * 8, 8, page));
    bench.ring(1);
    const wl_host_event first = bench.event();
    const wl_host_event second = bench.event();
    EXPECT_NE(first.tag, second.tag);
    EXPECT_EQ(bench.controller.tags_in_use(), 2U);
    pass(10_us);
    EXPECT_FALSE(bench.has_event());
    const Picoseconds start = tlm_if::kernel_time();
    bench.run_job(job_of(WL_JOB_DMA_OUT, first, 0, 1, WL_JOB_THEN_COMPLETE));
    const Picoseconds leaves = start + 1074_ns + 4480_ns;
    pass(leaves - start - 1_ps);
    EXPECT_EQ(bench.controller.tags_in_use(), 2U);
    const wl_host_event third = bench.event();
    EXPECT_EQ(third.slba, 16U);
    EXPECT_EQ(third.tag, first.tag);
    // Entry and message go first (68 ns), then request 24 + 100, data 88 + 100, parse 200.
    EXPECT_EQ(tlm_if::kernel_time(), leaves + 68_ns + 312_ns + 200_ns);
  });
}

// Queue 1 has all that it may have in flight, and leaves the other tags to queue 2.
TEST(NvmeFetchTest, AQueueHasItsTagsAndNoMore) {
  config::Config config = nvme_bench_config();
  config.nvme.queue_tags = 2;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    bench.create_queue(2, 16, 16);
    for (std::uint64_t i = 0; i < 5; ++i) bench.put(1, io(nvme::kWriteZeroes, 100 + i, 1, 0));
    bench.ring(1);
    std::vector<wl_host_event> events;
    for (int i = 0; i < 2; ++i) events.push_back(bench.event());
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    bench.submit(1, io(nvme::kWriteZeroes, 105, 1, 0));  // a doorbell changes nothing
    bench.submit(2, io(nvme::kWriteZeroes, 200, 1, 0));
    EXPECT_EQ(bench.event().slba, 200U);
    EXPECT_EQ(bench.controller.tags_in_use(), 3U);
    for (std::size_t i = 0; i < 6; ++i) {
      pass(20_us);
      EXPECT_FALSE(bench.has_event());
      EXPECT_EQ(events[i].slba, 100 + i);
      complete(bench, events[i]);
      bench.completion(1);
      if (i < 4) events.push_back(bench.event());
    }
    EXPECT_EQ(bench.controller.fetched(1), 6U);
    EXPECT_EQ(bench.controller.fetched(2), 1U);
  });
}

TEST(NvmeFetchTest, QueuesTakeTurns) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 1;
  config.nvme.fetch_burst = 2;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    bench.create_queue(2, 16, 16);
    for (std::uint64_t i = 0; i < 3; ++i) {
      bench.put(1, io(nvme::kWriteZeroes, 100 + i, 1, 0));
      bench.put(2, io(nvme::kWriteZeroes, 200 + i, 1, 0));
    }
    bench.ring(1);
    bench.ring(2);
    for (const std::uint64_t slba : {100, 200, 101, 201, 102, 202}) {
      const wl_host_event event = bench.event();
      EXPECT_EQ(event.slba, slba);
      complete(bench, event);
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(bench.completion(1).sq_id, 1);
      EXPECT_EQ(bench.completion(2).sq_id, 2);
    }
  });
}

TEST(NvmeCompletionTest, PhaseTurnsWithEveryRound) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(3, 4);
    for (std::uint32_t i = 0; i < 21; ++i) {
      const std::uint16_t cid = bench.submit(1, flush());
      complete(bench, bench.event());
      const nvme::CompletionEntry entry = bench.completion(1);
      EXPECT_EQ(entry.cid, cid);
      EXPECT_EQ(nvme::phase_of(entry), i / 4 % 2 == 0) << i;
      EXPECT_EQ(entry.sq_head, (i + 1) % 3);
    }
    EXPECT_EQ(bench.interrupts.size(), 21U);
  });
}

TEST(NvmeCompletionTest, FullQueueHoldsEntriesBackUntilTheHeadMoves) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(16, 3);  // room for two
    for (int i = 0; i < 5; ++i) bench.put(1, flush());
    bench.ring(1);
    std::vector<std::uint16_t> tags;
    for (int i = 0; i < 5; ++i) {
      const wl_host_event event = bench.event();
      tags.push_back(event.tag);
      complete(bench, event);
    }
    const std::uint16_t first = bench.completion(1, false).cid;
    EXPECT_EQ(bench.completion(1, false).cid, first + 1);
    pass(50_us);
    EXPECT_FALSE(bench.has_completion(1));
    EXPECT_EQ(bench.controller.tags_in_use(), 3U);  // those that wait
    const Picoseconds start = tlm_if::kernel_time();
    bench.ring_head(1);  // there at 128: both slots
    EXPECT_EQ(bench.completion(1, false).cid, first + 2);
    EXPECT_EQ(tlm_if::kernel_time(), start + 128_ns + kEntry);
    EXPECT_EQ(bench.completion(1, false).cid, first + 3);
    EXPECT_EQ(tlm_if::kernel_time(), start + 128_ns + 68_ns + kEntry);
    pass(50_us);
    EXPECT_FALSE(bench.has_completion(1));
    bench.ring_head(1);
    EXPECT_EQ(bench.completion(1).cid, first + 4);
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
  });
}

TEST(NvmeCompletionTest, QuietEventDoesNotWaitForASlot) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(16, 2);  // room for one
    const std::uint64_t page = bench.memory.allocate();
    for (int i = 0; i < 2; ++i) bench.put(1, io(nvme::kRead, 0, 8, page));
    bench.ring(1);
    complete(bench, bench.event());
    const wl_host_event second = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_OUT, second, 3, 1, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY_QUIET));
    pass(1074_ns + 4480_ns + 1_ps);
    ASSERT_TRUE(bench.has_event());
    EXPECT_EQ(bench.event().slot, 3U);
    bench.completion(1);
    bench.completion(1);
    EXPECT_FALSE(bench.has_event());  // once
  });
}

// An entry that is ready first goes first, whoever's job came first.
TEST(NvmeCompletionTest, EntriesLieInOrderOfArrival) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint16_t read = bench.put(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    const std::uint16_t other = bench.put(1, flush());
    bench.ring(1);
    const wl_host_event first = bench.event();
    const wl_host_event second = bench.event();
    bench.job(job_of(WL_JOB_DMA_OUT, first, 0, 1, WL_JOB_THEN_COMPLETE));
    bench.job(job_of(WL_JOB_COMPLETE, second, 0, 0));
    bench.ring_jobs();
    EXPECT_EQ(bench.completion(1).cid, other);
    EXPECT_EQ(bench.completion(1).cid, read);
  });
}

struct Refused {
  const char* name;
  nvme::SubmissionEntry sqe;
  nvme::Status status;
};

// Refused by hardware: the status code, Do Not Retry, and nothing for the firmware.
TEST(NvmeErrorTest, EveryRefusalHasItsStatus) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(4);
    const std::uint64_t list = bench.memory.allocate();
    const std::uint64_t bad[] = {data, data + 512};
    bench.memory.write(list, bad, sizeof bad);
    constexpr std::uint64_t kEnd = NvmeBench::kLpages * 8;
    const auto with = [](nvme::SubmissionEntry sqe, auto change) {
      change(sqe);
      return sqe;
    };
    const nvme::SubmissionEntry read = io(nvme::kRead, 0, 8, data);
    const Refused cases[] = {
        {"opcode", io(0x0d, 0, 8, data), nvme::kInvalidOpcode},
        {"opcode 0x7f", io(0x7f, 0, 8, data), nvme::kInvalidOpcode},
        {"fused", with(read, [](auto& s) { s.flags = 1; }), nvme::kInvalidField},
        {"PSDT 11b", with(read, [](auto& s) { s.flags = 0xc0; }), nvme::kInvalidField},
        {"namespace 0", with(read, [](auto& s) { s.nsid = 0; }), nvme::kInvalidNamespace},
        {"namespace 2, not active", with(read, [](auto& s) { s.nsid = 2; }), nvme::kInvalidField},
        {"namespace 33", with(read, [](auto& s) { s.nsid = 33; }), nvme::kInvalidNamespace},
        {"all namespaces", with(read, [](auto& s) { s.nsid = 0xffffffff; }), nvme::kInvalidNamespace},
        {"one past the end", io(nvme::kRead, kEnd - 7, 8, data), nvme::kLbaOutOfRange},
        {"far past the end", io(nvme::kWrite, UINT64_MAX - 3, 8, data), nvme::kLbaOutOfRange},
        {"zeroes past the end", io(nvme::kWriteZeroes, kEnd, 1, 0), nvme::kLbaOutOfRange},
        {"MDTS", io(nvme::kRead, 0, 32 * 8 + 1, data, list), nvme::kInvalidField},
        {"PRP1 offset", io(nvme::kRead, 0, 8, data + 2, data + 4096), nvme::kPrpOffsetInvalid},
        {"PRP1 offset of no block", io(nvme::kRead, 0, 1, data + 4), nvme::kPrpOffsetInvalid},
        {"PRP2 offset", io(nvme::kRead, 0, 16, data, data + 4096 + 512), nvme::kPrpOffsetInvalid},
        {"list offset", io(nvme::kRead, 0, 24, data, list + 4), nvme::kPrpOffsetInvalid},
        {"offset in the list", io(nvme::kRead, 0, 24, data, list), nvme::kPrpOffsetInvalid},
        {"no list", io(nvme::kRead, 0, 24, data, 0), nvme::kInvalidField},
    };
    for (const Refused& refused : cases) {
      const std::uint16_t cid = bench.submit(1, refused.sqe);
      const nvme::CompletionEntry entry = bench.completion(1);
      EXPECT_EQ(entry.cid, cid);
      EXPECT_EQ(nvme::status_of(entry), refused.status | nvme::kDnr) << refused.name;
    }
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    EXPECT_EQ(bench.controller.errors(), std::size(cases));
    // The last that is legal.
    bench.submit(1, io(nvme::kRead, kEnd - 8, 8, data));
    bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

TEST(NvmeErrorTest, RefusalTakesTheTimeOfFetchAndEntry) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(0x55, 0, 8, 0));
    bench.completion(1);
    EXPECT_EQ(tlm_if::kernel_time(), start + 640_ns + kEntry);
  });
}

nvme::SubmissionEntry deallocate(std::uint64_t list, std::uint32_t ranges, bool attribute = true) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = nvme::kDatasetManagement;
  sqe.nsid = 1;
  sqe.prp1 = list;
  sqe.cdw10 = ranges - 1;
  sqe.cdw11 = attribute ? nvme::kDsmDeallocate : 1;
  return sqe;
}

TEST(NvmeDsmTest, OneEventPerRangeOneCommandAtATime) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t list = bench.memory.allocate();
    const nvme::DsmRange ranges[] = {{0, 8, 0}, {0, 0, 5}, {0, 100, 4000}, {0, 1, 8191}};  // the second is empty
    bench.memory.write(list, ranges, sizeof ranges);
    const Picoseconds start = tlm_if::kernel_time();
    const std::uint16_t first = bench.put(1, deallocate(list, 4));
    const std::uint16_t second = bench.put(1, deallocate(list + 32, 1));
    const std::uint16_t write = bench.put(1, io(nvme::kWriteZeroes, 77, 1, 0));
    bench.ring(1);
    // Three entries there at 128 + 124 + 216 + 100, parsed 200 later; ranges: request, 64 bytes.
    const wl_host_event a = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + 768_ns + 124_ns + 88_ns + 100_ns);
    EXPECT_EQ(a.opcode, nvme::kDatasetManagement);
    EXPECT_EQ(a.flags, 0);
    EXPECT_EQ(a.slba, 0U);
    EXPECT_EQ(a.blocks, 8U);
    const wl_host_event b = bench.event();
    EXPECT_EQ(b.slba, 4000U);
    EXPECT_EQ(b.flags, 0);
    const wl_host_event c = bench.event();
    EXPECT_EQ(c.slba, 8191U);
    EXPECT_EQ(c.flags, WL_EVENT_LAST);
    EXPECT_EQ(a.tag, c.tag);
    EXPECT_EQ(bench.wakeups.size(), 1U);  // one interrupt for all
    const wl_host_event zeroes = bench.event();
    EXPECT_EQ(zeroes.slba, 77U);  // other commands pass
    pass(10_us);
    EXPECT_FALSE(bench.has_event());
    complete(bench, c);
    EXPECT_EQ(bench.completion(1).cid, first);
    const wl_host_event d = bench.event();
    EXPECT_EQ(d.slba, 4000U);
    EXPECT_EQ(d.flags, WL_EVENT_LAST);
    complete(bench, d);
    EXPECT_EQ(bench.completion(1).cid, second);
    complete(bench, zeroes);
    EXPECT_EQ(bench.completion(1).cid, write);
    EXPECT_EQ(bench.controller.mover.counters().deallocates, 2U);
  });
}

TEST(NvmeDsmTest, HardwareAnswersWhatNeedsNoFirmware) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t list = bench.memory.allocate();
    const nvme::DsmRange ranges[] = {{0, 0, 0}, {0, 9, 8184}, {0, 8, 8}};
    bench.memory.write(list, ranges, sizeof ranges);
    const auto status_of = [&](const nvme::SubmissionEntry& sqe) {
      bench.submit(1, sqe);
      return nvme::status_of(bench.completion(1));
    };
    EXPECT_EQ(status_of(deallocate(list, 1)), nvme::kSuccess);         // an empty range
    EXPECT_EQ(status_of(deallocate(list, 3, false)), nvme::kSuccess);  // a hint
    EXPECT_EQ(status_of(deallocate(list, 2)), nvme::kLbaOutOfRange | nvme::kDnr);
    EXPECT_EQ(status_of(deallocate(list + 2, 1)), nvme::kPrpOffsetInvalid | nvme::kDnr);
    EXPECT_FALSE(bench.has_event());
    // After an error the next command is not held up.
    bench.submit(1, deallocate(list + 32, 1));
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.slba, 8U);
    complete(bench, event);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

TEST(NvmeDsmTest, ListOfAllRangesOverTwoPages) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t list = bench.memory.allocate();
    const std::uint64_t rest = bench.memory.allocate();
    std::vector<nvme::DsmRange> ranges;
    for (std::uint32_t i = 0; i < 256; ++i) ranges.push_back({0, 1 + i % 8, i * 16ULL});
    bench.memory.write(list + 1000, ranges.data(), 3096);
    bench.memory.write(rest, reinterpret_cast<const std::byte*>(ranges.data()) + 3096, 1000);
    nvme::SubmissionEntry sqe = deallocate(list + 1000, 256);
    sqe.prp2 = rest;
    bench.submit(1, sqe);
    for (std::uint32_t i = 0; i < 256; ++i) {
      const wl_host_event event = bench.event();
      EXPECT_EQ(event.slba, i * 16);
      EXPECT_EQ(event.blocks, 1 + i % 8);
      EXPECT_EQ(event.flags, i == 255 ? WL_EVENT_LAST : 0);
      if (i == 255) complete(bench, event);
    }
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_queue_test
