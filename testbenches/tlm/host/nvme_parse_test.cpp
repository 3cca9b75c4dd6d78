// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parser as a pipeline, and the controller without it: entries, extents, lists and ranges, at exact times. The
// firmware that parses is held against the controller in parsers_test.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_parse_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

constexpr Picoseconds kDoorbell = 28_ns + 100_ns;
constexpr Picoseconds kTable = 17 * 2_ns;  // an entry and its extent, word by word
constexpr Picoseconds kDram = 1024_ns + 50_ns;
constexpr Picoseconds kLpage = 4480_ns;
constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;
constexpr Picoseconds fetch(int entries) { return 124_ns + 24_ns + 100_ns + entries * 64_ns; }

void put_reads(NvmeBench& bench, int count) {
  for (int i = 0; i < count; ++i) bench.put(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
}

// A burst of four entries is there at once; events come as the pipeline lets them.
void expect_events(const config::Engine& parse, const std::vector<Picoseconds>& after) {
  config::Config config = nvme_bench_config();
  config.engines[engines::EngineId::kParse] = parse;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    put_reads(bench, 4);
    const Picoseconds there = tlm_if::kernel_time() + kDoorbell + fetch(4);
    bench.ring(1);
    for (const Picoseconds t : after) {
      bench.event();
      EXPECT_EQ(tlm_if::kernel_time() - there, t);
    }
  });
  // Two admin commands have gone through it too: the queues, in create_queue().
  EXPECT_EQ(bench.controller.parser().operations(), 4U + 2U);
}

TEST(NvmeParserTest, OneAtATime) { expect_events({true, 100_ns, 100_ns, 1}, {100_ns, 200_ns, 300_ns, 400_ns}); }
TEST(NvmeParserTest, AtItsInterval) { expect_events({true, 100_ns, 10_ns, 8}, {100_ns, 110_ns, 120_ns, 130_ns}); }
TEST(NvmeParserTest, DepthHoldsUpTheThird) {
  expect_events({true, 100_ns, 10_ns, 2}, {100_ns, 110_ns, 200_ns, 210_ns});
}

TEST(NvmeUnparsedTest, EntryLiesInItsSlotWhenTheEventSaysSo) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    nvme::SubmissionEntry sqe = io(nvme::kRead, 24, 8, page);
    sqe.cdw12 |= nvme::kFua;
    sqe.cdw15 = 0xfeedface;
    sqe.cid = bench.submit(1, sqe);
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + fetch(1) + kTable);
    wl_host_event expected{};
    expected.type = WL_EVENT_SQE;
    expected.tag = event.tag;
    EXPECT_EQ(std::memcmp(&event, &expected, sizeof event), 0) << "nothing but type and tag";
    const wl_sqe entry = bench.entry(event.tag);
    EXPECT_EQ(std::memcmp(&entry, &sqe, sizeof entry), 0);
    EXPECT_EQ(bench.controller.mover.counters().reads, 0U);

    bench.extent(event.tag, 0, 8);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 1, WL_JOB_THEN_COMPLETE), 10_ns);
    const nvme::CompletionEntry done = bench.completion(1);
    EXPECT_EQ(done.cid, sqe.cid);
    EXPECT_EQ(done.sq_head, 1);
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + fetch(1) + kTable + 10_ns + kDram + kLpage + kEntry);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.memory.page(page)[i], LbaStamp(Lba(24 + i), 7));
    EXPECT_EQ(bench.controller.mover.counters().reads, 1U);
  });
}

// One port into the tables, whoever fetches; the parser's time is charged to nobody but admin commands.
TEST(NvmeUnparsedTest, EntriesAreWrittenOneAfterTheOther) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    put_reads(bench, 4);
    const Picoseconds there = tlm_if::kernel_time() + kDoorbell + fetch(4);
    bench.ring(1);
    for (int i = 1; i <= 4; ++i) {
      bench.event();
      EXPECT_EQ(tlm_if::kernel_time(), there + i * kTable);
    }
  });
  EXPECT_EQ(bench.controller.parser().operations(), 2U);
}

TEST(NvmeUnparsedTest, NothingIsRefusedByHardware) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    nvme::SubmissionEntry sqe{};
    std::memset(&sqe, 0xa5, sizeof sqe);
    const std::uint16_t cid = bench.submit(1, sqe);
    const wl_host_event event = bench.event();
    wl_host_job job = job_of(WL_JOB_COMPLETE, event, 0, 0);
    job.status = nvme::kInvalidOpcode | nvme::kDnr;
    bench.run_job(job);
    const nvme::CompletionEntry entry = bench.completion(1);
    EXPECT_EQ(entry.cid, cid);
    EXPECT_EQ(nvme::status_of(entry), nvme::kInvalidOpcode | nvme::kDnr);
    EXPECT_EQ(bench.controller.errors(), 1U);
  });
}

TEST(NvmeUnparsedTest, PartsOfLogicalPagesMoveByTheExtent) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t a = bench.memory.allocate(2);
    for (std::uint32_t i = 0; i < 2; ++i) bench.buffer.slot(10 + i) = LpageToken::uniform(Lpn(100 + i), 20);
    bench.submit(1, io(nvme::kRead, 806, 4, a + 3072, a + 4096));
    const wl_host_event event = bench.event();
    bench.extent(event.tag, 6, 4);  // two blocks of logical page 100, two of 101
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 10, 2, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.memory.stamp(a + 3072 + i * 512), LbaStamp(Lba(806 + i), 20)) << i;
    EXPECT_TRUE(bench.memory.stamp(a + 2560).is_zero());
    EXPECT_TRUE(bench.memory.stamp(a + 5120).is_zero());
  });
}

TEST(NvmeUnparsedTest, PrpListIsReadWhenTheFirmwareAsks) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(4);
    const std::uint64_t list = bench.memory.allocate();
    std::uint64_t entries[] = {data + 2 * 4096, data + 4096, data + 3 * 4096};
    bench.memory.write(list, entries, sizeof entries);
    for (unsigned i = 0; i < 4; ++i) {
      for (unsigned b = 0; b < 8; ++b) bench.memory.page(data + i * 4096)[b] = LbaStamp(Lba(64 + 8 * i + b), 3 + i);
    }
    bench.submit(1, io(nvme::kWrite, 0, 32, data, list));
    const wl_host_event event = bench.event();
    bench.extent(event.tag, 0, 32);
    const Picoseconds asked = tlm_if::kernel_time();
    bench.run_job(job_of(WL_JOB_PRP_LIST, event, 0, 0));
    const wl_host_event there = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), asked + 124_ns + 48_ns + 100_ns);  // three entries
    EXPECT_EQ(there.type, WL_EVENT_LIST);
    EXPECT_EQ(there.tag, event.tag);
    EXPECT_EQ(there.count, nvme::kSuccess);
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 0, 4, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    for (const auto& [slot, lpn, version] : {std::tuple{0U, 8U, 3U}, {1U, 10U, 5U}, {2U, 9U, 4U}, {3U, 11U, 6U}}) {
      EXPECT_EQ(bench.buffer.slot(slot), LpageToken::uniform(Lpn(lpn), version)) << slot;
    }
    // An entry with an offset: the answer says so, the firmware refuses.
    entries[1] += 512;
    bench.memory.write(list, entries, sizeof entries);
    bench.submit(1, io(nvme::kWrite, 0, 32, data, list));
    const wl_host_event bad = bench.event();
    bench.extent(bad.tag, 0, 32);
    bench.run_job(job_of(WL_JOB_PRP_LIST, bad, 0, 0));
    EXPECT_EQ(bench.event().count, nvme::kPrpOffsetInvalid);
  });
}

nvme::SubmissionEntry deallocate(std::uint64_t list, std::uint32_t ranges) {
  nvme::SubmissionEntry sqe = io(nvme::kDatasetManagement, ranges - 1, 1, list);
  sqe.cdw11 = nvme::kDsmDeallocate;
  return sqe;
}

TEST(NvmeUnparsedTest, RangesComeForOneCommandAtATime) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t list = bench.memory.allocate();
    const nvme::DsmRange ranges[] = {{1, 8, 7}, {2, 0, UINT64_MAX}, {3, 100, 4000}};  // whatever is in them
    bench.memory.write(list, ranges, sizeof ranges);
    bench.put(1, deallocate(list, 2));
    bench.put(1, deallocate(list + 32, 1));
    bench.ring(1);
    const wl_host_event first = bench.event();
    const wl_host_event second = bench.event();
    const Picoseconds asked = tlm_if::kernel_time();
    bench.job(job_of(WL_JOB_RANGES, first, 0, 2));
    bench.run_job(job_of(WL_JOB_RANGES, second, 0, 1));
    const wl_host_event there = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), asked + 124_ns + 24_ns + 32_ns + 100_ns + 8 * 2_ns)
        << "eight words into the table";
    EXPECT_EQ(there.type, WL_EVENT_RANGES);
    EXPECT_EQ(there.tag, first.tag);
    EXPECT_EQ(std::memcmp(bench.tcm.at(NvmeBench::kRangeTable, 32), ranges, 32), 0);
    pass(10_us);
    EXPECT_FALSE(bench.has_event());
    bench.run_job(job_of(WL_JOB_COMPLETE, first, 0, 0));
    bench.completion(1);
    EXPECT_EQ(bench.event().tag, second.tag);
    EXPECT_EQ(std::memcmp(bench.tcm.at(NvmeBench::kRangeTable, 16), &ranges[2], 16), 0);
    bench.run_job(job_of(WL_JOB_COMPLETE, second, 0, 0));
    bench.completion(1);
    EXPECT_EQ(bench.controller.mover.counters().deallocates, 2U);
  });
}

TEST(NvmeUnparsedTest, FirmwareErrorsAreReported) {
  NvmeBench bench(unparsed_config());
  expect_reports(true);
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(3);
    const std::uint64_t list = bench.memory.allocate();
    bench.submit(1, io(nvme::kRead, 0, 24, data, list));
    const wl_host_event event = bench.event();
    const auto reports_of = [&](const wl_host_job& job) {
      bench.run_job(job);
      pass(1_us);
      return reports_seen();
    };
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 3)), 1U) << "no extent: the controller clears it";
    bench.extent(event.tag, 0, 24);
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, event, 0, 3)), 1U) << "the list is not read";
    EXPECT_EQ(reports_of(job_of(WL_JOB_RANGES, event, 0, 1)), 1U) << "a read has none";
    bench.submit(1, io(nvme::kRead, 0, 16, data, data + 512));
    const wl_host_event bad = bench.event();
    bench.extent(bad.tag, 0, 16);
    EXPECT_EQ(reports_of(job_of(WL_JOB_DMA_OUT, bad, 0, 2)), 1U) << "PRP2 should have been refused";
    bench.submit(1, io(nvme::kRead, 0, 8, data));
    const wl_host_event whole = bench.event();
    bench.extent(whole.tag, 0, 8);
    EXPECT_EQ(reports_of(job_of(WL_JOB_PRP_LIST, whole, 0, 0)), 1U) << "has no list";
  });
}

// Admin commands do not wait for the firmware; a shutdown waits for the command that it holds.
TEST(NvmeUnparsedTest, AbortAndShutdownWhileTheFirmwareParses) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const std::uint16_t cid = bench.submit(1, io(nvme::kRead, 0, 8, page));
    const wl_host_event event = bench.event();
    nvme::SubmissionEntry abort{};
    abort.opcode = nvme::kAbort;
    abort.cdw10 = static_cast<std::uint32_t>(cid) << 16 | 1;
    bench.submit(0, abort);
    const wl_host_event asked = bench.event();
    EXPECT_EQ(asked.tag, event.tag);
    bench.answer(asked, 0, 1);
    const nvme::CompletionEntry answer = bench.completion(0);
    EXPECT_EQ(nvme::status_of(answer), nvme::kSuccess);
    EXPECT_EQ(answer.dw0, 1U) << "not aborted";
    EXPECT_FALSE(bench.has_completion(1));
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | 1U << 14);
    pass(5_us);
    EXPECT_EQ(bench.controller.status() & nvme::kCstsShutdownMask, nvme::kCstsShutdownBusy);
    bench.extent(event.tag, 0, 8);
    bench.run_job(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(bench.completion(1).cid, cid);
    EXPECT_EQ(bench.controller.status() & nvme::kCstsShutdownMask, nvme::kCstsShutdownBusy);
    bench.answer(bench.event(), 0);
    pass(1_us);
    EXPECT_EQ(bench.controller.status() & nvme::kCstsShutdownMask, nvme::kCstsShutdownComplete);
  });
}

// Commands in every stage when the host resets the controller: all come back through the firmware, then it is ready
// again.
TEST(NvmeUnparsedTest, ResetWhileCommandsAreUnderWay) {
  NvmeBench bench(unparsed_config());
  play([&] {
    bench.bring_up();
    const std::uint64_t data = bench.memory.allocate(3);
    const std::uint64_t list = bench.memory.allocate();
    const std::uint64_t entries[] = {data + 4096, data + 8192};
    bench.memory.write(list, entries, sizeof entries);
    bench.put(1, io(nvme::kRead, 0, 24, data, list));  // its list is asked for
    bench.put(1, deallocate(list, 2));                 // its ranges are
    bench.put(1, io(nvme::kWrite, 0, 8, data));        // its data are under way
    bench.put(1, io(nvme::kFlush, 0, 1, 0));           // firmware has the entry
    bench.ring(1);
    std::vector<wl_host_event> events;
    for (int i = 0; i < 4; ++i) events.push_back(bench.event());
    bench.extent(events[0].tag, 0, 24);
    bench.job(job_of(WL_JOB_PRP_LIST, events[0], 0, 0));
    bench.job(job_of(WL_JOB_RANGES, events[1], 0, 2));
    bench.extent(events[2].tag, 0, 8);
    bench.job(job_of(WL_JOB_DMA_IN, events[2], 0, 1, WL_JOB_THEN_COMPLETE));
    bench.ring_jobs();
    put_reads(bench, 2);  // on their way over the link
    bench.ring(1);
    bench.write32(nvme::kRegCc, 0);
    std::vector<std::uint8_t> answers;
    while ((bench.controller.status() & nvme::kCstsReady) != 0) {
      if (bench.has_event()) {
        const wl_host_event event = bench.event();
        answers.push_back(event.type);
        if (event.type != WL_EVENT_SQE) {
          EXPECT_EQ(event.count, nvme::kAbortedQueueDeleted);
        }
        bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
        continue;
      }
      pass(1_us);
      if (tlm_if::kernel_time() > 60_us && bench.controller.tags_in_use() == 1) {
        bench.run_job(job_of(WL_JOB_COMPLETE, events[3], 0, 0));
      }
    }
    EXPECT_EQ(std::count(answers.begin(), answers.end(), WL_EVENT_LIST), 1);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), WL_EVENT_RANGES), 1);
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    bench.bring_up();
    bench.submit(1, io(nvme::kRead, 0, 8, data));
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.type, WL_EVENT_SQE);
    bench.extent(event.tag, 0, 8);
    bench.run_job(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_parse_test
