// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Resets of the function and of the NVM subsystem, a controller that is late or never ready, and what a host hears of
// doorbells that it may not write.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_reset_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr std::uint32_t kNvme = 0x4e564d65;

/// A read is with the firmware when `reset` comes; the registers are as at power on, and the drive comes up again.
void expect_all_reset(NvmeBench& bench, const std::function<void()>& reset, std::uint32_t csts) {
  bench.bring_up();
  bench.write32(nvme::kRegIntms, 0xff);
  bench.submit(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
  const wl_host_event event = bench.event();
  reset();
  pass(1_us);
  EXPECT_EQ(bench.read32(nvme::kRegCsts) & nvme::kCstsReady, nvme::kCstsReady) << "the firmware holds a command";
  bench.run_job(job_of(WL_JOB_ZERO_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE));
  pass(10_us);
  EXPECT_FALSE(bench.has_completion(1));
  EXPECT_EQ(bench.read32(nvme::kRegCsts), csts);
  for (const std::uint32_t offset : {nvme::kRegCc, nvme::kRegIntms, nvme::kRegAqa, nvme::kRegAsq, nvme::kRegAsq + 4,
                                     nvme::kRegAcq, nvme::kRegAcq + 4, nvme::kRegNssr}) {
    EXPECT_EQ(bench.read32(offset), 0U) << offset;
  }
}

TEST(NvmeResetTest, OfTheSubsystem) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    EXPECT_EQ(bench.read32(nvme::kRegCap + 4) >> 4 & 1U, 1U) << "CAP.NSSRS";
    expect_all_reset(
        bench, [&] { bench.write32(nvme::kRegNssr, kNvme); }, nvme::kCstsSubsystemReset);
    EXPECT_EQ(reports_seen(), 0U);
    bench.write32(nvme::kRegNssr, kNvme + 1);
    pass(1_us);
    EXPECT_EQ(reports_seen(), 1U) << "another value asks for nothing";
    // NSSRO stays over CC.EN, until the host clears it.
    bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
    bench.write64(nvme::kRegAsq, bench.memory.allocate());
    bench.write64(nvme::kRegAcq, bench.memory.allocate());
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsSubsystemReset);
    bench.write32(nvme::kRegCsts, nvme::kCstsSubsystemReset);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    EXPECT_EQ(reports_seen(), 0U);
  });
}

TEST(NvmeResetTest, OfTheFunction) {
  NvmeBench bench;
  play([&] {
    expect_all_reset(
        bench, [&] { bench.controller.function_level_reset(tlm_if::kernel_time() + 128_ns); }, 0);
    bench.bring_up();
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

// As a reset by CC.EN does, one of the function heals a controller that has failed.
TEST(NvmeResetTest, OfAControllerThatHasFailed) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);  // no admin queue
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsFatal);
    bench.controller.function_level_reset(tlm_if::kernel_time() + 128_ns);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.bring_up();
  });
}

TEST(NvmeReadyTest, NotBeforeItsTime) {
  config::Config config = nvme_bench_config();
  config.nvme.ready_time = 300_us;
  config.nvme.ready_timeout = 500_ms;
  NvmeBench bench(config);
  play([&] {
    EXPECT_EQ(bench.read32(nvme::kRegCap) >> 24, 1U) << "CAP.TO, of 500 ms";
    const auto enable = [&] {
      bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
      bench.write64(nvme::kRegAsq, bench.memory.allocate());
      bench.write64(nvme::kRegAcq, bench.memory.allocate());
      bench.write32(nvme::kRegCc, nvme::kCcEnabled);
      return tlm_if::kernel_time();
    };
    enable();
    bench.firmware_ready();
    pass(200_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    // A reset before that: the time of the first is not that of the second.
    bench.write32(nvme::kRegCc, 0);
    pass(10_us);
    const Picoseconds again = enable();
    sc_core::wait(bench.controller.status_changed());
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    EXPECT_GE(tlm_if::kernel_time() - again, 300_us);
    EXPECT_LE(tlm_if::kernel_time() - again, 301_us);
  });
}

TEST(NvmeReadyTest, NorBeforeTheFirmware) {
  config::Config config = nvme_bench_config();
  config.nvme.ready_time = 100_us;
  NvmeBench bench(config);
  play([&] {
    bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
    bench.write64(nvme::kRegAsq, bench.memory.allocate());
    bench.write64(nvme::kRegAcq, bench.memory.allocate());
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    pass(200_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.firmware_ready();
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
  });
}

TEST(NvmeReadyTest, Never) {
  config::Config config = nvme_bench_config();
  config.nvme.never_ready = true;
  NvmeBench bench(config);
  play([&] {
    bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
    bench.write64(nvme::kRegAsq, bench.memory.allocate());
    bench.write64(nvme::kRegAcq, bench.memory.allocate());
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    bench.firmware_ready();
    pass(5000_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
  });
}

// Type 0h, error status: information 00h or 01h, of the Error Information log (Base 2.0, 5.2).
TEST(NvmeDoorbellTest, ErrorsAreEvents) {
  NvmeBench bench;
  expect_reports(true);  // the controller warns as well
  play([&] {
    bench.bring_up();
    const auto request = [&] { return bench.submit(0, admin_command(nvme::kAsyncEventRequest)); };
    const auto told = [&](std::uint16_t cid, std::uint32_t dw0) {
      pass(10_us);
      ASSERT_TRUE(bench.has_completion(0));
      const nvme::CompletionEntry entry = bench.completion(0);
      EXPECT_EQ(entry.cid, cid);
      EXPECT_EQ(nvme::status_of(entry), nvme::kSuccess);
      EXPECT_EQ(entry.dw0, dw0);
    };
    const std::uint64_t page = bench.memory.allocate();
    const auto read_log = [&](bool retain) {
      const std::uint32_t rae = retain ? 1U << 15 : 0U;
      EXPECT_EQ(
          admin_status(bench, admin_command(nvme::kGetLogPage, 15U << 16 | rae | nvme::kLogErrorInformation, 0, page)),
          nvme::kSuccess);
    };
    std::uint16_t cid = request();
    pass(5_us);
    bench.write32(nvme::sq_tail_doorbell(9), 1);
    told(cid, 0x010000);
    cid = request();
    pass(5_us);
    bench.write32(nvme::cq_head_doorbell(9), 1);
    bench.write32(nvme::sq_tail_doorbell(9), 0);
    pass(10_us);
    EXPECT_FALSE(bench.has_completion(0)) << "told already";
    bench.write32(nvme::sq_tail_doorbell(1), 16);  // 16 entries
    told(cid, 0x010100);
    cid = request();
    read_log(true);
    bench.write32(nvme::cq_head_doorbell(1), 3);  // nothing is posted
    pass(10_us);
    EXPECT_FALSE(bench.has_completion(0)) << "retained";
    read_log(false);
    bench.write32(nvme::cq_head_doorbell(1), 3);
    told(cid, 0x010100);
    // Without a request the event waits for one; a reset forgets it.
    bench.write32(nvme::cq_head_doorbell(9), 1);
    pass(10_us);
    told(request(), 0x010000);
    read_log(false);
    bench.write32(nvme::cq_head_doorbell(9), 1);
    pass(1_us);
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    bench.bring_up();
    request();
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    (void)reports_seen();
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_reset_test
