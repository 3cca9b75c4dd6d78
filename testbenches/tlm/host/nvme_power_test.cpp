// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's power fails: what the controller tells the firmware, and what comes of commands that are under way.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_power_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

void expect_told(NvmeBench& bench) {
  const wl_host_event event = bench.event();
  EXPECT_EQ(event.type, WL_EVENT_ADMIN);
  EXPECT_EQ(event.flags & WL_ADMIN_POWER_FAILS, WL_ADMIN_POWER_FAILS);
}

void say_safe(NvmeBench& bench) {
  wl_host_job job{};
  job.op = WL_JOB_POWER_SAFE;
  job.tag = WL_NO_TAG;
  bench.run_job(job);
}

TEST(NvmePower, TheBufferIsSafeWhenTheFirmwareSaysSo) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.controller.host_power_fails();
    expect_told(bench);
    EXPECT_FALSE(bench.controller.buffer_is_safe());
    say_safe(bench);
    pass(1_us);
    EXPECT_TRUE(bench.controller.buffer_is_safe());
    EXPECT_FALSE(bench.has_event());
  });
}

TEST(NvmePower, BeforeTheFirmwareIsReadyNothingIsBuffered) {
  NvmeBench bench;
  play([&] {
    bench.controller.host_power_fails();
    EXPECT_TRUE(bench.controller.buffer_is_safe());
    EXPECT_FALSE(bench.has_event());
  });
}

// The firmware keeps one event: another behind this one would take its place.
TEST(NvmePower, IsTheLastThatTheFirmwareHears) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    nvme::SubmissionEntry test = admin_command(nvme::kDeviceSelfTest, nvme::kSelfTestShort);
    test.nsid = 1;
    bench.submit(0, test);
    const wl_host_event owed = bench.event();
    bench.controller.host_power_fails();
    expect_told(bench);
    bench.answer(owed, 0);
    pass(20_us);
    EXPECT_FALSE(bench.has_event()) << "a reset ends a self-test, and is not told now";
    EXPECT_FALSE(bench.has_completion(0));
  });
}

// The link is dead: no data arrive, no completion leaves, no doorbell counts.
TEST(NvmePower, DataThatAreOnTheirWayAreLost) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = data::LbaStamp(Lba(24 + i), 7);
    bench.buffer.slot(5) = data::LpageToken::uniform(Lpn(3), 2);
    bench.submit(1, io(nvme::kWrite, 24, 8, page));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 5, 1, WL_JOB_NOTIFY | WL_JOB_THEN_COMPLETE));
    bench.controller.host_power_fails();
    expect_told(bench);
    const wl_host_event done = bench.event();
    EXPECT_EQ(done.type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(done.flags & WL_EVENT_FAILED, WL_EVENT_FAILED);
    bench.ring_head(1);
    bench.put(1, io(nvme::kRead, 0, 8, page));
    bench.ring(1);
    pass(50_us);
    EXPECT_FALSE(bench.has_completion(1));
    EXPECT_FALSE(bench.has_event());
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_power_test
