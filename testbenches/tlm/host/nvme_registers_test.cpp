// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_registers_test {
namespace {

namespace nvme = host::nvme;
namespace regs = registers::nvme;
using namespace wordline::literals;

TEST(NvmeRegistersTest, ResetValues) {
  NvmeBench bench;
  play([&] {
    std::uint64_t cap = 0;
    EXPECT_EQ(bench.access(false, nvme::kRegCap, &cap, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(cap & 0xffff, 0xffffU);  // MQES, 0-based
    EXPECT_EQ(cap >> 16 & 1, 1U);      // CQR
    EXPECT_EQ(cap >> 17 & 3, 1U);      // AMS: weighted round robin with urgent class
    EXPECT_EQ(cap >> 32 & 0xf, 0U);    // DSTRD
    EXPECT_EQ(cap >> 37 & 0xff, 1U);   // CSS: NVM command set
    EXPECT_EQ(cap >> 48 & 0xff, 0U);   // MPSMIN, MPSMAX: 4 KiB
    EXPECT_EQ(cap >> 24 & 0xff, 20U);  // TO, of 500 ms
    EXPECT_EQ(cap >> 36 & 1, 1U);      // NSSRS
    EXPECT_EQ(cap >> 59 & 3, 1U);      // CRMS: with media
    EXPECT_EQ(bench.read32(nvme::kRegCrto), 20U);
    EXPECT_EQ(bench.read32(nvme::kRegVs), 0x00020000U);
    for (const std::uint32_t offset : {0x0cU, 0x10U, 0x14U, 0x18U, 0x1cU, 0x24U, 0x28U, 0x2cU, 0x30U, 0x34U, 0x38U}) {
      EXPECT_EQ(bench.read32(offset), 0U) << offset;
    }
  });
}

TEST(NvmeRegistersTest, AdminQueueRegistersHoldWhatIsWritten) {
  NvmeBench bench;
  play([&] {
    bench.write32(nvme::kRegAqa, 0xffffffff);
    bench.write64(nvme::kRegAsq, 0x1234567812345678);
    bench.write32(nvme::kRegAcq, 0x9abcdfff);
    bench.write32(nvme::kRegAcq + 4, 0x11);
    EXPECT_EQ(bench.read32(nvme::kRegAqa), 0U);  // still on the link
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegAqa), 0x0fff0fffU);
    EXPECT_EQ(bench.read32(nvme::kRegAsq), 0x12345000U);
    EXPECT_EQ(bench.read32(nvme::kRegAsq + 4), 0x12345678U);
    std::uint64_t acq = 0;
    EXPECT_EQ(bench.access(false, nvme::kRegAcq, &acq, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(acq, 0x000000119abcd000U);
  });
}

TEST(NvmeRegistersTest, BadAccessesAreRefused) {
  NvmeBench bench;
  play([&] {
    std::array<std::byte, 64> data{};
    EXPECT_EQ(bench.access(false, 0x14, data.data(), 2), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(false, 0x16, data.data(), 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(false, 0x24, data.data(), 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(true, 0x1200, data.data(), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(false, 0x11fc, data.data(), 4), tlm::TLM_OK_RESPONSE);
    std::uint32_t value = 0;
    EXPECT_EQ(bench.firmware_access(false, 0x4c, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.firmware_access(true, 0x4c, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.firmware_access(false, regs::job_doorbell, value), tlm::TLM_OK_RESPONSE);
  });
}

TEST(NvmeRegistersTest, WritesWithoutEffectAreReported) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    const auto reports_of = [&](std::uint32_t offset, std::uint32_t value) {
      bench.write32(offset, value);
      pass(1_us);
      return reports_seen();
    };
    EXPECT_EQ(reports_of(nvme::kRegCap, 1), 1U);
    EXPECT_EQ(reports_of(nvme::kRegVs, 1), 1U);
    EXPECT_EQ(reports_of(nvme::kRegCsts, 1), 1U);
    EXPECT_EQ(reports_of(nvme::sq_tail_doorbell(0), 1), 1U);  // not ready
    bench.enable();
    EXPECT_EQ(reports_seen(), 0U);
    EXPECT_EQ(reports_of(nvme::kRegAqa, 0x000f000f), 1U);
    EXPECT_EQ(reports_of(nvme::sq_tail_doorbell(1), 1), 1U);  // no such queue
    EXPECT_EQ(reports_of(nvme::sq_tail_doorbell(0), 8), 1U);  // 8 entries: 0..7
    EXPECT_EQ(reports_of(nvme::cq_head_doorbell(0), 1), 1U);  // nothing was posted
    EXPECT_EQ(reports_of(nvme::cq_head_doorbell(0), 8), 1U);
    EXPECT_EQ(bench.read32(nvme::kRegAqa), 0x00070007U);
  });
}

TEST(NvmeEnableTest, ReadyNeedsFirmware) {
  NvmeBench bench;
  play([&] {
    bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
    bench.write64(nvme::kRegAsq, bench.memory.allocate());
    bench.write64(nvme::kRegAcq, bench.memory.allocate());
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    pass(50_us);
    EXPECT_EQ(bench.read32(nvme::kRegCc), nvme::kCcEnabled);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    const Picoseconds now = tlm_if::kernel_time();
    bench.firmware_ready();
    sc_core::wait(bench.controller.status_changed());
    EXPECT_EQ(tlm_if::kernel_time(), now);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    std::uint32_t value = 0;
    EXPECT_EQ(bench.firmware_access(false, regs::control, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 1U);

    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
  });
}

TEST(NvmeEnableTest, FirmwareMayBeFirst) {
  NvmeBench bench;
  play([&] {
    bench.firmware_ready();
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.enable();
  });
}

TEST(NvmeEnableTest, ImpossibleSettingsAreFatal) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    bench.firmware_ready();
    const auto status_of_enable = [&](std::uint32_t aqa, std::uint64_t asq, std::uint32_t cc) {
      bench.write32(nvme::kRegCc, 0);
      bench.write32(nvme::kRegAqa, aqa);
      bench.write64(nvme::kRegAsq, asq);
      bench.write64(nvme::kRegAcq, 0x2000);
      bench.write32(nvme::kRegCc, cc);
      pass(1_us);
      return bench.read32(nvme::kRegCsts);
    };
    EXPECT_EQ(status_of_enable(0x00070007, 0x1000, nvme::kCcEnabled | 1U << 7), nvme::kCstsFatal);   // MPS = 8 KiB
    EXPECT_EQ(status_of_enable(0x00070007, 0x1000, nvme::kCcEnabled | 1U << 4), nvme::kCstsFatal);   // CSS
    EXPECT_EQ(status_of_enable(0x00070007, 0x1000, nvme::kCcEnabled | 2U << 11), nvme::kCstsFatal);  // AMS
    EXPECT_EQ(status_of_enable(0x00070000, 0x1000, nvme::kCcEnabled), nvme::kCstsFatal);
    EXPECT_EQ(status_of_enable(0x00070007, 0, nvme::kCcEnabled), nvme::kCstsFatal);
    EXPECT_EQ(reports_seen(), 5U);
    EXPECT_EQ(status_of_enable(0x00070007, 0x1000, nvme::kCcEnabled), nvme::kCstsReady);
    EXPECT_EQ(reports_seen(), 0U);
  });
}

TEST(NvmeEnableTest, ShutdownWaitsForCommands) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    const wl_host_event event = bench.event();
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | 1U << 14);
    pass(5_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
    bench.answer(bench.event(), 0);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownComplete);
  });
}

// A reset forgets the queues at once; ready is cleared when the firmware has given back what it holds.
TEST(NvmeEnableTest, ResetLosesCommandsInFlight) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.put(1, io(nvme::kRead, 0, 8, bench.memory.allocate()));
    bench.put(1, io(nvme::kFlush, 0, 1, 0));
    bench.ring(1);
    const wl_host_event read = bench.event();
    bench.write32(nvme::kRegCc, 0);  // arrives 128 ns later, 72 ns before the flush is parsed
    pass(20_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);  // the read is out
    EXPECT_FALSE(bench.has_event());                            // the flush was dropped
    bench.run_job(job_of(WL_JOB_DMA_OUT, read, 0, 1, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY_QUIET));
    pass(20_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    ASSERT_TRUE(bench.has_event());  // the firmware gets its slot back all the same
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_TRUE(bench.interrupts.empty());
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);

    bench.bring_up();
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

// The firmware maps the slot in any case: it must not hold something that is neither the old nor the new data.
TEST(NvmeEnableTest, ResetLetsAWriteTakeItsData) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.memory.page(page).fill(data::LbaStamp(Lba(8), 5));
    bench.submit(1, io(nvme::kWrite, 8, 8, page));
    const wl_host_event write = bench.event();
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    bench.run_job(job_of(WL_JOB_DMA_IN, write, 2, 1, WL_JOB_NOTIFY));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(bench.buffer.pool().stamp(bench.buffer.slot(2), 0), data::LbaStamp(Lba(8), 5));
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);  // until the command is over
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
  });
}

// Queues where the host has no memory: there is no command to answer, so the controller says that it has failed.
TEST(NvmeEnableTest, QueuesThatCannotBeReachedAreFatal) {
  expect_reports(true);
  NvmeBench bench;
  play([&] {
    constexpr std::uint64_t kNowhere = 0x7'0000'0000;
    bench.bring_up();
    bench.create_queue(2, 8, 8);
    bench.put(2, io(nvme::kFlush, 0, 1, 0));
    for (const std::uint16_t opcode : {nvme::kCreateIoCq, nvme::kCreateIoSq}) {
      nvme::SubmissionEntry sqe{};
      sqe.opcode = static_cast<std::uint8_t>(opcode);
      sqe.prp1 = kNowhere;
      sqe.cdw10 = 7U << 16 | 3U;
      sqe.cdw11 = 3U << 16 | 3U;
      ASSERT_EQ(nvme::status_of(bench.admin(sqe)), nvme::kSuccess);
    }
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    bench.write32(nvme::sq_tail_doorbell(3), 1);
    pass(10_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsFatal);
    bench.ring(2);  // nothing is fetched any more
    pass(10_us);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.bring_up();
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

TEST(NvmeEnableTest, MaskedVectorIsDeliveredLater) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.write32(nvme::kRegIntms, 1U << 1);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegIntms), 2U);
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    pass(10_us);
    EXPECT_TRUE(bench.has_completion(1));
    EXPECT_TRUE(bench.interrupts.empty());
    bench.write32(nvme::kRegIntmc, 1U << 1);
    const Picoseconds written = tlm_if::kernel_time();
    bench.completion(1);
    pass(1_us);
    ASSERT_EQ(bench.interrupts.size(), 1U);
    EXPECT_EQ(bench.interrupts[0].vector, 1U);
    EXPECT_EQ(bench.interrupts[0].at, written + 2 * 128_ns);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_registers_test
