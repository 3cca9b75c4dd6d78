// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The controller memory buffer (Base 8.5): its registers, what may lie in it, and the link that it saves. Times are
// sums of the bench's round numbers, as in nvme_io_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_controller_memory_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

constexpr std::uint32_t kBytes = 16384;
constexpr std::uint64_t kBase = 0x7000'0000'0000;
constexpr Picoseconds kLatency = 70_ns;
constexpr Picoseconds kDoorbell = 28_ns + 100_ns;
constexpr Picoseconds kFetch = 124_ns + 88_ns + 100_ns;
constexpr Picoseconds kParse = 200_ns;

config::Config with_memory() {
  config::Config config = nvme_bench_config();
  config.nvme.cmb = kBytes;
  config.nvme.cmb_latency = kLatency;
  return config;
}

void map(NvmeBench& bench, std::uint64_t base = kBase) {
  bench.write32(nvme::kRegCmbmsc + 4, static_cast<std::uint32_t>(base >> 32));
  bench.write32(nvme::kRegCmbmsc, static_cast<std::uint32_t>(base) | nvme::kCmbRegisters | nvme::kCmbSpace);
  pass(10_us);
}

/// Submission queue 2 at `address`, of 16 entries, which completes in queue 1.
nvme::Status create_sq(NvmeBench& bench, std::uint64_t address, std::uint32_t entries = 16) {
  const nvme::Status status =
      admin_status(bench, admin_command(nvme::kCreateIoSq, (entries - 1) << 16 | 2, 1U << 16 | 1, address)) &
      ~nvme::kDnr;
  NvmeBench::Queue& queue = bench.queues[2];
  queue.sq = address;
  queue.entries = entries;
  queue.tail = 0;
  return status;
}

/// As the host's driver: the entry over the link, then the doorbell.
void submit_in_memory(NvmeBench& bench, nvme::SubmissionEntry sqe, std::uint16_t cid) {
  NvmeBench::Queue& queue = bench.queues[2];
  sqe.cid = cid;
  const auto offset = static_cast<std::uint32_t>(nvme::kCmbOffset + queue.sq - kBase + queue.tail * sizeof sqe);
  bench.stages.submitted(2, cid, tlm_if::kernel_time());
  EXPECT_EQ(bench.access(true, offset, &sqe, sizeof sqe), tlm::TLM_OK_RESPONSE);
  queue.tail = (queue.tail + 1) % queue.entries;
  bench.ring(2);
}

TEST(NvmeControllerMemory, IsNotThereByDefault) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    EXPECT_EQ(bench.read32(nvme::kRegCap + 4) & nvme::kCapCmbs, 0U);
    bench.write32(nvme::kRegCmbmsc, nvme::kCmbRegisters | nvme::kCmbSpace);
    pass(1_us);
    EXPECT_NE(last_report().find("there is no controller memory buffer"), std::string::npos) << last_report();
    for (const std::uint32_t offset : {nvme::kRegCmbloc, nvme::kRegCmbsz, nvme::kRegCmbmsc, nvme::kRegCmbsts})
      EXPECT_EQ(bench.read32(offset), 0U) << offset;
    std::uint32_t word = 1;
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST(NvmeControllerMemory, RegistersSayWhereItIsOnceTheyAreEnabled) {
  NvmeBench bench(with_memory());
  play([&] {
    EXPECT_NE(bench.read32(nvme::kRegCap + 4) & nvme::kCapCmbs, 0U);
    EXPECT_EQ(bench.read32(nvme::kRegCmbloc), 0U);
    EXPECT_EQ(bench.read32(nvme::kRegCmbsz), 0U);
    std::array<std::uint32_t, 16> words{};
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset, words.data(), 64), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    bench.write32(nvme::kRegCmbmsc, 0xfffU & ~nvme::kCmbSpace);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCmbmsc), nvme::kCmbRegisters) << "reserved bits are read as 0";
    EXPECT_EQ(bench.read32(nvme::kRegCmbloc), 2U << 12) << "BAR0, in units of CMBSZ.SZU";
    EXPECT_EQ(bench.read32(nvme::kRegCmbsz), 4U << 12 | 1U << 2 | 1U << 0) << "4 x 4 KiB, lists, submission queues";
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = 0x1000 + i;
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + kBytes - 64, words.data(), 64), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.read32(nvme::kCmbOffset + kBytes - 60), 0x1001U);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + kBytes - 60, words.data(), 64), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + 2, words.data(), 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset, words.data(), 6), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + kBytes, words.data(), 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST(NvmeControllerMemory, ABaseAtTheEndOfAddressesIsInvalid) {
  NvmeBench bench(with_memory());
  expect_reports(true);
  play([&] {
    map(bench, ~std::uint64_t{kBytes - 1} + 4096);
    EXPECT_EQ(bench.read32(nvme::kRegCmbsts), 1U);
    map(bench, ~std::uint64_t{kBytes - 1});  // up to the last
    EXPECT_EQ(bench.read32(nvme::kRegCmbsts), 0U);
  });
}

TEST(NvmeControllerMemory, AnEntryInItIsNotReadOverTheLink) {
  NvmeBench bench(with_memory());
  play([&] {
    map(bench);
    bench.bring_up();
    ASSERT_EQ(create_sq(bench, kBase + 4096), nvme::kSuccess);
    const std::uint64_t buffer = bench.memory.allocate();
    bench.buffer.slot(5) = LpageToken::uniform(Lpn(3), 7);
    pass(10_us);
    for (std::uint16_t cid = 1; cid <= 20; ++cid) {  // once around
      const Picoseconds start = tlm_if::kernel_time();
      submit_in_memory(bench, io(nvme::kRead, 24, 8, buffer), cid);
      const wl_host_event event = bench.event();
      // The doorbell comes behind the entry: 64 + 24 bytes.
      EXPECT_EQ(tlm_if::kernel_time(), start + 88_ns + kDoorbell + kLatency + kParse) << cid;
      bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 1, WL_JOB_THEN_COMPLETE));
      const nvme::CompletionEntry entry = bench.completion(1);
      EXPECT_EQ(nvme::status_of(entry), nvme::kSuccess);
      EXPECT_EQ(entry.cid, cid);
      EXPECT_EQ(entry.sq_id, 2U);
      EXPECT_EQ(bench.memory.stamp(buffer), LbaStamp(Lba(24), 7));
      pass(10_us);
    }
    // In host memory, for comparison.
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kRead, 24, 8, buffer));
    (void)bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + kFetch + kParse);
  });
}

TEST(NvmeControllerMemory, ListsInItAreNotReadOverTheLink) {
  NvmeBench bench(with_memory());
  play([&] {
    map(bench);
    bench.bring_up();
    const std::uint64_t buffer = bench.memory.allocate(3);
    const std::array<std::uint64_t, 2> list{buffer + 8192, buffer + 4096};
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + 64, const_cast<std::uint64_t*>(list.data()), 16),
              tlm::TLM_OK_RESPONSE);
    for (unsigned i = 0; i < 3; ++i) bench.buffer.slot(5 + i) = LpageToken::uniform(Lpn(3 + i), 7);
    pass(10_us);
    const Picoseconds start = tlm_if::kernel_time();
    bench.submit(1, io(nvme::kRead, 24, 24, buffer, kBase + 64));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start + kDoorbell + kFetch + kParse + kLatency);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 5, 3, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(bench.memory.stamp(buffer + 8192), LbaStamp(Lba(32), 7));
    EXPECT_EQ(bench.memory.stamp(buffer + 4096), LbaStamp(Lba(40), 7));
  });
}

TEST(NvmeControllerMemory, TakesSubmissionQueuesAlone) {
  NvmeBench bench(with_memory());
  play([&] {
    map(bench);
    bench.bring_up();
    const auto create_cq = [&](std::uint64_t address) {
      return admin_status(bench, admin_command(nvme::kCreateIoCq, 15U << 16 | 3, 1, address)) & ~nvme::kDnr;
    };
    EXPECT_EQ(create_cq(kBase), nvme::kInvalidUseOfCmb);
    EXPECT_EQ(create_cq(kBase + kBytes), nvme::kSuccess) << "behind it";
    EXPECT_EQ(create_sq(bench, kBase + 12288, 65), nvme::kInvalidUseOfCmb) << "ends behind it";
    EXPECT_EQ(create_sq(bench, kBase - 4096, 128), nvme::kInvalidUseOfCmb) << "begins before it";
    EXPECT_EQ(create_sq(bench, kBase + 12288, 64), nvme::kSuccess);
  });
}

/// A data pointer to it is refused before anything is done.
TEST(NvmeControllerMemory, TakesNoData) {
  NvmeBench bench(with_memory());
  play([&] {
    map(bench);
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate(3), list = bench.memory.allocate();
    const auto status = [&](const nvme::SubmissionEntry& sqe) {
      bench.submit(1, sqe);
      pass(20_us);
      EXPECT_FALSE(bench.has_event());
      return nvme::status_of(bench.completion(1)) & ~nvme::kDnr;
    };
    for (const std::uint8_t opcode : {nvme::kRead, nvme::kWrite, nvme::kCompare}) {
      EXPECT_EQ(status(io(opcode, 24, 8, kBase)), nvme::kInvalidUseOfCmb);
      EXPECT_EQ(status(io(opcode, 24, 16, page, kBase + 4096)), nvme::kInvalidUseOfCmb);
      EXPECT_EQ(status(io(opcode, 24, 24, kBase, list)), nvme::kInvalidUseOfCmb);
      const std::uint64_t entries[] = {page + 4096, kBase};
      bench.memory.write(list, entries, sizeof entries);
      EXPECT_EQ(status(io(opcode, 24, 24, page, list)), nvme::kInvalidUseOfCmb) << "in a list";
      nvme::SubmissionEntry sgl = io(opcode, 24, 8, 0);
      const nvme::SglDescriptor block{kBase, 4096, {}, nvme::kSglDataBlock};
      sgl.flags = nvme::kPsdtSgl;
      std::memcpy(&sgl.prp1, &block, sizeof block);
      EXPECT_EQ(status(sgl), nvme::kInvalidUseOfCmb);
    }
    nvme::SubmissionEntry ranges = io(nvme::kDatasetManagement, 0, 1, kBase);
    ranges.cdw10 = 0;
    ranges.cdw11 = nvme::kDsmDeallocate;
    EXPECT_EQ(status(ranges), nvme::kInvalidUseOfCmb) << "ranges are data";
    const auto admin = [&](const nvme::SubmissionEntry& sqe) { return admin_status(bench, sqe) & ~nvme::kDnr; };
    EXPECT_EQ(admin(admin_command(nvme::kIdentify, nvme::kCnsController, 0, kBase)), nvme::kInvalidUseOfCmb);
    EXPECT_EQ(admin(admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, kBase)), nvme::kInvalidUseOfCmb);
    EXPECT_EQ(admin(admin_command(nvme::kNamespaceManagement, nvme::kCreateNamespace, 0, kBase)),
              nvme::kInvalidUseOfCmb);
  });
}

/// The firmware that parses is given a pointer that it refuses, and the host the reason.
TEST(NvmeControllerMemory, TakesNoDataWhoeverParses) {
  config::Config config = unparsed_config();
  config.nvme.cmb = with_memory().nvme.cmb;
  NvmeBench bench(config);
  play([&] {
    map(bench);
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const auto status = [&](const nvme::SubmissionEntry& sqe) {
      bench.submit(1, sqe);
      const wl_host_event event = bench.event();
      EXPECT_EQ(event.type, WL_EVENT_SQE);
      wl_host_job job = job_of(WL_JOB_COMPLETE, event, 0, 0);
      if (bench.entry(event.tag).dword[6] % 4 != 0) job.status = nvme::kPrpOffsetInvalid | nvme::kDnr;
      bench.run_job(job);
      return nvme::status_of(bench.completion(1)) & ~nvme::kDnr;
    };
    EXPECT_EQ(status(io(nvme::kRead, 24, 8, kBase)), nvme::kInvalidUseOfCmb);
    EXPECT_EQ(status(io(nvme::kWrite, 24, 16, page, kBase)), nvme::kInvalidUseOfCmb);
    EXPECT_EQ(status(io(nvme::kWrite, 24, 8, kBase + 2)), nvme::kPrpOffsetInvalid) << "the first reason";
    EXPECT_EQ(status(io(nvme::kWriteZeroes, 24, 8, kBase)), nvme::kSuccess) << "it has no data";
    EXPECT_EQ(status(io(nvme::kRead, 24, 8, page)), nvme::kSuccess);
  });
}

/// With the admin completion queue at `acq`. Returns CSTS.
std::uint32_t enable(NvmeBench& bench, std::uint64_t acq) {
  map(bench);
  bench.write32(nvme::kRegAqa, 7U << 16 | 7U);
  bench.write64(nvme::kRegAsq, kBase);
  bench.write64(nvme::kRegAcq, acq);
  bench.write32(nvme::kRegCc, nvme::kCcEnabled);
  bench.firmware_ready();
  pass(10_us);
  return bench.read32(nvme::kRegCsts);
}

TEST(NvmeControllerMemory, TheAdminSubmissionQueueMayLieInIt) {
  NvmeBench bench(with_memory());
  play([&] {
    const std::uint64_t cq = bench.memory.allocate(), page = bench.memory.allocate();
    EXPECT_EQ(enable(bench, cq), nvme::kCstsReady);
    nvme::SubmissionEntry sqe = admin_command(nvme::kIdentify, nvme::kCnsController, 0, page);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset, &sqe, sizeof sqe), tlm::TLM_OK_RESPONSE);
    bench.write32(nvme::sq_tail_doorbell(0), 1);
    pass(50_us);
    nvme::CompletionEntry entry{};
    bench.memory.read(cq, &entry, sizeof entry);
    EXPECT_TRUE(nvme::phase_of(entry));
    EXPECT_EQ(nvme::status_of(entry), nvme::kSuccess);
  });
}

TEST(NvmeControllerMemory, TheAdminCompletionQueueMayNot) {
  NvmeBench bench(with_memory());
  expect_reports(true);
  play([&] {
    EXPECT_EQ(enable(bench, kBase + 4096), nvme::kCstsFatal);
    EXPECT_NE(last_report().find("takes submission queues alone"), std::string::npos) << last_report();
  });
}

// A Controller Reset leaves it where it is, with what it holds; a function level reset does not.
TEST(NvmeControllerMemory, OutlivesAControllerReset) {
  NvmeBench bench(with_memory());
  play([&] {
    map(bench);
    bench.bring_up();
    std::uint32_t word = 0x12345678;
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + 8, &word, 4), tlm::TLM_OK_RESPONSE);
    bench.write32(nvme::kRegCc, nvme::kCcEnabled & ~nvme::kCcEnable);
    pass(10_us);
    EXPECT_EQ(bench.read32(nvme::kCmbOffset + 8), 0x12345678U);
    bench.bring_up();
    EXPECT_EQ(create_sq(bench, kBase), nvme::kSuccess);
    bench.controller.function_level_reset(tlm_if::kernel_time());
    pass(10_us);
    EXPECT_EQ(bench.read32(nvme::kRegCmbmsc), 0U);
    EXPECT_EQ(bench.read32(nvme::kRegCmbsz), 0U);
    EXPECT_EQ(bench.access(true, nvme::kCmbOffset + 8, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_controller_memory_test
