// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A memory of a foreign host that takes time: what that adds to latencies, worked out by hand, and what stays in order.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::host_memory_time_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

struct Took {
  Picoseconds read, write;
};

/// A read and a write of 4 KiB, one after the other, at a memory of which each access takes `each`.
Took time_of_both(ForeignHost& host, Picoseconds each) {
  Took took{};
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [each](std::uint64_t) { return each; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    Picoseconds start = tlm_if::kernel_time();
    host.submit_io(foreign_io(nvme::kRead, 1, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_OUT, host.event(), 5, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
    EXPECT_EQ(host.foreign.stamp(page + 512), LbaStamp(Lba(25), 7)) << "the data are there before the completion";
    took.read = tlm_if::kernel_time() - start;
    pass(10_us);
    start = tlm_if::kernel_time();
    host.submit_io(foreign_io(nvme::kWrite, 2, 24, 8, page));
    host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 6, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
    EXPECT_EQ(host.buffer.slot(6), LpageToken::uniform(Lpn(3), 7));
    took.write = tlm_if::kernel_time() - start;
  });
  return took;
}

// Without the memory's time: entry fetched and parsed, DRAM, logical page on the wire, entry and message; a write has
// the request of its data on the wire and one latency more. A memory of 300 ns: a read waits for it when its entry is
// fetched, when its data have arrived (the completion entry arrives 68 ns behind them and has to wait for them), and
// for the completion entry; a write for its entry, its data and its completion entry.
constexpr Picoseconds kReadAlone = 312_ns + 200_ns + 1074_ns + 4480_ns + 168_ns;
constexpr Picoseconds kWriteAlone = 312_ns + 200_ns + 124_ns + 4480_ns + 100_ns + 1074_ns + 168_ns;
constexpr Picoseconds kEach = 300_ns, kBehindData = 40_ns + 28_ns;

TEST(HostMemoryTimeTest, TimeThatTheMemoryWaitsIsAdded) {
  ForeignHost host;
  host.foreign.waits = true;
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
}

TEST(HostMemoryTimeTest, TimeThatTheMemoryAnnotatesIsAdded) {
  ForeignHost host;
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
}

TEST(HostMemoryTimeTest, TimeThatAMemoryAnnotatesWhichNeverWaitsIsAdded) {
  ForeignHost host(ForeignHost::Target::kNeverWaits);
  const Took took = time_of_both(host, kEach);
  EXPECT_EQ(took.read, kReadAlone + 3 * kEach - kBehindData);
  EXPECT_EQ(took.write, kWriteAlone + 3 * kEach);
  EXPECT_EQ(host.bridge.threads(), 0U);
}

TEST(HostMemoryTimeTest, AMemoryThatWaitsForNothingAddsNothing) {
  ForeignHost host;
  host.foreign.waits = true;
  const Took took = time_of_both(host, 0_ps);
  EXPECT_EQ(took.read, kReadAlone);
  EXPECT_EQ(took.write, kWriteAlone);
}

// Data of the first command take 9 us, those of the second one, entries none: an entry waits for its own data alone,
// and the messages come in the order of the entries.
TEST(HostMemoryTimeTest, ACompletionComesBehindItsDataHoweverLongTheyTake) {
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    const std::uint64_t page = host.foreign.map(0x7'1000'0000), other = host.foreign.map(0x7'2000'0000);
    host.foreign.takes = [&](std::uint64_t address) { return address < page ? 0_ns : address < other ? 9_us : 1_us; };
    host.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    host.buffer.slot(6) = LpageToken::uniform(Lpn(4), 8);
    host.submit_io(foreign_io(nvme::kRead, 1, 24, 8, page));
    host.submit_io(foreign_io(nvme::kRead, 2, 32, 8, other));
    const wl_host_event first = host.event(), second = host.event();
    host.job(job_of(WL_JOB_DMA_OUT, first, 5, 1, WL_JOB_THEN_COMPLETE));
    host.job(job_of(WL_JOB_DMA_OUT, second, 6, 1, WL_JOB_THEN_COMPLETE));
    host.ring_jobs();
    const Picoseconds rung = tlm_if::kernel_time();
    EXPECT_EQ(host.io_completion().cid, 1);
    EXPECT_GT(tlm_if::kernel_time(), rung + 9_us);
    EXPECT_EQ(host.foreign.stamp(page), LbaStamp(Lba(24), 7)) << "the data are there before the entry";
    EXPECT_EQ(host.foreign.stamp(other), LbaStamp(Lba(32), 8));
    EXPECT_EQ(host.io_completion().cid, 2);
    EXPECT_LT(tlm_if::kernel_time(), rung + 15_us) << "both were in flight: apart it were 15.6 us";
    EXPECT_EQ(host.foreign.most_inside, 2U);
  });
}

// The memory refuses data when their completion entry is on its way.
TEST(HostMemoryTimeTest, AnErrorThatComesLateIsTheStatusOfItsCommand) {
  expect_reports(true);
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    host.foreign.takes = [](std::uint64_t) { return 3_us; };
    host.submit_io(foreign_io(nvme::kRead, 1, 0, 8, 0x9'0000'0000));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
    EXPECT_EQ(reports_seen(), 1U);
    EXPECT_EQ(host.controller.errors(), 1U);
    host.submit_io(foreign_io(nvme::kRead, 1, 0, 8, host.foreign.map(0x7'1000'0000)));
    host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess) << "the next of this name";
    // A page of information, and a list.
    nvme::SubmissionEntry sqe{};
    sqe.opcode = nvme::kIdentify;
    sqe.prp1 = 0x9'0000'0000;
    sqe.cdw10 = nvme::kCnsController;
    EXPECT_EQ(nvme::status_of(host.admin(sqe)), nvme::kDataTransferError | nvme::kDnr);
    host.submit_io(foreign_io(nvme::kRead, 2, 0, 24, host.foreign.map(0x7'2000'0000), 0x9'0000'0000));
    EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kDataTransferError | nvme::kDnr);
  });
}

// The same four writes at a memory whose accesses take 5 us, at once and one after the other.
TEST(HostMemoryTimeTest, AccessesAreInFlightTogether) {
  ForeignHost host;
  host.foreign.waits = true;
  play([&] {
    host.bring_up();
    std::vector<std::uint64_t> pages;
    for (std::uint64_t i = 0; i < 4; ++i) pages.push_back(host.foreign.map(0x7'1000'0000 + i * 4096));
    host.foreign.takes = [&](std::uint64_t address) { return address < pages[0] ? 0_ns : 5_us; };
    std::uint16_t cid = 0;
    const auto run = [&](std::uint16_t together) {
      const Picoseconds start = tlm_if::kernel_time();
      for (std::uint16_t done = 0; done < 4; done = static_cast<std::uint16_t>(done + together)) {
        for (std::uint16_t i = 0; i < together; ++i) {
          ++cid;
          host.submit_io(foreign_io(nvme::kWrite, cid, 8ULL * cid, 8, pages[i]));
        }
        for (std::uint16_t i = 0; i < together; ++i) {
          host.run_job(job_of(WL_JOB_DMA_IN, host.event(), 8U + i, 1, WL_JOB_THEN_COMPLETE));
        }
        for (std::uint16_t i = 0; i < together; ++i) {
          EXPECT_EQ(nvme::status_of(host.io_completion()), nvme::kSuccess);
        }
      }
      return tlm_if::kernel_time() - start;
    };
    const Picoseconds apart = run(1);
    EXPECT_EQ(host.foreign.most_inside, 1U);
    const Picoseconds together = run(4);
    EXPECT_EQ(host.foreign.most_inside, 4U);
    EXPECT_LT(together, apart - 3 * 5_us);
    EXPECT_EQ(host.bridge.threads(), 4U) << "kept, and used again";
  });
}

}  // namespace
}  // namespace wordline::testing::host_memory_time_test
