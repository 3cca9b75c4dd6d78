// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Format NVM and Sanitize: what the controller does while the firmware erases.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_erasure_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

nvme::SubmissionEntry format(std::uint32_t nsid, std::uint32_t cdw10) {
  nvme::SubmissionEntry sqe = admin_command(nvme::kFormat, cdw10);
  sqe.nsid = nsid;
  return sqe;
}

/// How a FLUSH ends that does not get to the firmware.
nvme::Status flush(NvmeBench& bench) {
  bench.submit(1, io(nvme::kFlush, 0, 1, 0));
  return nvme::status_of(bench.completion(1));
}

bool reaches_the_firmware(NvmeBench& bench) {
  bench.submit(1, io(nvme::kFlush, 0, 1, 0));
  bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
  return nvme::status_of(bench.completion(1)) == nvme::kSuccess;
}

wl_host_event begin_write(NvmeBench& bench) {
  bench.submit(1, io(nvme::kWrite, 0, 8, bench.memory.allocate()));
  return bench.event();
}

/// It waits for what is under way; what comes meanwhile is refused, and may be tried again.
TEST(NvmeErasure, FormatHasTheDriveToItself) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const wl_host_event write = begin_write(bench);
    bench.submit(0, format(1, nvme::kFormatUserDataErase << nvme::kFormatEraseShift));
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(flush(bench), nvme::kFormatInProgress);
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.type, WL_EVENT_ADMIN);
    EXPECT_EQ(flush(bench), nvme::kFormatInProgress);
    // A reset of the controller does not end it.
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.bring_up();
    EXPECT_EQ(flush(bench), nvme::kFormatInProgress);
    bench.answer(event, 0);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    EXPECT_TRUE(reaches_the_firmware(bench));
    bench.submit(0, format(nvme::kAllNamespaces, 0));
    bench.answer(bench.event(), 0);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
  });
}

/// The host resets the controller while a Format waits for what is under way: it is forgotten.
TEST(NvmeErasure, FormatThatHasNotBegunIsLostInAReset) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const wl_host_event write = begin_write(bench);
    bench.submit(0, format(1, 0));
    pass(20_us);
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
    pass(20_us);
    bench.bring_up();
    EXPECT_FALSE(bench.has_event());
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    EXPECT_EQ(bench.event().opcode, nvme::kFlush);
  });
}

TEST(NvmeErasure, FormatsThatAreNotThere) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    using namespace nvme;
    EXPECT_EQ(admin_status(bench, format(2, 0)), kInvalidField | kDnr) << "not active";
    EXPECT_EQ(admin_status(bench, format(33, 0)), kInvalidNamespace | kDnr);
    EXPECT_EQ(admin_status(bench, format(0, 0)), kInvalidNamespace | kDnr);
    EXPECT_EQ(admin_status(bench, format(1, 2)), kInvalidFormat | kDnr);
    EXPECT_EQ(admin_status(bench, format(1, 1U << 4)), kInvalidField | kDnr) << "metadata";
    EXPECT_EQ(admin_status(bench, format(1, 1U << 5)), kInvalidField | kDnr) << "protection information";
    EXPECT_EQ(admin_status(bench, format(1, 2U << kFormatEraseShift)), kInvalidField | kDnr) << "cryptographic erase";
  });
}

/// Its command ends when it has begun; what comes before its end is refused, resets of the controller or not.
TEST(NvmeErasure, SanitizeGoesOnBehindItsCommand) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    std::uint16_t resets = 0;
    const auto report = [&](std::uint8_t op) {
      wl_host_job job{};
      job.op = op;
      job.tag = WL_NO_TAG;
      job.count = resets;
      job.lpage = 0x810106;
      bench.run_job(job);
    };
    for (const std::uint32_t action : {0U, 1U, 3U, 4U, 1U << 9 | 2U}) {
      EXPECT_EQ(admin_status(bench, admin_command(nvme::kSanitize, action)), nvme::kInvalidField | nvme::kDnr)
          << action;
    }
    bench.submit(0, admin_command(nvme::kAsyncEventRequest));
    bench.submit(0, admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase));
    const wl_host_event event = bench.event();
    resets = event.count;
    EXPECT_EQ(flush(bench), nvme::kSanitizeInProgress);
    wl_host_job begun{};
    begun.op = WL_JOB_ADMIN;
    begun.flags = WL_ADMIN_BEGUN;
    begun.tag = WL_NO_TAG;
    begun.count = event.count;
    bench.run_job(begun);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(flush(bench), nvme::kSanitizeInProgress);
    EXPECT_EQ(admin_status(bench, format(1, 0)), nvme::kSanitizeInProgress);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase)),
              nvme::kSanitizeInProgress);
    report(WL_JOB_ASYNC_EVENT);
    EXPECT_EQ(bench.completion(0).dw0, 0x810106U);
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.bring_up();
    EXPECT_EQ(flush(bench), nvme::kSanitizeInProgress);
    report(WL_JOB_SANITIZED);
    EXPECT_TRUE(reaches_the_firmware(bench));
    // One that the firmware does not begin.
    bench.submit(0, admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase));
    bench.answer(bench.event(), nvme::kWriteProtected);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kWriteProtected | nvme::kDnr);
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    EXPECT_EQ(bench.event().opcode, nvme::kFlush);
  });
}

TEST(NvmeErasure, NoErasureWhereAPowerCutIsOutlived) {
  config::Config config = nvme_bench_config();
  config.ftl.recovery = config::Recovery::kScan;
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    EXPECT_EQ(admin_status(bench, format(1, 0)), nvme::kInvalidOpcode | nvme::kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase)),
              nvme::kInvalidOpcode | nvme::kDnr);
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::uint16_t oacs = 1;
    bench.memory.read(page + nvme::identify_controller::kOacs, &oacs, sizeof oacs);
    EXPECT_EQ(oacs, 1U << 4 | 1U << 2) << "no Format";
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_erasure_test
