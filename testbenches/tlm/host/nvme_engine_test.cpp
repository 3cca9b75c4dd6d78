// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The controller as the hardware engines use it: reads that go to the host in pieces, commands handed over after a
// piece, and the watch over slots of the write buffer.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_engine_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

constexpr Picoseconds kEntry = 40_ns + 28_ns + 100_ns;  // completion entry, MSI-X, latency
constexpr Picoseconds kDram = 1024_ns + 50_ns;          // a logical page
constexpr Picoseconds kLpage = 4480_ns;                 // on the wire

config::Config with_write_buffer() {
  config::Config config = nvme_bench_config();
  config.ftl.write_buffer = Bytes(16 * 4096);
  return config;
}

TEST(NvmeEngines, TheEntryFollowsTheSlowestPiece) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t pages = bench.memory.allocate(2);
    bench.submit(1, io(nvme::kRead, 0, 16, pages, pages + 4096));
    const wl_host_event event = bench.event();
    const Picoseconds start = tlm_if::kernel_time();
    bench.buffer.slot(3) = LpageToken::uniform(Lpn(0), 9);
    const std::uint64_t before = bench.controller.instants();
    const Picoseconds left = bench.controller.mover.send_data(job_of(WL_JOB_DMA_OUT, event, 3, 1), start + 50_us);
    EXPECT_EQ(left, start + 50_us + kDram + kLpage);
    const Picoseconds zeros =
        bench.controller.mover.send_data(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE, 1), start + 1_us);
    EXPECT_EQ(zeros, start + 1_us + kLpage) << "zeros need no DRAM, and pass the other";
    bench.completion(1);
    EXPECT_EQ(tlm_if::kernel_time(), left + kEntry);
    EXPECT_EQ(bench.memory.page(pages)[7], LbaStamp(Lba(7), 9));
    EXPECT_TRUE(bench.memory.page(pages + 4096)[0].is_zero());
    EXPECT_EQ(bench.controller.instants() - before, 1U) << "the completion at the host, and nothing for the pieces";
    EXPECT_FALSE(bench.has_event());
    pass(100_us);
    EXPECT_FALSE(bench.has_completion(1));
  });
}

TEST(NvmeEngines, HandedOverAfterAPieceItCompletesOnce) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t pages = bench.memory.allocate(2);
    bench.submit(1, io(nvme::kRead, 0, 16, pages, pages + 4096));
    const wl_host_event event = bench.event();
    bench.buffer.slot(3) = LpageToken::uniform(Lpn(0), 9);
    bench.controller.mover.send_data(job_of(WL_JOB_DMA_OUT, event, 3, 1), tlm_if::kernel_time());
    const Picoseconds handed = tlm_if::kernel_time() + 80_ns;
    bench.controller.mover.hand_over(event.tag, handed, 0);
    const wl_host_event again = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), handed);
    EXPECT_EQ(again.tag, event.tag);
    EXPECT_EQ(again.blocks, 16U);
    EXPECT_EQ(again.flags & WL_EVENT_LOOKED_UP, 0);
    bench.buffer.slot(7) = LpageToken::uniform(Lpn(0), 10);  // written meanwhile
    bench.buffer.slot(8) = LpageToken::uniform(Lpn(1), 4);
    bench.run_job(job_of(WL_JOB_DMA_OUT, again, 7, 2, WL_JOB_THEN_COMPLETE));
    const nvme::CompletionEntry entry = bench.completion(1);
    EXPECT_EQ(entry.status, nvme::status_word(nvme::kSuccess, true));
    EXPECT_EQ(bench.memory.page(pages)[0], LbaStamp(Lba(0), 10));
    EXPECT_EQ(bench.memory.page(pages + 4096)[7], LbaStamp(Lba(15), 4));
    pass(100_us);
    EXPECT_FALSE(bench.has_completion(1));
  });
}

TEST(NvmeEngines, ASlotInTwoHandsIsReported) {
  NvmeBench bench(with_write_buffer());
  play([&] {
    bench.bring_up();
    expect_reports(true);
    bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    const wl_host_event read = bench.event();
    const Picoseconds left = bench.controller.mover.send_data(job_of(WL_JOB_DMA_OUT, read, 5, 1, WL_JOB_THEN_COMPLETE),
                                                              tlm_if::kernel_time() + 20_us);
    const auto write = [&](std::uint32_t nlb, std::uint32_t slot) {
      bench.submit(1, io(nvme::kWrite, 16, nlb, bench.memory.allocate()));
      bench.run_job(job_of(WL_JOB_DMA_IN, bench.event(), slot, 1, WL_JOB_THEN_COMPLETE));
      pass(1_ns);
    };
    write(8, 6);
    EXPECT_EQ(reports_seen(), 0U) << "another slot";
    write(4, 5);
    EXPECT_EQ(reports_seen(), 1U) << "a part of a logical page, written in place";
    write(8, 5);
    EXPECT_EQ(reports_seen(), 1U);
    ASSERT_LT(tlm_if::kernel_time(), left);
    pass(left - tlm_if::kernel_time());
    write(8, 5);
    EXPECT_EQ(reports_seen(), 0U) << "the data have left";
    bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    const wl_host_event later = bench.event();
    write(8, 5);
    bench.run_job(job_of(WL_JOB_DMA_OUT, later, 5, 1, WL_JOB_THEN_COMPLETE));
    pass(1_ns);
    EXPECT_EQ(reports_seen(), 1U) << "new data are still coming";
    expect_reports(false);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_engine_test
