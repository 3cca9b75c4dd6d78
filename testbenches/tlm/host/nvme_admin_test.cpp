// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_admin_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

nvme::SubmissionEntry entry(std::uint8_t opcode, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0,
                            std::uint64_t prp1 = 0) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.cdw10 = cdw10;
  sqe.cdw11 = cdw11;
  sqe.prp1 = prp1;
  return sqe;
}

nvme::Status status_of(NvmeBench& bench, const nvme::SubmissionEntry& sqe) { return nvme::status_of(bench.admin(sqe)); }

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
    EXPECT_EQ(status_of(bench, entry(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
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
    EXPECT_EQ(status_of(bench, entry(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::string model(id::kMnBytes, '?');
    bench.memory.read(page + id::kMn, model.data(), model.size());
    EXPECT_EQ(model, "Wordline SSD model                      ");
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kRab), 2);   // bursts of four
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kMdts), 5);  // 32 logical pages
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kVer), bench.read32(nvme::kRegVs));
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kSqes), 0x66);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kCqes), 0x44);
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kNn), 1U);
    EXPECT_EQ(get<std::uint16_t>(bench, page, id::kOncs), 0x0c);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kVwc), 1);  // not power safe
    EXPECT_EQ(get<std::uint64_t>(bench, page, id::kTnvmcap), NvmeBench::kLpages * 4096);
  });
}

TEST(NvmeAdminTest, IdentifyNamespaceAndLists) {
  namespace id = nvme::identify_namespace;
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate(2);
    nvme::SubmissionEntry sqe = entry(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    sqe.nsid = 1;
    EXPECT_EQ(status_of(bench, sqe), nvme::kSuccess);
    for (const std::size_t offset : {id::kNsze, id::kNcap, id::kNuse}) {
      EXPECT_EQ(get<std::uint64_t>(bench, page, offset), NvmeBench::kLpages * 8);
    }
    EXPECT_EQ(get<std::uint32_t>(bench, page, id::kLbaf0), 9U << 16);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kFlbas), 0);
    EXPECT_EQ(get<std::uint8_t>(bench, page, id::kNlbaf), 0);
    EXPECT_EQ(get<std::uint16_t>(bench, page, id::kNpwg), 7);
    sqe.nsid = 2;
    EXPECT_EQ(status_of(bench, sqe), nvme::kInvalidNamespace | nvme::kDnr);

    sqe = entry(nvme::kIdentify, nvme::kCnsActiveNamespaces, 0, page);
    EXPECT_EQ(status_of(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint64_t>(bench, page, 0), 1U);  // one, then the end
    sqe.nsid = 1;
    EXPECT_EQ(status_of(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 0), 0U);
    sqe.nsid = 0xffffffff;
    EXPECT_EQ(status_of(bench, sqe), nvme::kInvalidNamespace | nvme::kDnr);

    EXPECT_EQ(status_of(bench, entry(nvme::kIdentify, 0x77, 0, page)), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(status_of(bench, entry(nvme::kIdentify, 1, 0, page + 2)), nvme::kPrpOffsetInvalid | nvme::kDnr);
    // Into two pages, from an offset.
    sqe = entry(nvme::kIdentify, nvme::kCnsController, 0, page + 4092);
    const std::uint64_t rest = bench.memory.allocate();
    sqe.prp2 = rest;
    EXPECT_EQ(status_of(bench, sqe), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, rest, nvme::identify_controller::kSqes - 4), 0x66);
  });
}

TEST(NvmeAdminTest, QueueCreationIsChecked) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    const auto cq = [&](std::uint32_t qid, std::uint32_t entries, std::uint32_t cdw11, std::uint64_t prp) {
      return status_of(bench, entry(nvme::kCreateIoCq, (entries - 1) << 16 | qid, cdw11, prp));
    };
    const auto sq = [&](std::uint32_t qid, std::uint32_t entries, std::uint32_t cdw11, std::uint64_t prp) {
      return status_of(bench, entry(nvme::kCreateIoSq, (entries - 1) << 16 | qid, cdw11, prp));
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
    EXPECT_EQ(status_of(bench, entry(kDeleteIoCq, 1)), kInvalidQueueDeletion | kDnr);
    EXPECT_EQ(status_of(bench, entry(kDeleteIoSq, 2)), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(status_of(bench, entry(kDeleteIoSq, 1)), kSuccess);
    EXPECT_EQ(status_of(bench, entry(kDeleteIoCq, 1)), kSuccess);
    EXPECT_EQ(status_of(bench, entry(kDeleteIoCq, 1)), kInvalidQueueIdentifier | kDnr);
  });
}

TEST(NvmeAdminTest, DeletedQueueCompletesWhatItHas) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint16_t cid = bench.submit(1, io(nvme::kFlush, 0, 1, 0));
    const wl_host_event event = bench.event();
    const std::uint16_t deleting = bench.submit(0, entry(nvme::kDeleteIoSq, 1));
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    EXPECT_EQ(bench.completion(1).cid, cid);
    EXPECT_FALSE(bench.has_completion(0));
    EXPECT_EQ(bench.completion(0).cid, deleting);
    EXPECT_EQ(status_of(bench, entry(nvme::kDeleteIoCq, 1)), nvme::kSuccess);
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
    const auto set = [&](std::uint32_t id, std::uint32_t value) { return bench.admin(entry(kSetFeatures, id, value)); };
    const auto read = [&](std::uint32_t id, std::uint32_t value = 0) {
      return bench.admin(entry(kGetFeatures, id, value));
    };
    EXPECT_EQ(set(kFeatureNumberOfQueues, 0x00030003).dw0, 62U << 16 | 62U);  // 63 of each, 0-based
    EXPECT_EQ(read(kFeatureNumberOfQueues).dw0, 62U << 16 | 62U);
    EXPECT_EQ(nvme::status_of(set(kFeatureNumberOfQueues, 0xffff)), kInvalidField | kDnr);
    EXPECT_EQ(read(kFeatureVolatileWriteCache).dw0, 1U);
    EXPECT_EQ(nvme::status_of(set(kFeatureVolatileWriteCache, 1)), kSuccess);
    EXPECT_EQ(nvme::status_of(set(kFeatureVolatileWriteCache, 0)), kFeatureNotChangeable | kDnr);
    EXPECT_EQ(nvme::status_of(set(kFeatureAsyncEvents, 0x1f)), kSuccess);
    EXPECT_EQ(read(kFeatureAsyncEvents).dw0, 0x1fU);
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
    EXPECT_EQ(read(kFeatureAsyncEvents).dw0, 0U) << "as at power on";
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
    EXPECT_EQ(status_of(bench, entry(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, page, nvme::identify_controller::kVwc), 0);
    EXPECT_EQ(status_of(bench, entry(nvme::kGetFeatures, nvme::kFeatureVolatileWriteCache)),
              nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeAdminTest, SmartCountsWhatMoved) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (int i = 0; i < 3; ++i) {
      bench.submit(1, io(nvme::kRead, 0, 8, page));
      bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
      bench.completion(1);
    }
    nvme::SubmissionEntry log = entry(nvme::kGetLogPage, 127U << 16 | nvme::kLogSmart, 0, page);
    log.nsid = nvme::kAllNamespaces;
    EXPECT_EQ(status_of(bench, log), nvme::kSuccess);
    EXPECT_EQ(get<std::uint16_t>(bench, page, nvme::smart::kTemperature), 313);
    EXPECT_EQ(get<std::uint64_t>(bench, page, nvme::smart::kReadCommands), 3U);
    EXPECT_EQ(get<std::uint64_t>(bench, page, nvme::smart::kWriteCommands), 0U);
    EXPECT_EQ(get<std::uint64_t>(bench, page, nvme::smart::kDataRead), 1U);  // 24 blocks: one thousand begun
    EXPECT_EQ(get<std::uint64_t>(bench, page, nvme::smart::kDataWritten), 0U);
    log.cdw10 = 1U << 16 | nvme::kLogSmart;  // two dwords from byte 64
    log.cdw12 = nvme::smart::kReadCommands;
    EXPECT_EQ(status_of(bench, log), nvme::kSuccess);
    EXPECT_EQ(get<std::uint64_t>(bench, page, 0), 3U);
    log.cdw12 = 516;
    EXPECT_EQ(status_of(bench, log), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(status_of(bench, entry(nvme::kGetLogPage, 0x70, 0, page)), nvme::kInvalidLogPage | nvme::kDnr);
    EXPECT_EQ(status_of(bench, entry(nvme::kGetLogPage, 127U << 16 | nvme::kLogFirmwareSlot, 0, page)), nvme::kSuccess);
    EXPECT_EQ(get<std::uint8_t>(bench, page, 0), 1);
  });
}

TEST(NvmeAdminTest, AbortAsyncEventsAndUnknownCommands) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const nvme::CompletionEntry aborted = bench.admin(entry(nvme::kAbort, 5U << 16 | 1));
    EXPECT_EQ(nvme::status_of(aborted), nvme::kSuccess);
    EXPECT_EQ(aborted.dw0, 1U);  // not aborted
    for (int i = 0; i < 4; ++i) bench.submit(0, entry(nvme::kAsyncEventRequest));
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0));
    EXPECT_EQ(status_of(bench, entry(nvme::kAsyncEventRequest)), nvme::kAsyncEventLimitExceeded | nvme::kDnr);
    EXPECT_EQ(status_of(bench, entry(0x55)), nvme::kInvalidOpcode | nvme::kDnr);
    nvme::SubmissionEntry sgl = entry(nvme::kIdentify, 1, 0, 0x1000);
    sgl.flags = 0x40;
    EXPECT_EQ(status_of(bench, sgl), nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeAdminTest, SeveralAtOnceInOrder) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    std::vector<std::uint16_t> cids;
    for (int i = 0; i < 6; ++i) cids.push_back(bench.put(0, entry(nvme::kGetFeatures, nvme::kFeatureArbitration)));
    bench.ring(0);
    for (const std::uint16_t cid : cids) EXPECT_EQ(bench.completion(0).cid, cid);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_admin_test
