// Copyright (c) Wordline contributors SPDX-License-Identifier: Apache-2.0
//
// Life of I/O commands: exact times, data, queues. Times are sums of the bench's round numbers: a TLP of n bytes takes
// n + 24 ns on the wire and 100 ns to arrive, 200 ns to parse; DRAM moves four bytes in a nanosecond and answers 50 ns
// later.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_io_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;
using tlm_if::Stage;

constexpr Picoseconds kDoorbell = 28_ns + 100_ns;
constexpr Picoseconds kFetch = 124_ns + 88_ns + 100_ns;  // request, one entry
constexpr Picoseconds kParse = 200_ns;
constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;  // completion entry, MSI-X, latency
constexpr Picoseconds kDram = 1024_ns + 50_ns;          // a logical page
constexpr Picoseconds kLpage = 4480_ns;                 // on the wire

Picoseconds stage(const NvmeBench& bench, Stage s) { return bench.last_stages[static_cast<std::size_t>(s)]; }
Picoseconds sum(const tlm_if::StageTimes& times) {
  Picoseconds total{};
  for (const Picoseconds t : times) total += t;
  return total;
}

void fill(NvmeBench& bench, std::uint64_t page, std::uint64_t lba, std::uint32_t version) {
  for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = LbaStamp(Lba(lba + i), version);
}

TEST(NvmeReadTest, TimesOfAFourKibRead) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    const std::uint64_t before = bench.controller.instants();
    const std::uint16_t cid = bench.submit(1, io(nvme::kRead, 24, 8, page));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + kFetch + kParse);
    EXPECT_EQ(event.type, WL_EVENT_COMMAND);
    EXPECT_EQ(event.opcode, nvme::kRead);
    EXPECT_EQ(event.flags, WL_EVENT_LAST);
    EXPECT_EQ(event.slba, 24U);
    EXPECT_EQ(event.blocks, 8U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 1, WL_JOB_THEN_COMPLETE), 10_ns);
    pass(5_ns);
    EXPECT_EQ(bench.ring_of(NvmeBench::kJobRing)->consumed, 0U);  // the doorbell has not arrived
    const nvme::CompletionEntry entry = bench.completion(1, false);
    EXPECT_EQ(entry.cid, cid);
    EXPECT_EQ(entry.status, nvme::status_word(nvme::kSuccess, true));
    EXPECT_EQ(entry.sq_id, 1);
    EXPECT_EQ(entry.sq_head, 1);
    const Picoseconds data_left = start + kDoorbell + kFetch + kParse + 10_ns + kDram + kLpage;
    EXPECT_EQ(tlm_if::kernel_time(), data_left + kEntry);
    ASSERT_EQ(bench.interrupts.size(), 1U);
    EXPECT_EQ(bench.interrupts[0].vector, 1U);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.memory.page(page)[i], LbaStamp(Lba(24 + i), 7));

    EXPECT_EQ(stage(bench, Stage::kSubmit), kDoorbell);
    EXPECT_EQ(stage(bench, Stage::kFetch), kFetch + kParse);
    EXPECT_EQ(stage(bench, Stage::kQueueCore), 10_ns);
    EXPECT_EQ(stage(bench, Stage::kDma), kDram + kLpage);
    EXPECT_EQ(stage(bench, Stage::kComplete), kEntry);
    EXPECT_EQ(sum(bench.last_stages), tlm_if::kernel_time() - start);
    // Doorbell, entry parsed, job doorbell, completion.
    EXPECT_EQ(bench.controller.instants() - before, 4U);
  });
}

TEST(NvmeReadTest, HeadDoorbellTakesNoInstant) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t before = bench.controller.instants();
    for (int i = 0; i < 100; ++i) {  // more than the queues are long
      bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
      bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE), 1_ns);
      bench.completion(1);
      pass(1_us);
    }
    EXPECT_EQ(bench.controller.instants() - before, 400U);
  });
}

TEST(NvmeWriteTest, TimesOfAFourKibWrite) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    fill(bench, page, 40, 9);
    const Picoseconds start = tlm_if::kernel_time();
    nvme::SubmissionEntry sqe = io(nvme::kWrite, 40, 8, page);
    sqe.cdw12 |= nvme::kFua;
    bench.submit(1, sqe);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.opcode, nvme::kWrite);
    EXPECT_EQ(event.flags, WL_EVENT_FUA | WL_EVENT_LAST);
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 2, 1, WL_JOB_NOTIFY));
    const Picoseconds done = start + kDoorbell + kFetch + kParse + 124_ns + kLpage + 100_ns + kDram;
    pass(done - tlm_if::kernel_time() - 1_ps);
    EXPECT_TRUE(bench.buffer.slot(2).is_zero());
    const wl_host_event moved = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), done);
    EXPECT_EQ(bench.buffer.slot(2), LpageToken::uniform(Lpn(5), 9));
    EXPECT_EQ(moved.type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(moved.opcode, nvme::kWrite);
    EXPECT_EQ(moved.tag, event.tag);
    EXPECT_EQ(moved.slot, 2U);
    EXPECT_EQ(moved.count, 1U);
    EXPECT_EQ(moved.lpage, 0U);
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0), 3_ns);
    bench.completion(1);
    EXPECT_EQ(tlm_if::kernel_time(), done + 3_ns + kEntry);
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_written, 8U);
  });
}

TEST(NvmeWriteTest, CountsAsThereWhenItsLatencyIsOver) {
  config::Config config = nvme_bench_config();
  config.nvme.write_latency = 5_us;
  config.link.dma_setup = 300_ns;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kWrite, 40, 8, bench.memory.allocate()));
    bench.run_job(job_of(WL_JOB_DMA_IN, bench.event(), 2, 1, WL_JOB_NOTIFY));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(tlm_if::kernel_time(),
              start + kDoorbell + kFetch + kParse + 300_ns + 124_ns + kLpage + 100_ns + kDram + 5_us);
  });
}

TEST(NvmeReadTest, ACommandIsSetUpWhenTheDataBeforeHaveLeft) {
  config::Config config = nvme_bench_config();
  config.link.dma_setup = 3_us;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t pages = bench.memory.allocate(3);
    bench.submit(1, io(nvme::kRead, 0, 16, pages, pages + 4096));
    const wl_host_event first = bench.event();
    bench.submit(1, io(nvme::kRead, 0, 8, pages + 8192));
    const wl_host_event second = bench.event();
    const Picoseconds from = tlm_if::kernel_time() + 1_us;
    const auto send = [&](const wl_host_job& job) { return bench.controller.mover.send_data(job, from); };
    const Picoseconds set_up = send(job_of(WL_JOB_DMA_OUT, first, 3, 1));
    EXPECT_EQ(set_up, from + 3_us + kLpage) << "the data come out of DRAM meanwhile";
    const Picoseconds other = send(job_of(WL_JOB_DMA_OUT, second, 4, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(other, set_up + 3_us + kLpage);
    const Picoseconds rest = send(job_of(WL_JOB_ZERO_OUT, first, 0, 1, WL_JOB_THEN_COMPLETE, 1));
    const Picoseconds entry = kEntry - 100_ns;  // of the other command, with its MSI-X, on the wire
    EXPECT_EQ(rest, other + entry + kLpage) << "without set-up; it fits in no gap";
    bench.completion(1);
    bench.completion(1);
  });
}

TEST(NvmeWriteTest, EventComesBeforeTheEntryOfThenComplete) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kWrite, 0, 8, page));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 0, 1, WL_JOB_NOTIFY | WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    const Picoseconds done = start + kDoorbell + kFetch + kParse + 124_ns + kLpage + 100_ns + kDram;
    EXPECT_EQ(tlm_if::kernel_time(), done);
    EXPECT_FALSE(bench.has_completion(1));
    bench.completion(1);
    EXPECT_EQ(tlm_if::kernel_time(), done + kEntry);
  });
}

TEST(NvmeReadTest, QuietEventNeedsNoInterruptAndNoInstant) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t before = bench.controller.instants();
    bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    const wl_host_event event = bench.event();
    const std::size_t wakeups = bench.wakeups.size();
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 4, 1, WL_JOB_NOTIFY_QUIET | WL_JOB_THEN_COMPLETE), 1_ns);
    bench.completion(1);
    ASSERT_TRUE(bench.has_event());
    EXPECT_EQ(bench.event().slot, 4U);
    EXPECT_EQ(bench.wakeups.size(), wakeups);
    EXPECT_EQ(bench.controller.instants() - before, 4U);
  });
}

TEST(NvmeReadTest, QuietEventOfAJobThatDoesNotCompleteComesAtItsEnd) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 4, 1, WL_JOB_NOTIFY_QUIET));
    pass(kDram + kLpage - 1_ps);
    EXPECT_FALSE(bench.has_event());
    pass(2_ps);
    EXPECT_TRUE(bench.has_event());
  });
}

// Several jobs move the data of one command. The completion entry is written after all of the data, also when another
// job than the last to finish carries the flag "last of the command".
TEST(NvmeReadTest, EntryFollowsAllDataOfTheCommand) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t pages = bench.memory.allocate(2);
    bench.submit(1, io(nvme::kRead, 0, 16, pages, pages + 4096));
    const wl_host_event event = bench.event();
    const Picoseconds start = tlm_if::kernel_time();
    bench.job(job_of(WL_JOB_DMA_OUT, event, 0, 1, WL_JOB_NOTIFY, 1));
    bench.job(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE, 0));
    bench.buffer.slot(0) = LpageToken::uniform(Lpn(1), 4);
    bench.ring_jobs();
    // Zeros leave at once and take 4480 ns; the other logical page is out of DRAM meanwhile and follows.
    EXPECT_EQ(bench.event().lpage, 1U);
    EXPECT_EQ(tlm_if::kernel_time(), start + kDram + kLpage);
    bench.completion(1);
    EXPECT_EQ(tlm_if::kernel_time(), start + kDram + 2 * kLpage + kEntry);
    EXPECT_TRUE(bench.memory.page(pages)[7].is_zero());
    EXPECT_EQ(bench.memory.page(pages + 4096)[7], LbaStamp(Lba(15), 4));
  });
}

TEST(NvmeReadTest, MisalignedReadAndPageOffset) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    // LBAs 6..17: two blocks of logical page 0, all of 1, two of 2; into host memory from offset 3072.
    const std::uint64_t a = bench.memory.allocate();
    const std::uint64_t b = bench.memory.allocate();
    const std::uint64_t c = bench.memory.allocate();
    const std::uint64_t list = bench.memory.allocate();
    const std::uint64_t entries[] = {b, c};
    bench.memory.write(list, entries, sizeof entries);
    bench.submit(1, io(nvme::kRead, 6, 12, a + 3072, list));
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.slba, 6U);
    EXPECT_EQ(event.blocks, 12U);
    for (std::uint32_t i = 0; i < 3; ++i) bench.buffer.slot(10 + i) = LpageToken::uniform(Lpn(i), 20 + i);
    bench.memory.stamp(a) = LbaStamp(Lba(999), 1);  // not part of the command
    fill(bench, c, 800, 5);
    const Picoseconds start = tlm_if::kernel_time();
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 10, 3, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    // 1 KiB, 4 KiB, 1 KiB: each part is in hand before the one before it has left, except the first.
    EXPECT_EQ(tlm_if::kernel_time(), start + 256_ns + 50_ns + 1120_ns + kLpage + 1120_ns + kEntry);
    EXPECT_EQ(bench.memory.stamp(a + 3072), LbaStamp(Lba(6), 20));
    EXPECT_EQ(bench.memory.stamp(a + 3584), LbaStamp(Lba(7), 20));
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.memory.stamp(b + i * 512), LbaStamp(Lba(8 + i), 21)) << i;
    EXPECT_EQ(bench.memory.stamp(c), LbaStamp(Lba(16), 22));
    EXPECT_EQ(bench.memory.stamp(c + 512), LbaStamp(Lba(17), 22));
    EXPECT_EQ(bench.memory.stamp(c + 1024), LbaStamp(Lba(802), 5));
    EXPECT_EQ(bench.memory.stamp(a), LbaStamp(Lba(999), 1));
  });
}

TEST(NvmeWriteTest, PartOfALogicalPageKeepsOrClearsTheRest) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    fill(bench, page, 82, 30);  // LBAs 82, 83, ...
    for (const bool zero : {false, true}) {
      bench.buffer.slot(0) = LpageToken::uniform(Lpn(10), 2);  // LBAs 80..87
      bench.submit(1, io(nvme::kWrite, 82, 3, page));
      const auto flags = static_cast<std::uint8_t>(WL_JOB_THEN_COMPLETE | (zero ? WL_JOB_ZERO_REST : 0));
      bench.run_job(job_of(WL_JOB_DMA_IN, bench.event(), 0, 1, flags));
      bench.completion(1);
      for (unsigned i = 0; i < 8; ++i) {
        const bool written = i >= 2 && i < 5;
        const LbaStamp rest = zero ? LbaStamp() : LbaStamp(Lba(80 + i), 2);
        const LbaStamp is = bench.buffer.pool().stamp(bench.buffer.slot(0), i);
        EXPECT_EQ(is, written ? LbaStamp(Lba(80 + i), 30) : rest) << i;
      }
    }
  });
}

// The old content moves to the new slot first, and what the host writes lands on top of it; the buffer it came from
// stays.
TEST(NvmeWriteTest, CopyGivesTheSlotWhatTheWriteKeeps) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    fill(bench, page, 82, 30);
    bench.buffer.slot(3) = LpageToken::uniform(Lpn(10), 2);
    bench.buffer.slot(0) = LpageToken::uniform(Lpn(99), 9);
    bench.submit(1, io(nvme::kWrite, 82, 3, page));
    const wl_host_event event = bench.event();
    bench.job(job_of(WL_JOB_COPY, event, 0, 1, 0, 3));
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 0, 1, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    for (unsigned i = 0; i < 8; ++i) {
      const bool written = i >= 2 && i < 5;
      EXPECT_EQ(bench.buffer.pool().stamp(bench.buffer.slot(0), i), LbaStamp(Lba(80 + i), written ? 30 : 2)) << i;
    }
    EXPECT_EQ(bench.buffer.slot(3), LpageToken::uniform(Lpn(10), 2));
  });
}

// Mixed content survives the way in and out: a host page with blocks of different versions.
TEST(NvmeWriteTest, MixedLogicalPageComesBackAsItWas) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const std::uint64_t back = bench.memory.allocate();
    for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = LbaStamp(Lba(16 + i), 2 + i);
    bench.submit(1, io(nvme::kWrite, 16, 8, page));
    bench.run_job(job_of(WL_JOB_DMA_IN, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    EXPECT_TRUE(bench.buffer.slot(0).is_mixed());
    bench.submit(1, io(nvme::kRead, 16, 8, back));
    bench.run_job(job_of(WL_JOB_DMA_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    EXPECT_EQ(bench.memory.page(back), bench.memory.page(page));
  });
}

TEST(NvmePrpTest, ListIsReadBeforeTheFirmwareSeesTheCommand) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(4);
    const std::uint64_t list = bench.memory.allocate();
    const std::uint64_t entries[] = {data + 2 * 4096, data + 4096, data + 3 * 4096};  // not in order
    bench.memory.write(list, entries, sizeof entries);
    for (unsigned i = 0; i < 4; ++i) fill(bench, data + i * 4096, 64 + 8 * i, 3 + i);
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kWrite, 0, 32, data, list));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + kFetch + kParse + 124_ns + 48_ns + 100_ns);  // three entries
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 0, 4, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    EXPECT_EQ(bench.buffer.slot(0), LpageToken::uniform(Lpn(8), 3));
    EXPECT_EQ(bench.buffer.slot(1), LpageToken::uniform(Lpn(10), 5));
    EXPECT_EQ(bench.buffer.slot(2), LpageToken::uniform(Lpn(9), 4));
    EXPECT_EQ(bench.buffer.slot(3), LpageToken::uniform(Lpn(11), 6));
  });
}

// A list that begins two entries before the end of its page continues where the last of them points to.
TEST(NvmePrpTest, ListsAreChained) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(4);
    const std::uint64_t first = bench.memory.allocate();
    const std::uint64_t second = bench.memory.allocate();
    const std::uint64_t head[] = {data + 4096, second};
    const std::uint64_t tail[] = {data + 2 * 4096, data + 3 * 4096};
    bench.memory.write(first + 4096 - 16, head, sizeof head);
    bench.memory.write(second, tail, sizeof tail);
    // From offset 512: 31 blocks fill what is left of page 0, and pages 1, 2, 3.
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kRead, 8, 31, data + 512, first + 4096 - 16));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + kFetch + kParse + 2 * (124_ns + 40_ns + 100_ns));
    for (std::uint32_t i = 0; i < 4; ++i) bench.buffer.slot(i) = LpageToken::uniform(Lpn(1 + i), 6);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 0, 4, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    for (unsigned i = 0; i < 31; ++i) {
      EXPECT_EQ(bench.memory.stamp(data + 512 * (i + 1)), LbaStamp(Lba(8 + i), 6)) << i;
    }
    EXPECT_TRUE(bench.memory.stamp(data).is_zero());
  });
}

TEST(NvmeIoTest, FlushAndWriteZeroesReachTheFirmware) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    nvme::SubmissionEntry flush = io(nvme::kFlush, 0, 1, 0);
    flush.nsid = nvme::kAllNamespaces;
    bench.submit(1, flush);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.opcode, nvme::kFlush);
    EXPECT_EQ(event.blocks, 0U);
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    bench.completion(1);
    bench.submit(1, io(nvme::kWriteZeroes, 100, 4000, 0));  // more than MDTS: no data move
    const wl_host_event zeroes = bench.event();
    EXPECT_EQ(zeroes.opcode, nvme::kWriteZeroes);
    EXPECT_EQ(zeroes.slba, 100U);
    EXPECT_EQ(zeroes.blocks, 4000U);
    wl_host_job job = job_of(WL_JOB_COMPLETE, zeroes, 0, 0);
    job.status = nvme::kWriteFault;
    bench.run_job(job);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kWriteFault);
    EXPECT_EQ(bench.controller.mover.counters().media_errors, 1U);
  });
}

TEST(NvmeIoTest, FirmwareErrorsAreReported) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    bench.bring_up();
    bench.submit(1, io(nvme::kRead, 0, 16, bench.memory.allocate(), bench.memory.allocate()));
    const wl_host_event event = bench.event();
    const auto reports_of = [&](const wl_host_job& job) {
      bench.run_job(job);
      pass(1_ns);
      return reports_seen();
    };
    wl_host_event other = event;
    other.tag = 7;
    EXPECT_EQ(reports_of(job_of(WL_JOB_COMPLETE, other, 0, 0)), 1U);  // tag not in use
    other.tag = 100;
    EXPECT_EQ(reports_of(job_of(WL_JOB_COMPLETE, other, 0, 0)), 1U);
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_IN, event, 0, 1)), 1U);         // wrong direction
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 3)), 1U);        // three of two logical pages
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 1, 0, 2)), 1U);  // the third
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 0)), 1U);
    EXPECT_EQ(reports_of(job_of(9, event, 0, 1)), 1U);
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 2, WL_JOB_THEN_COMPLETE)), 0U);
    EXPECT_EQ(reports_of(job_of(WL_JOB_COMPLETE, event, 0, 0)), 1U);  // twice
    bench.completion(1);
    wl_ring* jobs = bench.ring_of(NvmeBench::kJobRing);
    jobs->produced = jobs->produced + NvmeBench::kJobs + 1;
    bench.ring_jobs();
    pass(1_ns);
    EXPECT_EQ(reports_seen(), 1U);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_io_test
