// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Features and Identify pages with more to say than a value that comes back: Timestamp, Error Recovery, Sanitize
// Config, what revision 2.0 asks for.
#include <gtest/gtest.h>

#include "testbenches/tlm/host/foreign_host.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_features_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

nvme::SubmissionEntry of_namespace(nvme::SubmissionEntry sqe, std::uint32_t nsid) {
  sqe.nsid = nsid;
  return sqe;
}

TEST(NvmeTimestampTest, CountsFromWhatTheHostSays) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate(2);
    const auto now = [&] {
      EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetFeatures, nvme::kFeatureTimestamp, 0, page)),
                nvme::kSuccess);
      std::uint64_t value = 0;
      bench.memory.read(page, &value, sizeof value);
      return value;
    };
    pass(1500_us);
    EXPECT_EQ(now(), 1U) << "a millisecond, Synch 0, origin 000b: since the reset";
    // 48 bits; the two bytes behind them are not the host's to set. Over a border of pages.
    const std::uint64_t given = 0xffff'0000'0000'0000 | 1'764'237'600'123;
    bench.memory.write(page + 4092, &given, sizeof given);
    nvme::SubmissionEntry set = admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, page + 4092);
    set.prp2 = page + 4096;
    EXPECT_EQ(admin_status(bench, set), nvme::kSuccess);
    EXPECT_EQ(now(), 1'764'237'600'123 | 1ULL << 49) << "origin 001b: set by the host";
    pass(2100_us);
    EXPECT_EQ(now(), 1'764'237'600'125 | 1ULL << 49);
    set.cdw10 |= 1U << 31;
    EXPECT_EQ(admin_status(bench, set), nvme::kFeatureNotSaveable | nvme::kDnr);
    set = admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, page + 2);
    EXPECT_EQ(admin_status(bench, set), nvme::kPrpOffsetInvalid | nvme::kDnr);
    // It stands for 48 bits.
    const std::uint64_t last = (1ULL << 48) - 1;
    bench.memory.write(page, &last, sizeof last);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, page)), nvme::kSuccess);
    pass(1100_us);
    EXPECT_EQ(now(), 0 | 1ULL << 49);
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    bench.enable();
    EXPECT_EQ(now(), 0U) << "a reset clears it";
  });
}

TEST(NvmeTimestampTest, DataThatAreNotThere) {
  NvmeBench bench;
  expect_reports(true);
  play([&] {
    bench.enable();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSetFeatures, nvme::kFeatureTimestamp, 0, 0x700000000)),
              nvme::kDataTransferError | nvme::kDnr);
  });
}

/// A command of logical page 3 in slot 5, as the firmware carries it out.
nvme::Status status_of(NvmeBench& bench, const nvme::SubmissionEntry& sqe, std::uint8_t job) {
  bench.submit(1, sqe);
  const wl_host_event event = bench.event();
  if (event.type == WL_EVENT_SQE) bench.extent(event.tag, sqe.cdw10 % 8, (sqe.cdw12 & 0xffffU) + 1);
  bench.run_job(job_of(job, event, 5, 1, WL_JOB_THEN_COMPLETE));
  return nvme::status_of(bench.completion(1)) & ~nvme::kDnr;
}

void expect_unwritten_errors(const config::Config& config) {
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const auto recovery = [&](std::uint8_t opcode, std::uint32_t nsid, std::uint32_t value = 0) {
      return bench.admin(of_namespace(admin_command(opcode, nvme::kFeatureErrorRecovery, value), nsid));
    };
    data::LpageStamps half = bench.buffer.pool().expand(LpageToken::uniform(Lpn(3), 7));
    half[5] = {};
    bench.buffer.slot(5) = bench.buffer.pool().intern(half);
    const auto read = io(nvme::kRead, 24, 8, page);
    EXPECT_EQ(status_of(bench, read, WL_JOB_ZERO_OUT), nvme::kSuccess) << "off at power on";
    EXPECT_EQ(nvme::status_of(recovery(nvme::kSetFeatures, 1, nvme::kUnwrittenErrors | 0x1f)), nvme::kSuccess);
    EXPECT_EQ(recovery(nvme::kGetFeatures, 1).dw0, nvme::kUnwrittenErrors | 0x1f);
    EXPECT_EQ(status_of(bench, read, WL_JOB_ZERO_OUT), nvme::kUnwrittenBlock);
    EXPECT_EQ(status_of(bench, read, WL_JOB_DMA_OUT), nvme::kUnwrittenBlock) << "block 5 of eight";
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 24, 5, page), WL_JOB_DMA_OUT), nvme::kSuccess) << "others hold data";
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 30, 2, page), WL_JOB_DMA_OUT), nvme::kSuccess);
    EXPECT_EQ(status_of(bench, io(nvme::kVerify, 29, 1, 0), WL_JOB_DMA_OUT), nvme::kUnwrittenBlock);
    for (unsigned i = 0; i < 8; ++i) bench.memory.page(page)[i] = half[i];
    EXPECT_EQ(status_of(bench, io(nvme::kCompare, 24, 8, page), WL_JOB_DMA_OUT), nvme::kUnwrittenBlock);
    EXPECT_EQ(bench.controller.mover.counters().media_errors, 0U) << "the medium has no part in it";
    bench.submit(1, io(nvme::kWrite, 24, 8, page));
    const wl_host_event write = bench.event();
    if (write.type == WL_EVENT_SQE) bench.extent(write.tag, 0, 8);
    bench.run_job(job_of(WL_JOB_DMA_IN, write, 6, 1, WL_JOB_THEN_COMPLETE));
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess) << "a write may write zeros";

    EXPECT_EQ(nvme::status_of(recovery(nvme::kSetFeatures, nvme::kAllNamespaces, 0)), nvme::kSuccess);
    EXPECT_EQ(recovery(nvme::kGetFeatures, 1).dw0, 0U);
    EXPECT_EQ(status_of(bench, read, WL_JOB_ZERO_OUT), nvme::kSuccess);
    for (const std::uint32_t nsid : {0U, 33U}) {
      EXPECT_EQ(nvme::status_of(recovery(nvme::kSetFeatures, nsid, 0)), nvme::kInvalidNamespace | nvme::kDnr) << nsid;
    }
    EXPECT_EQ(nvme::status_of(recovery(nvme::kGetFeatures, nvme::kAllNamespaces)),
              nvme::kInvalidNamespace | nvme::kDnr);
    // As at power on after a reset.
    EXPECT_EQ(nvme::status_of(recovery(nvme::kSetFeatures, 1, nvme::kUnwrittenErrors)), nvme::kSuccess);
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    bench.bring_up();
    EXPECT_EQ(status_of(bench, read, WL_JOB_ZERO_OUT), nvme::kSuccess);
    EXPECT_EQ(recovery(nvme::kGetFeatures, 1).dw0, 0U);
  });
}

TEST(NvmeUnwrittenTest, ReadsOfBlocksWithoutData) { expect_unwritten_errors(nvme_bench_config()); }
TEST(NvmeUnwrittenTest, WhenFirmwareParses) { expect_unwritten_errors(unparsed_config()); }

TEST(NvmeUnwrittenTest, OfTheNamespaceThatIsNamed) {
  config::Config config = nvme_bench_config();
  config.nvme.namespaces = {0.5, 0.5};
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const auto set =
        of_namespace(admin_command(nvme::kSetFeatures, nvme::kFeatureErrorRecovery, nvme::kUnwrittenErrors), 2);
    EXPECT_EQ(admin_status(bench, set), nvme::kSuccess);
    EXPECT_EQ(status_of(bench, io(nvme::kRead, 24, 8, page), WL_JOB_ZERO_OUT), nvme::kSuccess);
    EXPECT_EQ(status_of(bench, of_namespace(io(nvme::kRead, 24, 8, page), 2), WL_JOB_ZERO_OUT), nvme::kUnwrittenBlock);
  });
}

TEST(NvmeUnwrittenTest, CompareWithMemoryThatTakesTime) {
  ForeignHost host;
  play([&] {
    host.bring_up();
    pass(10_us);
    host.foreign.takes = [](std::uint64_t) { return 300_ns; };
    const std::uint64_t page = host.foreign.map(0x7'1000'0000);
    const auto compare = [&](std::uint16_t cid) {
      host.submit_io(foreign_io(nvme::kCompare, cid, 24, 8, page));
      host.run_job(job_of(WL_JOB_ZERO_OUT, host.event(), 0, 1, WL_JOB_THEN_COMPLETE));
      return nvme::status_of(host.io_completion()) & ~nvme::kDnr;
    };
    EXPECT_EQ(compare(1), nvme::kSuccess) << "zeros";
    auto set = of_namespace(admin_command(nvme::kSetFeatures, nvme::kFeatureErrorRecovery, nvme::kUnwrittenErrors), 1);
    EXPECT_EQ(nvme::status_of(host.admin(set)), nvme::kSuccess);
    EXPECT_EQ(compare(2), nvme::kUnwrittenBlock);
  });
}

TEST(NvmeSanitizeConfigTest, NoDeallocateIsRefusedOrNotHeeded) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const auto asks = admin_command(nvme::kSanitize, nvme::kSanitizeBlockErase | nvme::kSanitizeNoDeallocate);
    EXPECT_EQ(admin_status(bench, asks), nvme::kInvalidField | nvme::kDnr);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSetFeatures, nvme::kFeatureSanitizeConfig, 1)), nvme::kSuccess);
    EXPECT_EQ(bench.admin(admin_command(nvme::kGetFeatures, nvme::kFeatureSanitizeConfig)).dw0, 1U);
    bench.submit(0, asks);
    const wl_host_event event = bench.event();
    EXPECT_EQ(bench.admin_entry().dword[10], nvme::kSanitizeBlockErase) << "as the firmware knows it";
    bench.answer(event, nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
  });
}

// The state of queues and counters at the moment at which the host asked for it, not at that of the read.
TEST(NvmeTelemetryTest, KeepsWhatTheHostAskedFor) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate(), data = bench.memory.allocate();
    const auto log = [&](std::uint8_t id, bool create, std::uint32_t dwords = 1024, std::uint32_t offset = 0) {
      auto sqe = admin_command(nvme::kGetLogPage, (dwords - 1) << 16 | (create ? 1U << 8 : 0U) | id, 0, page);
      sqe.cdw12 = offset;
      return admin_status(bench, sqe) & ~nvme::kDnr;
    };
    const auto get = [&](std::size_t offset, unsigned bytes) {
      std::uint64_t value = 0;
      bench.memory.read(page + offset, &value, bytes);
      return value;
    };
    EXPECT_EQ(log(0x07, false), nvme::kSuccess);
    EXPECT_EQ(get(0, 1), 0x07U);
    EXPECT_EQ(get(8, 6), 0U) << "nothing was captured: no blocks";
    bench.submit(1, io(nvme::kRead, 0, 8, data));
    bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    bench.submit(1, io(nvme::kWrite, 0, 16, data));
    const wl_host_event write = bench.event();
    pass(2100_us);
    EXPECT_EQ(log(0x07, true), nvme::kSuccess);
    const auto expect_captured = [&] {
      EXPECT_EQ(get(8, 6), 0x0007'0007'0007U) << "last blocks of three data areas";
      EXPECT_EQ(get(381, 1), 1U) << "generation";
      EXPECT_EQ(get(512, 4), 1U) << "layout";
      EXPECT_EQ(get(516, 4), nvme::kCcEnabled);
      EXPECT_EQ(get(520, 4), nvme::kCstsReady);
      EXPECT_EQ(get(528, 8), 2U) << "ms";
      EXPECT_EQ(get(536, 8), 1U) << "reads";
      EXPECT_EQ(get(544, 8), 1U) << "writes";
      EXPECT_EQ(get(592, 8), 8U) << "blocks read";
      EXPECT_EQ(get(600, 8), 0U) << "blocks written";
      EXPECT_EQ(get(608, 4), 8U) << "tags";
      EXPECT_EQ(get(612, 4), 1U) << "in use";
      const std::size_t q = 1024 + 48;
      EXPECT_EQ(get(q, 4), 16U) << "entries";
      EXPECT_EQ(get(q + 4, 4), 2U) << "tail";
      EXPECT_EQ(get(q + 12, 4), 1U) << "in flight";
      EXPECT_EQ(get(q + 16, 8), 2U) << "fetched";
      EXPECT_EQ(get(q + 32, 4), 1U) << "tail of the completion queue";
      EXPECT_EQ(get(q + 36, 4), 1U) << "its identifier";
      EXPECT_EQ(get(q + 48, 4), 0U) << "no queue 2";
    };
    expect_captured();
    bench.run_job(job_of(WL_JOB_COMPLETE, write, 0, 0));
    bench.completion(1);
    EXPECT_EQ(log(0x07, false), nvme::kSuccess);
    expect_captured();
    EXPECT_EQ(log(0x07, false, 128, 512), nvme::kSuccess);
    EXPECT_EQ(get(0, 4), 1U) << "a block alone";
    EXPECT_EQ(log(0x07, false, 127), nvme::kInvalidField);
    EXPECT_EQ(log(0x07, false, 128, 256), nvme::kInvalidField);
    EXPECT_EQ(log(0x07, true), nvme::kSuccess);
    EXPECT_EQ(get(381, 1), 2U);
    EXPECT_EQ(get(612, 4), 0U);
    EXPECT_EQ(log(0x08, true, 128), nvme::kSuccess);
    EXPECT_EQ(get(0, 1), 0x08U);
    EXPECT_EQ(get(8, 6) | get(382, 1), 0U) << "the controller begins none";
  });
}

// CNS 05h, 07h and 08h of Base 2.0.
TEST(NvmeIdentifyTest, PagesByCommandSet) {
  config::Config config = nvme_bench_config();
  config.nvme.namespaces = {0.25, 0.75};
  NvmeBench bench(config);
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    const auto identify = [&](std::uint32_t cns, std::uint32_t nsid, std::uint32_t set = 0) {
      return admin_status(bench, of_namespace(admin_command(nvme::kIdentify, cns, set << 24, page), nsid)) &
             ~nvme::kDnr;
    };
    const auto word = [&](std::size_t offset) {
      std::uint32_t value = 0;
      bench.memory.read(page + offset, &value, sizeof value);
      return value;
    };
    EXPECT_EQ(identify(0x08, 2), nvme::kSuccess);
    EXPECT_EQ(word(12) >> 16 & 0xffU, 1U) << "NSTAT: ready";
    EXPECT_EQ(identify(0x08, 33), nvme::kInvalidNamespace);
    EXPECT_EQ(identify(0x05, 1), nvme::kSuccess);
    EXPECT_EQ(word(0), 0U) << "LBSTM: no protection information";
    EXPECT_EQ(identify(0x05, 33), nvme::kInvalidNamespace);
    EXPECT_EQ(identify(0x07, 1), nvme::kSuccess);
    EXPECT_EQ(word(0), 2U);
    EXPECT_EQ(word(4), 0U);
    for (const std::uint32_t cns : {0x05U, 0x06U, 0x07U}) {
      EXPECT_EQ(identify(cns, 1, 2), nvme::kInvalidField) << cns << ": zoned namespaces";
    }
    EXPECT_EQ(identify(0x01, 0), nvme::kSuccess);
    EXPECT_EQ(word(80), 0x00020000U) << "VER";
    EXPECT_EQ(word(520) >> 6 & 1U, 1U) << "ONCS: Timestamp";
    EXPECT_EQ(word(328), 1U << 1 | 1U << 29 | 1U << 30) << "SANICAP";
    EXPECT_EQ(identify(0x00, 1), nvme::kSuccess);
    EXPECT_EQ(word(24) & 0xffU, 1U << 2 | 1U << 4) << "NSFEAT";
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_features_test
