// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands whose data do not go to the host or come from it: Verify, Compare, Write Uncorrectable, Copy. Times are sums
// of the bench's round numbers, as in nvme_io_test.cpp.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_inner_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

constexpr Picoseconds kBefore = 28_ns + 100_ns + 124_ns + 88_ns + 100_ns + 200_ns;  // doorbell, fetch, parse
constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;
constexpr Picoseconds kDram = 1024_ns + 50_ns;
constexpr Picoseconds kDataIn = 124_ns + 4480_ns + 100_ns + kDram;  // request, logical page, latency, DRAM

void fill(NvmeBench& bench, std::uint64_t page, std::uint64_t lba, std::uint32_t version) {
  for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = LbaStamp(Lba(lba + i), version);
}

/// A command of logical page 3, which lies in slot 5, as the firmware carries it out: one job.
nvme::Status status_of(NvmeBench& bench, const nvme::SubmissionEntry& sqe, std::uint8_t job = WL_JOB_DMA_OUT) {
  bench.submit(1, sqe);
  bench.run_job(job_of(job, bench.event(), 5, 1, WL_JOB_THEN_COMPLETE));
  return nvme::status_of(bench.completion(1));
}

TEST(NvmeVerifyTest, ReadsWithoutATransfer) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kVerify, 24, 8, 0x123));  // it has no data pointer
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.opcode, nvme::kRead) << "for the firmware";
    EXPECT_EQ(event.slba, 24U);
    EXPECT_EQ(event.blocks, 8U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + kEntry);
  });
}

TEST(NvmeCompareTest, FetchesAndComparesWhatIsThere) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    fill(bench, page, 24, 7);
    const Picoseconds start = tlm_if::kernel_time();
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 8, page)), nvme::kSuccess);
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + kDataIn + kEntry);
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_read, 8U);
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_written, 0U);

    bench.memory.page(page)[6] = LbaStamp(Lba(30), 6);
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 8, page)) & ~nvme::kDnr, nvme::kCompareFailure);
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 6, page)), nvme::kSuccess) << "the other blocks are the same";
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 30, 1, page + 6 * 512)) & ~nvme::kDnr, nvme::kCompareFailure);
    EXPECT_EQ(bench.controller.mover.counters().media_errors, 0U) << "the medium has no part in it";
    EXPECT_EQ(bench.buffer.slot(5), LpageToken::uniform(Lpn(3), 7));

    for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = {};
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 8, page), WL_JOB_ZERO_OUT), nvme::kSuccess);
    bench.memory.page(page)[0] = LbaStamp(Lba(24), 2);
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 8, page), WL_JOB_ZERO_OUT) & ~nvme::kDnr, nvme::kCompareFailure);
  });
}

/// Host memory that takes time, and slots that are another's when it has answered.
TEST(NvmeCompareTest, WithMemoryThatTakesTime) {
  ForeignHost host;
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [](std::uint64_t) { return 3_us; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    for (unsigned i = 0; i < 8; ++i) host.foreign.stamp(page + i * 512) = LbaStamp(Lba(24 + i), 7);
    const auto compare = [&](std::uint16_t cid) {
      host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
      host.submit_io(foreign_io(nvme::kCompare, cid, 24, 8, page));
      host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 1, WL_JOB_THEN_COMPLETE));
      pass(1_us);
      host.buffer.slot(5) = {};
      return nvme::status_of(host.io_completion()) & ~nvme::kDnr;
    };
    EXPECT_EQ(compare(1), nvme::kSuccess);
    host.foreign.stamp(page + 3 * 512) = {};
    EXPECT_EQ(compare(2), nvme::kCompareFailure);
  });
}

TEST(NvmeWriteUncorrectableTest, MarksBlocksUntilTheyAreWritten) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    const Picoseconds start = tlm_if::kernel_time();
    nvme::SubmissionEntry mark = io(nvme::kWriteUncorrectable, 26, 2, 0x123);
    mark.cdw12 |= nvme::kFua;  // reserved here
    bench.submit(1, mark);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.opcode, nvme::kWrite) << "for the firmware";
    EXPECT_EQ(event.flags, WL_EVENT_LAST);
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + 256_ns + 50_ns + kEntry) << "nothing on the link";
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_written, 0U);

    fill(bench, page, 24, 7);
    for (const std::uint8_t opcode : {nvme::kRead, nvme::kVerify, nvme::kCompare}) {
      EXPECT_EQ(status_of(bench, io(opcode, 24, 8, page)), nvme::kUnrecoveredRead) << int{opcode};
      EXPECT_EQ(status_of(bench, io(opcode, 27, 1, page)), nvme::kUnrecoveredRead) << int{opcode};
    }
    fill(bench, page, 24, 7);
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 2, page)), nvme::kSuccess) << "the blocks before";
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 28, 4, page)), nvme::kSuccess) << "those behind";
    EXPECT_EQ(bench.memory.page(page)[0], LbaStamp(Lba(28), 7));
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 24, 8, page)), nvme::kUnrecoveredRead);
    EXPECT_EQ(bench.memory.page(page)[2], LbaStamp()) << "the host sees no mark";
    EXPECT_EQ(bench.controller.mover.counters().media_errors, 7U);

    fill(bench, page, 26, 9);
    EXPECT_EQ(status_of(bench, io(nvme::kWrite, 26, 2, page), WL_JOB_DMA_IN), nvme::kSuccess);
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 24, 8, page)), nvme::kSuccess);
    EXPECT_EQ(bench.memory.page(page)[3], LbaStamp(Lba(27), 9));
  });
}

class Copy {
 public:
  explicit Copy(NvmeBench& bench) : bench_(bench), list_(bench.memory.allocate()) {}

  Copy& range(std::uint64_t slba, std::uint32_t nlb) {
    nvme::CopyRange range{};
    range.slba = slba;
    range.nlb = static_cast<std::uint16_t>(nlb - 1);
    bench_.memory.write(list_ + ranges_++ * sizeof range, &range, sizeof range);
    return *this;
  }
  [[nodiscard]] nvme::SubmissionEntry to(std::uint64_t lba) const {
    nvme::SubmissionEntry sqe = io(nvme::kCopy, lba, 1, list_);
    sqe.cdw12 = ranges_ - 1;
    return sqe;
  }

 private:
  NvmeBench& bench_;
  std::uint64_t list_;
  std::uint32_t ranges_ = 0;
};

TEST(NvmeCopyTest, ReadsAndWritesUnderItsTag) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    bench.buffer.slot(6) = LpageToken::uniform(Lpn(10), 8);
    nvme::SubmissionEntry sqe = Copy(bench).range(24, 8).range(82, 2).to(160);
    sqe.cdw12 |= nvme::kFua;
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, sqe);
    const wl_host_event read = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kBefore + 124_ns + 88_ns + 100_ns) << "behind its ranges";
    EXPECT_EQ(read.opcode, nvme::kRead);
    EXPECT_EQ(read.flags, WL_EVENT_LAST);
    EXPECT_EQ(read.slba, 24U);
    EXPECT_EQ(read.blocks, 8U);
    const Picoseconds moves = tlm_if::kernel_time();
    bench.run_job(job_of(WL_JOB_DMA_OUT, read, 5, 1, WL_JOB_THEN_COMPLETE));
    const wl_host_event write = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), moves + kDram);
    EXPECT_EQ(write.opcode, nvme::kWrite);
    EXPECT_EQ(write.flags, WL_EVENT_LAST | WL_EVENT_FUA);
    EXPECT_EQ(write.tag, read.tag);
    EXPECT_EQ(write.slba, 160U);
    EXPECT_EQ(write.blocks, 8U);
    bench.buffer.slot(5) = {};  // it may be used for other data by now
    bench.run_job(job_of(WL_JOB_DMA_IN, write, 9, 1, WL_JOB_NOTIFY));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(tlm_if::kernel_time(), moves + 2 * kDram);
    EXPECT_EQ(bench.buffer.slot(9), LpageToken::uniform(Lpn(3), 7));
    EXPECT_FALSE(bench.has_completion(1));
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));

    const wl_host_event second = bench.event();
    EXPECT_EQ(second.slba, 82U);
    EXPECT_EQ(second.blocks, 2U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, second, 6, 1, WL_JOB_THEN_COMPLETE));
    const wl_host_event last = bench.event();
    EXPECT_EQ(last.slba, 168U);
    bench.buffer.slot(10) = LpageToken::uniform(Lpn(21), 3);
    bench.run_job(job_of(WL_JOB_DMA_IN, last, 10, 1, WL_JOB_THEN_COMPLETE));
    const nvme::CompletionEntry entry = bench.completion(1);
    EXPECT_EQ(nvme::status_of(entry), nvme::kSuccess);
    EXPECT_EQ(entry.dw0, 0U);
    const data::LpageStamps content = bench.buffer.pool().expand(bench.buffer.slot(10));
    EXPECT_EQ(content[0], LbaStamp(Lba(82), 8));
    EXPECT_EQ(content[1], LbaStamp(Lba(83), 8));
    EXPECT_EQ(content[2], LbaStamp(Lba(170), 3)) << "the rest of the logical page is kept";
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_read, 0U);
    EXPECT_EQ(bench.controller.mover.data_counters().lbas_written, 0U);
  });
}

TEST(NvmeCopyTest, AFailureNamesTheRange) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, Copy(bench).range(24, 8).range(0, 8).to(160));
    bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    bench.run_job(job_of(WL_JOB_DMA_IN, bench.event(), 9, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_TRUE(bench.buffer.slot(9).is_zero());
    wl_host_job fails = job_of(WL_JOB_COMPLETE, bench.event(), 0, 0);
    fails.status = nvme::kUnrecoveredRead;
    bench.run_job(fails);
    nvme::CompletionEntry entry = bench.completion(1);
    EXPECT_EQ(nvme::status_of(entry), nvme::kUnrecoveredRead);
    EXPECT_EQ(entry.dw0, 1U);

    // Nor is a block copied that is marked.
    data::LpageStamps stamps{};
    stamps[4] = data::kMarked;
    bench.buffer.slot(5) = bench.buffer.pool().intern(stamps);
    EXPECT_EQ(status_of(bench, Copy(bench).range(24, 8).to(160)), nvme::kUnrecoveredRead);
    EXPECT_FALSE(bench.has_event());
  });
}

/// A piece is as long as the longest read, and the other deallocations and copies wait.
TEST(NvmeCopyTest, IsCutIntoPiecesAndOneAtATime) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, Copy(bench).range(0, 600).to(4000));
    bench.submit(1, Copy(bench).range(2000, 8).to(3000));
    std::uint64_t from = 0;
    for (const std::uint32_t nlb : {256U, 256U, 88U}) {
      const wl_host_event read = bench.event();
      EXPECT_EQ(read.opcode, nvme::kRead);
      EXPECT_EQ(read.slba, from);
      EXPECT_EQ(read.blocks, nlb);
      bench.run_job(job_of(WL_JOB_ZERO_OUT, read, 0, static_cast<std::uint16_t>(nlb / 8), WL_JOB_THEN_COMPLETE));
      const wl_host_event write = bench.event();
      EXPECT_EQ(write.opcode, nvme::kWrite);
      EXPECT_EQ(write.slba, 4000 + from);
      EXPECT_EQ(write.blocks, nlb);
      bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
      from += nlb;
    }
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(bench.event().slba, 2000U);
  });
}

TEST(NvmeCopyTest, LimitsAreThoseOfIdentify) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    nvme::SubmissionEntry identify = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    identify.nsid = 1;
    ASSERT_EQ(admin_status(bench, identify), nvme::kSuccess);
    const auto field = [&](std::size_t offset, auto value) {
      bench.memory.read(page + offset, &value, sizeof value);
      return value;
    };
    const auto mssrl = field(nvme::identify_namespace::kMssrl, std::uint16_t{});
    const auto mcl = field(nvme::identify_namespace::kMcl, std::uint32_t{});
    const auto msrc = field(nvme::identify_namespace::kMsrc, std::uint8_t{});
    ASSERT_EQ(mssrl, 2048U);
    ASSERT_EQ(mcl, 8192U);
    ASSERT_EQ(msrc, 127U);
    const auto refusal = [&](const nvme::SubmissionEntry& sqe) {
      bench.submit(1, sqe);
      const nvme::CompletionEntry entry = bench.completion(1);
      EXPECT_EQ(entry.dw0, 0U);
      return nvme::status_of(entry) & ~nvme::kDnr;
    };
    const std::uint64_t end = NvmeBench::kLpages * 8;
    EXPECT_EQ(refusal(Copy(bench).range(0, mssrl + 1U).to(0)), nvme::kCommandSizeLimitExceeded);
    Copy most(bench);
    for (int i = 0; i < 4; ++i) most.range(0, mssrl);
    EXPECT_EQ(refusal(most.range(0, 1).to(0)), nvme::kCommandSizeLimitExceeded);
    Copy many(bench);
    for (unsigned i = 0; i < msrc + 1U; ++i) many.range(0, 1);
    nvme::SubmissionEntry too_many = many.to(0);
    ++too_many.cdw12;
    EXPECT_EQ(refusal(too_many), nvme::kCommandSizeLimitExceeded);
    EXPECT_EQ(refusal(Copy(bench).range(0, 8).range(end - 7, 8).to(0)), nvme::kLbaOutOfRange);
    EXPECT_EQ(refusal(Copy(bench).range(0, 8).range(8, 8).to(end - 15)), nvme::kLbaOutOfRange);
    nvme::SubmissionEntry format1 = Copy(bench).range(0, 8).to(0);
    format1.cdw12 |= 1U << 8;
    EXPECT_EQ(refusal(format1), nvme::kInvalidField);
    nvme::SubmissionEntry odd = Copy(bench).range(0, 8).to(0);
    odd.prp1 += 2;
    EXPECT_EQ(refusal(odd), nvme::kPrpOffsetInvalid);
    // The largest of all is taken.
    bench.submit(1, many.to(end - 128));
    EXPECT_EQ(bench.event().opcode, nvme::kRead);
  });
}

TEST(NvmeIdentifyTest, NamesTheseCommandsAndTheirSizes) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    ASSERT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::uint16_t oncs = 0, ocfs = 0;
    bench.memory.read(page + nvme::identify_controller::kOncs, &oncs, sizeof oncs);
    bench.memory.read(page + nvme::identify_controller::kOcfs, &ocfs, sizeof ocfs);
    EXPECT_EQ(oncs, 0x1cf) << "Compare, Write Uncorrectable, DSM, Write Zeroes, Verify, Copy, Timestamp";
    EXPECT_EQ(ocfs, 1U);
    ASSERT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsCommandSetController, 0, page)),
              nvme::kSuccess);
    std::uint8_t sizes[3];
    bench.memory.read(page, sizes, sizeof sizes);
    EXPECT_EQ(sizes[0], 5U);  // 128 KiB
    EXPECT_EQ(sizes[2], 5U);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsCommandSetController, 1U << 24, page)),
              nvme::kInvalidField | nvme::kDnr);
    for (const std::uint8_t opcode : {nvme::kVerify, nvme::kWriteUncorrectable, nvme::kCompare}) {
      bench.submit(1, io(opcode, 0, 257, page));
      EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kInvalidField | nvme::kDnr) << int{opcode};
      bench.submit(1, io(opcode, NvmeBench::kLpages * 8 - 1, 2, page));
      EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kLbaOutOfRange | nvme::kDnr) << int{opcode};
    }
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_inner_test
