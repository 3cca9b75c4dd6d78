// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_admin_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

template <class T>
T get(NvmeBench& bench, std::uint64_t page, std::size_t offset) {
  T value{};
  bench.memory.read(page + offset, &value, sizeof value);
  return value;
}

TEST(NvmeAdminTest, TimesOfIdentify) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    pass(1_us);
    const std::uint64_t page = bench.memory.allocate();
    const Picoseconds start = tlm_if::kernel_time();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    // Doorbell 128, fetch 312, parse 200, page 4480, entry and message 68, latency 100.
    EXPECT_EQ(tlm_if::kernel_time(), start + 5288_ns);
    EXPECT_EQ(bench.interrupts.back().vector, 0U);
  });
}

TEST(NvmeAdminTest, IdentifyController) {
  namespace id = nvme::identify_controller;
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::string model(id::kMnBytes, '?');
    bench.memory.read(page + id::kMn, model.data(), model.size());
    EXPECT_EQ(model, "Wordline SSD model                      ");
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kRab), 2);   // bursts of four
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kMdts), 5);  // 32 logical pages
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kVer), bench.read32(nvme::kRegVs));
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kSqes), 0x66);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kCqes), 0x44);
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kNn), 32U);
    EXPECT_EQ(get<std::uint16_t>(bench, page, id::kOncs), 0x1cf);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kVwc), 7);  // not power safe; FLUSH of all namespaces
    EXPECT_EQ(get<std::uint64_t>(bench, page, id::kTnvmcap), NvmeBench::kLpages * 4096);
  });
}

// What the host should write and deallocate whole, 0-based.
TEST(NvmeAdminTest, IdentifyNamespaceNamesALargeLogicalPage) {
  namespace id = nvme::identify_namespace;
  config::Config config = nvme_bench_config();
  config.ftl.logical_page = config::LogicalPageSize::k16KiB;
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    nvme::SubmissionEntry sqe = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    sqe.nsid = 1;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kSuccess);
    for (const std::size_t offset : {id::kNpwg, id::kNpwa, id::kNpdg, id::kNpda, id::kNows}) {
      EXPECT_EQ(get<std::uint16_t>(bench, page, offset), 31) << offset;
    }
  });
}

TEST(NvmeAdminTest, IdentifyNamespaceAndLists) {
  namespace id = nvme::identify_namespace;
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate(2);
    nvme::SubmissionEntry sqe = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    sqe.nsid = 1;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kSuccess);
    for (const std::size_t offset : {id::kNsze, id::kNcap, id::kNuse}) {
      EXPECT_EQ(get<std::uint64_t>(bench, page, offset), NvmeBench::kLpages * 8);
    }
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kLbaf0), 9U << 16);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kFlbas), 0);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kNlbaf), 1);
    EXPECT_EQ(get<std::uint16_t>(bench, page, id::kNpwg), 7);
    sqe.nsid = 33;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kInvalidNamespace | nvme::kDnr);

    sqe = admin_command(nvme::kIdentify, nvme::kCnsActiveNamespaces, 0, page);
    EXPECT_EQ(admin_status(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint64_t>(bench, page, 0), 1U);  // one, then the end
    sqe.nsid = 1;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 0), 0U);
    sqe.nsid = 0xffffffff;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kInvalidNamespace | nvme::kDnr);

    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, 0x77, 0, page)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, 1, 0, page + 2)),
              nvme::kPrpOffsetInvalid | nvme::kDnr);
    // Into two pages, from an offset.
    sqe = admin_command(nvme::kIdentify, nvme::kCnsController, 0, page + 4092);
    const std::uint64_t rest = bench.memory.allocate();
    sqe.prp2 = rest;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, rest, nvme::identify_controller::kSqes - 4), 0x66);
  });
}

TEST(NvmeAdminTest, QueueCreationIsChecked) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    const auto cq = [&](std::uint32_t qid, std::uint32_t entries, std::uint32_t cdw11, std::uint64_t prp) {
      return admin_status(bench, admin_command(nvme::kCreateIoCq, (entries - 1) << 16 | qid, cdw11, prp));
    };
    const auto sq = [&](std::uint32_t qid, std::uint32_t entries, std::uint32_t cdw11, std::uint64_t prp) {
      return admin_status(bench, admin_command(nvme::kCreateIoSq, (entries - 1) << 16 | qid, cdw11, prp));
    };
    using namespace nvme;
    EXPECT_EQ(cq(0, 16, 3, page), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(cq(64, 16, 3, page), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(cq(1, 1, 3, page), kInvalidQueueSize | kDnr);
    EXPECT_EQ(cq(1, 16, 2, page), kInvalidField | kDnr);  // not contiguous
    EXPECT_EQ(cq(1, 16, 64U << 16 | 3, page), kInvalidInterruptVector | kDnr);
    EXPECT_EQ(cq(1, 16, 3, page + 64), kPrpOffsetInvalid | kDnr);
    EXPECT_EQ(sq(1, 16, 1U << 16 | 1, page), kCompletionQueueInvalid | kDnr);
    EXPECT_EQ(cq(1, 16, 3, page), kSuccess);
    EXPECT_EQ(cq(1, 16, 3, page), kInvalidQueueIdentifier | kDnr);  // exists
    EXPECT_EQ(sq(0, 16, 1U << 16 | 1, page), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(sq(1, 1, 1U << 16 | 1, page), kInvalidQueueSize | kDnr);
    EXPECT_EQ(sq(1, 16, 1U << 16, page), kInvalidField | kDnr);
    EXPECT_EQ(sq(1, 16, 1, page), kInvalidQueueIdentifier | kDnr);  // the admin queue is none
    EXPECT_EQ(sq(1, 16, 1U << 16 | 1, page), kSuccess);
    EXPECT_EQ(sq(1, 16, 1U << 16 | 1, page), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(kDeleteIoCq, 1)), kInvalidQueueDeletion | kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(kDeleteIoSq, 2)), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(kDeleteIoSq, 1)), kSuccess);
    EXPECT_EQ(admin_status(bench, admin_command(kDeleteIoCq, 1)), kSuccess);
    EXPECT_EQ(admin_status(bench, admin_command(kDeleteIoCq, 1)), kInvalidQueueIdentifier | kDnr);
  });
}

TEST(NvmeAdminTest, DeletedQueueCompletesWhatItHas) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint16_t cid = bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    const wl_host_event event = bench.event();
    const std::uint16_t deleting = bench.submit(0, admin_command(nvme::kDeleteIoSq, 1));
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(bench.completion(1).cid, cid);
    EXPECT_FALSE(bench.has_completion(0));
    EXPECT_EQ(bench.completion(0).cid, deleting);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kDeleteIoCq, 1)), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.create_queue(1, 4, 4)), nvme::kSuccess);
    bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

TEST(NvmeAdminTest, Features) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    using namespace nvme;
    const auto set = [&](std::uint32_t id, std::uint32_t value) {
      return bench.admin(admin_command(kSetFeatures, id, value));
    };
    const auto read = [&](std::uint32_t id, std::uint32_t value = 0) {
      return bench.admin(admin_command(kGetFeatures, id, value));
    };
    EXPECT_EQ(set(kFeatureNumberOfQueues, 0x00030003).dw0, 62U << 16 | 62U);  // 63 of each, 0-based
    EXPECT_EQ(read(kFeatureNumberOfQueues).dw0, 62U << 16 | 62U);
    EXPECT_EQ(nvme::status_of(set(kFeatureNumberOfQueues, 0xffff)), kInvalidField | kDnr);
    EXPECT_EQ(read(kFeatureVolatileWriteCache).dw0, 1U);
    EXPECT_EQ(nvme::status_of(set(kFeatureVolatileWriteCache, 1)), kSuccess);
    EXPECT_EQ(nvme::status_of(set(kFeatureVolatileWriteCache, 0)), kFeatureNotChangeable | kDnr);
    EXPECT_EQ(nvme::status_of(set(kFeatureWriteAtomicity, 1)), kSuccess);
    EXPECT_EQ(read(kFeatureWriteAtomicity).dw0, 1U);
    EXPECT_EQ(read(kFeatureInterruptCoalescing).dw0, 0U);
    EXPECT_EQ(read(kFeatureInterruptVector, 3).dw0, 3U) << "coalescing is not disabled";
    EXPECT_EQ(read(kFeatureArbitration).dw0, 7U) << "no limit of a burst";
    EXPECT_EQ(nvme::status_of(set(kFeatureArbitration, 0x04020103)), kSuccess);
    EXPECT_EQ(read(kFeatureArbitration).dw0, 0x04020103U);
    EXPECT_EQ(nvme::status_of(set(1U << 31 | kFeatureArbitration, 0)), kFeatureNotSaveable | kDnr);
    EXPECT_EQ(nvme::status_of(read(0x100 | kFeatureArbitration)), kInvalidField | kDnr);
    EXPECT_EQ(nvme::status_of(set(0x7f, 0)), kInvalidField | kDnr);
    EXPECT_EQ(nvme::status_of(bench.create_queue(1, 4, 4)), kSuccess);
    EXPECT_EQ(nvme::status_of(set(kFeatureNumberOfQueues, 0)), kCommandSequenceError | kDnr);
    EXPECT_EQ(nvme::status_of(set(kFeatureInterruptCoalescing, 0x0507)), kSuccess);
    bench.write32(kRegCc, 0);
    sc_core::wait(20, sc_core::SC_US);
    bench.enable();
    EXPECT_EQ(read(kFeatureWriteAtomicity).dw0, 0U) << "as at power on";
    EXPECT_EQ(read(kFeatureArbitration).dw0, 7U);
    EXPECT_EQ(read(kFeatureInterruptCoalescing).dw0, 0U);
  });
}

TEST(NvmeAdminTest, PowerSafeDriveHasNoVolatileCache) {
  config::Config config = nvme_bench_config();
  config.ftl.power_safe = true;
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, page, nvme::identify_controller::kVwc), 6);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetFeatures, nvme::kFeatureVolatileWriteCache)),
              nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeAdminTest, FirmwareReadsWhatMoved) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (int i = 0; i < 3; ++i) {
      bench.submit(1, io(nvme::kRead, 0, 8, page));
      bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
      bench.completion(1);
    }
    const auto count = [&](std::uint32_t offset) {
      std::uint32_t value = 0;
      EXPECT_EQ(bench.firmware_access(false, offset, value), tlm::TLM_OK_RESPONSE);
      return value;
    };
    namespace regs = registers::nvme;
    EXPECT_EQ(count(regs::read_commands), 3U);
    EXPECT_EQ(count(regs::write_commands), 0U);
    EXPECT_EQ(count(regs::data_units_read), 1U);  // 24 blocks: one thousand begun
    EXPECT_EQ(count(regs::data_units_written), 0U);
    EXPECT_EQ(count(regs::errors), 0U);
    EXPECT_EQ(admin_status(bench, admin_command(0x55)), nvme::kInvalidOpcode | nvme::kDnr);
    EXPECT_EQ(count(regs::errors), 1U);
    EXPECT_EQ(count(regs::media_errors), 0U);
  });
}

/// What firmware sends of its page, and how the host may ask for it.
TEST(NvmeAdminTest, LogPageOfTheFirmware) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    std::vector<std::uint8_t> data(WL_LOG_BYTES);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7 + 1);
    nvme::SubmissionEntry log = admin_command(nvme::kGetLogPage, 255U << 16 | nvme::kLogSmart, 0, page);
    const std::uint16_t cid = bench.submit(0, log);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.type, WL_EVENT_ADMIN);
    EXPECT_EQ(event.flags, WL_ADMIN_FIRST);
    EXPECT_EQ(bench.admin_entry().dword[10], log.cdw10);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    bench.answer(event, 0, 0, data);
    const nvme::CompletionEntry done = bench.completion(0);
    EXPECT_EQ(done.cid, cid);
    EXPECT_EQ(nvme::status_of(done), nvme::kSuccess);
    for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(get<std::uint8_t>(bench, page, i), data[i]) << i;
    EXPECT_EQ(get<std::uint64_t>(bench, page, 512), 0U) << "asked for, and beyond the log";

    log.cdw10 = 1U << 16 | nvme::kLogSmart;  // two dwords from byte 508
    log.cdw12 = 508;
    bench.submit(0, log);
    const wl_host_event second = bench.event();
    EXPECT_EQ(second.flags, 0);
    bench.answer(second, 0, 0, data);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, page, 3), data[511]);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 4), 0U);

    log.cdw12 = 516;
    EXPECT_EQ(admin_status(bench, log), nvme::kInvalidField | nvme::kDnr);
    log.cdw12 = 2;
    EXPECT_EQ(admin_status(bench, log), nvme::kInvalidField | nvme::kDnr);
    log.cdw12 = 0;
    bench.submit(0, log);
    bench.answer(bench.event(), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeAdminTest, LogsOfTheController) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    const auto log = [&](std::uint32_t id, std::uint32_t dwords, std::uint32_t offset = 0) {
      nvme::SubmissionEntry sqe = admin_command(nvme::kGetLogPage, (dwords - 1) << 16 | id, 0, page);
      sqe.cdw12 = offset;
      return admin_status(bench, sqe);
    };
    EXPECT_EQ(log(0x70, 128), nvme::kInvalidLogPage | nvme::kDnr);
    EXPECT_EQ(log(nvme::kLogFirmwareSlot, 128), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, page, 0), 1);
    EXPECT_EQ(log(nvme::kLogEffects, 1024), nvme::kSuccess);
    const auto effects = [&](std::size_t part, std::uint8_t opcode) {
      return get<std::uint32_t>(bench, page, part + opcode * 4U);
    };
    std::vector<std::uint8_t> unknown;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      const auto code = static_cast<std::uint8_t>(opcode);
      if (effects(nvme::effects::kAdmin, code) == 0) unknown.push_back(code);
    }
    EXPECT_EQ(unknown.size(), 256U - 17U);
    EXPECT_EQ(effects(nvme::effects::kAdmin, nvme::kIdentify), 1U | 1U << 21) << "scope: the controller";
    EXPECT_EQ(effects(nvme::effects::kIo, nvme::kRead), 1U | 1U << 20) << "scope: a namespace";
    EXPECT_EQ(effects(nvme::effects::kIo, nvme::kWrite), 1U | 1U << 1 | 1U << 20);
    EXPECT_EQ(effects(nvme::effects::kAdmin, nvme::kSanitize), 7U | 1U << 25) << "scope: the NVM subsystem";
    for (const std::uint8_t code : unknown) {
      EXPECT_EQ(admin_status(bench, admin_command(code)), nvme::kInvalidOpcode | nvme::kDnr) << int{code};
    }
    // The newest first.
    EXPECT_EQ(log(nvme::kLogErrorInformation, 1024), nvme::kSuccess);
    const auto first = get<nvme::ErrorEntry>(bench, page, 0), last = get<nvme::ErrorEntry>(bench, page, 63 * 64);
    EXPECT_EQ(first.count, bench.controller.errors());
    EXPECT_EQ(last.count, first.count - 63);
    EXPECT_EQ(first.sq_id, 0);
    EXPECT_EQ(first.opcode, unknown.back());
    EXPECT_EQ(first.status >> 1, nvme::kInvalidOpcode | nvme::kDnr);
    EXPECT_EQ(log(nvme::kLogErrorInformation, 2, 64), nvme::kSuccess);
    EXPECT_EQ(get<std::uint64_t>(bench, page, 0), first.count - 1);
  });
}

TEST(NvmeAdminTest, ErrorLogNamesCommandAndPlace) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const std::uint16_t cid = bench.submit(1, io(nvme::kRead, 123, 5, page));
    wl_host_job failed = job_of(WL_JOB_COMPLETE, bench.event(), 0, 0);
    failed.status = nvme::kUnrecoveredRead;
    bench.run_job(failed);
    bench.completion(1);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetLogPage, 15U << 16 | nvme::kLogErrorInformation, 0, page)),
              nvme::kSuccess);
    const auto logged = get<nvme::ErrorEntry>(bench, page, 0);
    EXPECT_EQ(logged.count, 1U);
    EXPECT_EQ(logged.sq_id, 1);
    EXPECT_EQ(logged.cid, cid);
    EXPECT_EQ(logged.status >> 1, nvme::kUnrecoveredRead);
    EXPECT_EQ(logged.lba, 123U);
    EXPECT_EQ(logged.opcode, nvme::kRead);
    EXPECT_EQ(logged.version, nvme::kErrorEntryVersion);
    EXPECT_EQ(logged.nsid, 1U);
  });
}

TEST(NvmeAdminTest, FeaturesOfTheFirmware) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    for (const std::uint8_t id : {nvme::kFeatureTemperatureThreshold, nvme::kFeatureAsyncEvents}) {
      bench.submit(0, admin_command(nvme::kSetFeatures, id, 77));
      bench.answer(bench.event(), 0);
      EXPECT_EQ(bench.completion(0).dw0, 0U);
      bench.submit(0, admin_command(nvme::kGetFeatures, id));
      const wl_host_event event = bench.event();
      EXPECT_EQ(bench.admin_entry().dword[10], id);
      bench.answer(event, 0, 77);
      EXPECT_EQ(bench.completion(0).dw0, 77U);
    }
  });
}

TEST(NvmeAdminTest, EventsMeetRequestsInOrder) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    bench.submit(0, admin_command(nvme::kSetFeatures, nvme::kFeatureAsyncEvents, 1));
    const wl_host_event event = bench.event();
    bench.answer(event, 0);
    bench.completion(0);
    const auto report = [&](std::uint32_t dw0, std::uint16_t resets) {
      wl_host_job job{};
      job.op = WL_JOB_ASYNC_EVENT;
      job.tag = WL_NO_TAG;
      job.count = resets;
      job.lpage = dw0;
      bench.run_job(job);
    };
    report(0x020101, event.count);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0)) << "nobody has asked";
    std::vector<std::uint16_t> cids;
    for (int i = 0; i < 5; ++i) cids.push_back(bench.submit(0, admin_command(nvme::kAsyncEventRequest)));
    const nvme::CompletionEntry waited = bench.completion(0);
    EXPECT_EQ(waited.cid, cids[0]);
    EXPECT_EQ(waited.dw0, 0x020101U);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kAsyncEventRequest)),
              nvme::kAsyncEventLimitExceeded | nvme::kDnr);
    report(0x020201, event.count);
    EXPECT_EQ(bench.completion(0).cid, cids[1]);
    report(0x020001, static_cast<std::uint16_t>(event.count + 1));
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0)) << "of another time";
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.enable();
    bench.submit(0, admin_command(nvme::kAsyncEventRequest));
    report(0x020001, event.count);  // the firmware does not know of the reset yet
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
  });
}

/// The firmware owes an answer when the host resets the controller: the command behind the reset waits for it.
TEST(NvmeAdminTest, AnswersFromBeforeAResetAreDropped) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    bench.submit(0, admin_command(nvme::kGetFeatures, nvme::kFeatureTemperatureThreshold));
    const wl_host_event old = bench.event();
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.enable();
    const std::uint16_t cid = bench.submit(0, admin_command(nvme::kGetFeatures, nvme::kFeatureAsyncEvents));
    pass(20_us);
    EXPECT_FALSE(bench.has_event()) << "the entry of the first is the firmware's";
    EXPECT_EQ(bench.admin_entry().dword[10], nvme::kFeatureTemperatureThreshold);
    bench.answer(old, 0, 1);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.flags, WL_ADMIN_FIRST);
    EXPECT_NE(event.count, old.count);
    EXPECT_EQ(bench.admin_entry().dword[10], nvme::kFeatureAsyncEvents);
    EXPECT_FALSE(bench.has_completion(0));
    bench.answer(event, 0, 2);
    const nvme::CompletionEntry done = bench.completion(0);
    EXPECT_EQ(done.cid, cid);
    EXPECT_EQ(done.dw0, 2U);
  });
}

/// The command keeps its tag until the firmware has answered, so that no other one is aborted in its place.
TEST(NvmeAdminTest, AbortNamesACommandByItsTag) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(32, 32);
    const std::uint64_t page = bench.memory.allocate();
    std::vector<wl_host_event> events;
    std::vector<std::uint16_t> cids;
    for (unsigned i = 0; i < bench.config.nvme.tags; ++i) {
      cids.push_back(bench.submit(1, io(nvme::kWrite, i * 8, 8, page)));
      events.push_back(bench.event());
    }
    const auto abort = [&](std::uint16_t qid, std::uint16_t cid) {
      bench.submit(0, admin_command(nvme::kAbort, static_cast<std::uint32_t>(cid) << 16 | qid));
      return bench.event();
    };
    for (const auto& [qid, cid] : {std::pair<std::uint16_t, std::uint16_t>{2, cids[3]}, {1, 0x7777}}) {
      const wl_host_event none = abort(qid, cid);
      EXPECT_EQ(none.tag, WL_NO_TAG);
      bench.answer(none, 0, 1);
      EXPECT_EQ(bench.completion(0).dw0, 1U);
    }
    const wl_host_event event = abort(1, cids[3]);
    EXPECT_EQ(event.tag, events[3].tag);
    bench.run_job(job_of(WL_JOB_COMPLETE, events[3], 0, 0));
    EXPECT_EQ(bench.completion(1).cid, cids[3]);
    bench.submit(1, io(nvme::kWrite, 800, 8, page));
    pass(20_us);
    EXPECT_FALSE(bench.has_event()) << "no tag is free";
    bench.answer(event, 0, 1);
    EXPECT_EQ(bench.completion(0).dw0, 1U);
    EXPECT_EQ(bench.event().tag, event.tag);
    // Aborted: the firmware ends it with that status.
    const wl_host_event second = abort(1, cids[5]);
    wl_host_job ends = job_of(WL_JOB_COMPLETE, events[5], 0, 0);
    ends.status = nvme::kAbortRequested;
    bench.run_job(ends);
    bench.answer(second, 0, 0);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kAbortRequested);
    EXPECT_EQ(bench.completion(0).dw0, 0U);
  });
}

TEST(NvmeAdminTest, UnknownCommandsAndSgls) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    EXPECT_EQ(admin_status(bench, admin_command(0x55)), nvme::kInvalidOpcode | nvme::kDnr);
    nvme::SubmissionEntry sgl = admin_command(nvme::kIdentify, 1, 0, 0x1000);
    sgl.flags = 0x40;
    EXPECT_EQ(admin_status(bench, sgl), nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeAdminTest, SeveralAtOnceInOrder) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    std::vector<std::uint16_t> cids;
    for (int i = 0; i < 6; ++i)
      cids.push_back(bench.put(0, admin_command(nvme::kGetFeatures, nvme::kFeatureArbitration)));
    bench.ring(0);
    for (const std::uint16_t cid : cids) EXPECT_EQ(bench.completion(0).cid, cid);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_admin_test
