// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Several namespaces and both LBA formats: what Identify says of them, where their blocks are, and where they end.
#include <gtest/gtest.h>

#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_namespaces_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr std::uint64_t kBlocks = NvmeBench::kLpages * 8;

config::Config config_of(std::vector<double> shares, config::LbaSize size) {
  config::Config config = nvme_bench_config();
  config.nvme.namespaces = std::move(shares);
  config.nvme.lba_size = size;
  return config;
}

template <class T>
T get(NvmeBench& bench, std::uint64_t page, std::size_t offset) {
  T value{};
  bench.memory.read(page + offset, &value, sizeof value);
  return value;
}

nvme::Status identify(NvmeBench& bench, std::uint32_t cns, std::uint32_t nsid, std::uint64_t page) {
  nvme::SubmissionEntry sqe = admin_command(nvme::kIdentify, cns, 0, page);
  sqe.nsid = nsid;
  return admin_status(bench, sqe);
}

nvme::SubmissionEntry to(std::uint32_t nsid, nvme::SubmissionEntry sqe) {
  sqe.nsid = nsid;
  return sqe;
}

/// The status of a command that does not get to the firmware.
nvme::Status refusal(NvmeBench& bench, const nvme::SubmissionEntry& sqe) {
  bench.submit(1, sqe);
  return nvme::status_of(bench.completion(1));
}

/// The event of a command, which ends at once.
wl_host_event event_of(NvmeBench& bench, const nvme::SubmissionEntry& sqe) {
  bench.submit(1, sqe);
  const wl_host_event event = bench.event();
  bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
  EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  return event;
}

TEST(NvmeNamespaces, IdentifyTellsAllOfThem) {
  namespace id = nvme::identify_namespace;
  NvmeBench bench(config_of({0.25, 0.5, 0.25}, config::LbaSize::k4096));
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(identify(bench, nvme::kCnsController, 0, page), nvme::kSuccess);
    EXPECT_EQ(get<std::uint32_t>(bench, page, nvme::identify_controller::kNn), 32U);
    EXPECT_EQ(identify(bench, nvme::kCnsActiveNamespaces, 1, page), nvme::kSuccess);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 0), 2U);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 4), 3U);
    EXPECT_EQ(get<std::uint32_t>(bench, page, 8), 0U);
    std::uint64_t blocks = 0;
    std::vector<std::uint64_t> names;
    for (std::uint32_t nsid = 1; nsid <= 3; ++nsid) {
      EXPECT_EQ(identify(bench, nvme::kCnsNamespace, nsid, page), nvme::kSuccess);
      EXPECT_EQ(get<std::uint8_t>(bench, page, id::kNlbaf), 1);  // two
      EXPECT_EQ(get<std::uint8_t>(bench, page, id::kFlbas), 1);
      EXPECT_EQ(get<std::uint32_t>(bench, page, id::kLbaf0), 9U << 16);
      EXPECT_EQ(get<std::uint32_t>(bench, page, id::kLbaf0 + 4), 12U << 16);
      EXPECT_EQ(get<std::uint16_t>(bench, page, id::kNpwg), 0);  // one block of 4 KiB
      blocks += get<std::uint64_t>(bench, page, id::kNsze);
      EXPECT_EQ(identify(bench, nvme::kCnsNamespaceDescriptors, nsid, page), nvme::kSuccess);
      names.push_back(get<std::uint64_t>(bench, page, 4));
    }
    EXPECT_EQ(blocks, NvmeBench::kLpages);
    EXPECT_NE(names[0], names[1]);
    EXPECT_NE(names[1], names[2]);
    for (const std::uint32_t cns : {nvme::kCnsNamespace, nvme::kCnsNamespaceDescriptors}) {
      EXPECT_EQ(identify(bench, cns, 33, page), nvme::kInvalidNamespace | nvme::kDnr);
      EXPECT_EQ(identify(bench, cns, 0, page), nvme::kInvalidNamespace | nvme::kDnr);
    }
  });
}

TEST(NvmeNamespaces, EachBeginsWhereTheOneBeforeEnds) {
  const config::Config config = config_of({0.25, 0.75}, config::LbaSize::k512);
  const std::vector<config::Namespace> all = config::namespaces_of(config, kBlocks);
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (std::uint32_t nsid = 1; nsid <= 2; ++nsid) {
      const std::uint64_t last = all[nsid - 1].lbas - 8;
      EXPECT_EQ(event_of(bench, to(nsid, io(nvme::kRead, last, 8, page))).slba, all[nsid - 1].first + last);
      EXPECT_EQ(refusal(bench, to(nsid, io(nvme::kRead, last + 1, 8, page))), nvme::kLbaOutOfRange | nvme::kDnr);
      EXPECT_EQ(refusal(bench, to(nsid, io(nvme::kWriteZeroes, last, 9, 0))), nvme::kLbaOutOfRange | nvme::kDnr);
    }
    EXPECT_EQ(refusal(bench, to(3, io(nvme::kRead, 0, 8, page))), nvme::kInvalidField | nvme::kDnr) << "not active";
    for (const std::uint32_t nsid : {0U, 33U, nvme::kAllNamespaces}) {
      EXPECT_EQ(refusal(bench, to(nsid, io(nvme::kRead, 0, 8, page))), nvme::kInvalidNamespace | nvme::kDnr);
    }
    event_of(bench, to(2, io(nvme::kFlush, 0, 1, 0)));
    event_of(bench, to(nvme::kAllNamespaces, io(nvme::kFlush, 0, 1, 0)));
    EXPECT_EQ(all[1].end(), kBlocks);
  });
}

TEST(NvmeNamespaces, BlocksOfFourKib) {
  const config::Config config = config_of({0.5, 0.5}, config::LbaSize::k4096);
  const std::vector<config::Namespace> all = config::namespaces_of(config, kBlocks);
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate(2);
    const wl_host_event event = event_of(bench, to(2, io(nvme::kRead, 3, 2, page, page + 4096)));
    EXPECT_EQ(event.slba, all[1].first + 24);
    EXPECT_EQ(event.blocks, 16U);
    const std::uint64_t size = all[1].lbas / 8;
    EXPECT_EQ(refusal(bench, to(2, io(nvme::kRead, size, 1, page))), nvme::kLbaOutOfRange | nvme::kDnr);
    // An LBA whose blocks of 512 bytes overflow 64 bits.
    EXPECT_EQ(refusal(bench, to(2, io(nvme::kRead, 1ULL << 61, 1, page))), nvme::kLbaOutOfRange | nvme::kDnr);
    // MDTS is 32 pages.
    EXPECT_EQ(refusal(bench, to(1, io(nvme::kRead, 0, 33, page))), nvme::kInvalidField | nvme::kDnr);
  });
}

TEST(NvmeNamespaces, RangesAreOfTheirNamespace) {
  const config::Config config = config_of({0.5, 0.5}, config::LbaSize::k4096);
  const std::vector<config::Namespace> all = config::namespaces_of(config, kBlocks);
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const auto deallocate = [&](const nvme::DsmRange& range) {
      bench.memory.write(page, &range, sizeof range);
      nvme::SubmissionEntry sqe = to(2, io(nvme::kDatasetManagement, 0, 1, page));
      sqe.cdw10 = 0;
      sqe.cdw11 = nvme::kDsmDeallocate;
      return sqe;
    };
    const wl_host_event event = event_of(bench, deallocate({0, 5, 7}));
    EXPECT_EQ(event.slba, all[1].first + 56);
    EXPECT_EQ(event.blocks, 40U);
    const std::uint64_t size = all[1].lbas / 8;
    EXPECT_EQ(refusal(bench, deallocate({0, 5, size - 4})), nvme::kLbaOutOfRange | nvme::kDnr);
  });
}

/// The error log says what the host said.
TEST(NvmeNamespaces, ErrorsAreNamedAsTheHostDid) {
  NvmeBench bench(config_of({0.5, 0.5}, config::LbaSize::k4096));
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.submit(1, to(2, io(nvme::kRead, 3, 1, page)));
    wl_host_job failed = job_of(WL_JOB_COMPLETE, bench.event(), 0, 0);
    failed.status = nvme::kUnrecoveredRead;
    bench.run_job(failed);
    bench.completion(1);
    refusal(bench, to(9, io(nvme::kRead, 11, 1, page)));
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetLogPage, 31U << 16 | nvme::kLogErrorInformation, 0, page)),
              nvme::kSuccess);
    EXPECT_EQ(get<nvme::ErrorEntry>(bench, page, 0).nsid, 9U);
    EXPECT_EQ(get<nvme::ErrorEntry>(bench, page, 0).lba, 11U);
    EXPECT_EQ(get<nvme::ErrorEntry>(bench, page, 64).nsid, 2U);
    EXPECT_EQ(get<nvme::ErrorEntry>(bench, page, 64).lba, 3U);
  });
}

/// Format NVM brings another LBA format to all namespaces, also when the host has reset the controller meanwhile.
TEST(NvmeNamespaces, FormatChangesTheBlock) {
  namespace id = nvme::identify_namespace;
  const config::Config config = config_of({0.5, 0.5}, config::LbaSize::k512);
  const std::vector<config::Namespace> all = config::namespaces_of(config, kBlocks);
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    const auto block = [&](std::uint32_t nsid) {
      EXPECT_EQ(identify(bench, nvme::kCnsNamespace, nsid, page), nvme::kSuccess);
      EXPECT_EQ(get<std::uint64_t>(bench, page, id::kNsze) << get<std::uint8_t>(bench, page, id::kFlbas) * 3,
                all[nsid - 1].lbas);
      return get<std::uint8_t>(bench, page, id::kFlbas);
    };
    EXPECT_EQ(block(1), 0);
    nvme::SubmissionEntry sqe = to(1, admin_command(nvme::kFormat, 1));
    bench.submit(0, sqe);
    const wl_host_event failing = bench.event();
    bench.answer(failing, nvme::kWriteProtected);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kWriteProtected | nvme::kDnr);
    EXPECT_EQ(block(2), 0) << "one that fails changes nothing";

    bench.submit(0, sqe);
    bench.answer(bench.event(), 0);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(block(1), 1);
    EXPECT_EQ(block(2), 1);
    EXPECT_EQ(event_of(bench, to(2, io(nvme::kRead, 1, 1, page))).slba, all[1].first + 8);

    sqe.cdw10 = 0;
    bench.submit(0, sqe);
    const wl_host_event event = bench.event();
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    bench.answer(event, 0);
    bench.bring_up();
    EXPECT_EQ(block(2), 0);
    EXPECT_EQ(event_of(bench, to(2, io(nvme::kRead, 1, 1, page))).slba, all[1].first + 1);
    sqe.cdw10 = 2;
    bench.submit(0, sqe);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kInvalidFormat | nvme::kDnr);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_namespaces_test
