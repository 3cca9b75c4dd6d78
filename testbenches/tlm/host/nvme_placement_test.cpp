// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible Data Placement at the controller: what it says of itself, what writes name, features, logs, I/O Management.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "models/firmware/host/nvme.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_placement_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr std::uint32_t kHandles = 3;
constexpr std::uint64_t kSuperblock = 2 * 24 * 2 * 16384;  // dies, pages, planes, bytes

config::Config with_handles(config::Isolation isolation = config::Isolation::kPersistently) {
  config::Config config = nvme_bench_config();
  config.ftl.fdp = {kHandles, isolation};
  config.channels.count = 2;
  config.channels.packages = 1;
  config.channels.dies_per_package = 1;
  config::NandGeometry& g = config.nand.geometry;
  g.planes = 2;
  g.page = Bytes(16384);
  g.cell = config::CellType::kTlc;
  g.layers = 4;
  g.wls_per_layer = 2;
  return config;
}

template <class T>
T read_at(NvmeBench& bench, std::uint64_t address) {
  T value{};
  bench.memory.read(address, &value, sizeof value);
  return value;
}

nvme::SubmissionEntry log_page(std::uint8_t log, std::uint32_t bytes, std::uint64_t page, std::uint32_t lsp = 0) {
  return admin_command(nvme::kGetLogPage, (bytes / 4 - 1) << 16 | lsp << 8 | log, nvme::kEnduranceGroup << 16, page);
}

nvme::SubmissionEntry write_of(NvmeBench& bench, std::uint32_t directive, std::uint32_t specific) {
  nvme::SubmissionEntry sqe = io(nvme::kWrite, 0, 8, bench.memory.allocate());
  sqe.cdw12 |= directive << nvme::kDirectiveShift;
  sqe.cdw13 = specific << 16;
  return sqe;
}

/// The handle in the event that the firmware gets.
std::uint32_t handle_of(NvmeBench& bench, const nvme::SubmissionEntry& sqe) {
  bench.submit(1, sqe);
  const wl_host_event event = bench.event();
  bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
  EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  return static_cast<std::uint32_t>(event.flags) >> WL_EVENT_HANDLE_SHIFT;
}

nvme::Status status_without_firmware(NvmeBench& bench, const nvme::SubmissionEntry& sqe) {
  bench.submit(1, sqe);
  return nvme::status_of(bench.completion(1)) & ~nvme::kDnr;
}

nvme::SubmissionEntry management(std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11, std::uint64_t page) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.nsid = nvme::kNamespace;
  sqe.cdw10 = cdw10;
  sqe.cdw11 = cdw11;
  sqe.prp1 = page;
  return sqe;
}

class NvmePlacementOf : public ::testing::TestWithParam<config::Isolation> {};

TEST_P(NvmePlacementOf, IdentifyAndLogsSayWhatThereIs) {
  NvmeBench bench(with_handles(GetParam()));
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint32_t>(bench, page + 96), 1U << 19 | 1U << 4);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 340), 1);
    nvme::SubmissionEntry identify = admin_command(nvme::kIdentify, nvme::kCnsNamespace, 0, page);
    identify.nsid = nvme::kNamespace;
    EXPECT_EQ(admin_status(bench, identify), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 102), 1);

    EXPECT_EQ(admin_status(bench, log_page(0x20, 128, page)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page), 0) << "one configuration";
    EXPECT_EQ(read_at<std::uint32_t>(bench, page + 4), 16U + 64 + 4 * kHandles);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 16), 64U + 4 * kHandles);
    EXPECT_EQ(read_at<std::uint8_t>(bench, page + 18) & 0x80, 0x80);
    EXPECT_EQ(read_at<std::uint32_t>(bench, page + 20), 1U);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 24), kHandles);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 26), kHandles - 1);
    EXPECT_EQ(read_at<std::uint64_t>(bench, page + 32), kSuperblock);
    const int type = GetParam() == config::Isolation::kInitially ? 1 : 2;
    for (std::uint32_t i = 0; i < kHandles; ++i) EXPECT_EQ(read_at<std::uint8_t>(bench, page + 80 + 4 * i), type);

    EXPECT_EQ(admin_status(bench, log_page(0x21, 32, page)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page), kHandles);
    for (std::uint32_t i = 0; i < kHandles; ++i) EXPECT_EQ(read_at<std::uint8_t>(bench, page + 8 + 8 * i), 1);
    nvme::SubmissionEntry other_group = log_page(0x21, 32, page);
    other_group.cdw11 = 2U << 16;
    for (const std::uint32_t log : {0x20U, 0x21U, 0x22U, 0x23U}) {
      other_group.cdw10 = 7U << 16 | log;
      EXPECT_EQ(admin_status(bench, other_group) & ~nvme::kDnr, nvme::kInvalidField) << log;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Both, NvmePlacementOf,
                         ::testing::Values(config::Isolation::kInitially, config::Isolation::kPersistently));

TEST(NvmePlacement, AWriteNamesItsHandle) {
  NvmeBench bench(with_handles());
  play([&] {
    bench.bring_up();
    EXPECT_EQ(handle_of(bench, write_of(bench, 0, 0)), 0U);
    EXPECT_EQ(handle_of(bench, write_of(bench, 0, 2)), 0U) << "without the directive it names none";
    for (std::uint32_t i = 0; i < kHandles; ++i) EXPECT_EQ(handle_of(bench, write_of(bench, 2, i)), i);
    EXPECT_EQ(handle_of(bench, write_of(bench, 2, kHandles)), 0U) << "there is no such one";
    EXPECT_EQ(status_without_firmware(bench, write_of(bench, 1, 0)), nvme::kInvalidField);
    EXPECT_EQ(status_without_firmware(bench, write_of(bench, 3, 0)), nvme::kInvalidField);
  });
}

TEST(NvmePlacement, EventsAreKeptOnceTheyAreEnabled) {
  NvmeBench bench(with_handles());
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(handle_of(bench, write_of(bench, 2, 9)), 0U);
    EXPECT_EQ(admin_status(bench, log_page(0x23, 64, page, 1)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint32_t>(bench, page), 0U) << "none is enabled";

    const std::uint8_t types[] = {WL_PLACEMENT_NOT_FULL, WL_PLACEMENT_INVALID, WL_PLACEMENT_MOVED};
    bench.memory.write(page, types, sizeof types);
    nvme::SubmissionEntry set = admin_command(nvme::kSetFeatures, nvme::kFeatureFdpEvents, 3U << 16, page);
    set.nsid = nvme::kNamespace;
    set.cdw12 = 1;
    EXPECT_EQ(admin_status(bench, set), nvme::kSuccess);
    nvme::SubmissionEntry get = admin_command(nvme::kGetFeatures, nvme::kFeatureFdpEvents, 3U << 16, page);
    get.nsid = nvme::kNamespace;
    const nvme::CompletionEntry answer = bench.admin(get);
    EXPECT_EQ(nvme::status_of(answer), nvme::kSuccess);
    EXPECT_EQ(answer.dw0, 3U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(read_at<std::uint8_t>(bench, page + 2 * i), types[i]);
      EXPECT_EQ(read_at<std::uint8_t>(bench, page + 2 * i + 1), 1);
    }
    EXPECT_EQ(handle_of(bench, write_of(bench, 2, 9)), 0U);
    wl_host_job moved{};
    moved.op = WL_JOB_PLACEMENT_EVENT;
    moved.flags = WL_PLACEMENT_MOVED;
    moved.tag = WL_NO_TAG;
    moved.lpage = 80;
    bench.run_job(moved);
    moved.status = 1;  // of a handle whose events nobody wants
    bench.run_job(moved);
    pass(5_us);
    EXPECT_EQ(admin_status(bench, log_page(0x23, 128, page, 1)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint32_t>(bench, page), 1U);
    EXPECT_EQ(read_at<std::uint8_t>(bench, page + 64), WL_PLACEMENT_INVALID);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 66), 9);
    EXPECT_EQ(admin_status(bench, log_page(0x23, 128, page, 0)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint32_t>(bench, page), 1U);
    EXPECT_EQ(read_at<std::uint8_t>(bench, page + 64), WL_PLACEMENT_MOVED);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 64 + 16 + 2), 80) << "LBAs moved";

    const std::uint8_t unknown = 0x55;
    bench.memory.write(page, &unknown, sizeof unknown);
    set.cdw11 = 1U << 16;
    EXPECT_EQ(admin_status(bench, set) & ~nvme::kDnr, nvme::kInvalidField);
    set.cdw11 = 1U << 16 | kHandles;
    EXPECT_EQ(admin_status(bench, set) & ~nvme::kDnr, nvme::kInvalidField);
    set.nsid = 2;
    EXPECT_EQ(admin_status(bench, set) & ~nvme::kDnr, nvme::kInvalidNamespace);
  });
}

TEST(NvmePlacement, ItIsEnabledForGood) {
  NvmeBench bench(with_handles());
  play([&] {
    bench.enable();
    const nvme::CompletionEntry answer = bench.admin(admin_command(nvme::kGetFeatures, nvme::kFeatureFdp, 1));
    EXPECT_EQ(nvme::status_of(answer), nvme::kSuccess);
    EXPECT_EQ(answer.dw0, 1U);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kSetFeatures, nvme::kFeatureFdp, 1)) & ~nvme::kDnr,
              nvme::kCommandSequenceError);
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kGetFeatures, nvme::kFeatureFdp, 2)) & ~nvme::kDnr,
              nvme::kInvalidField);
  });
}

TEST(NvmePlacement, StatusOfTheHandlesComesFromTheFirmware) {
  NvmeBench bench(with_handles());
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    bench.submit(1, management(nvme::kManagementReceive, 1, 255, page));
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.type, WL_EVENT_ADMIN);
    const std::uint32_t rooms[kHandles] = {100, 200, 300};
    std::vector<std::uint8_t> data(sizeof rooms);
    std::memcpy(data.data(), rooms, sizeof rooms);
    bench.answer(event, 0, 0, data);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    EXPECT_EQ(read_at<std::uint16_t>(bench, page + 14), kHandles);
    for (std::uint32_t i = 0; i < kHandles; ++i) {
      const std::uint64_t at = page + 16 + 32 * i;
      EXPECT_EQ(read_at<std::uint16_t>(bench, at), i);
      EXPECT_EQ(read_at<std::uint16_t>(bench, at + 2), i);
      EXPECT_EQ(read_at<std::uint64_t>(bench, at + 8), rooms[i]);
    }
  });
}

TEST(NvmePlacement, ManagementIsChecked) {
  NvmeBench bench(with_handles());
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    for (const std::uint8_t opcode : {nvme::kManagementReceive, nvme::kManagementSend}) {
      EXPECT_EQ(status_without_firmware(bench, management(opcode, 0, 3, page)), nvme::kSuccess) << "nothing to do";
      EXPECT_EQ(status_without_firmware(bench, management(opcode, 2, 3, page)), nvme::kInvalidField);
      nvme::SubmissionEntry sqe = management(opcode, 1, 3, page);
      sqe.nsid = 2;
      EXPECT_EQ(status_without_firmware(bench, sqe), nvme::kInvalidNamespace);
      sqe.nsid = nvme::kNamespace;
      sqe.flags = 0x40;
      EXPECT_EQ(status_without_firmware(bench, sqe), nvme::kInvalidField);
      EXPECT_EQ(status_without_firmware(bench, management(opcode, 1, 3, page + 2)), nvme::kPrpOffsetInvalid);
    }
    EXPECT_EQ(status_without_firmware(bench, management(nvme::kManagementSend, 128U << 16 | 1, 0, page)),
              nvme::kInvalidField);
    const std::uint16_t list[] = {2, 0, 7};
    bench.memory.write(page, list, sizeof list);
    EXPECT_EQ(status_without_firmware(bench, management(nvme::kManagementSend, 2U << 16 | 1, 0, page)),
              nvme::kInvalidField)
        << "there is no handle 7";
    bench.submit(1, management(nvme::kManagementSend, 1U << 16 | 1, 0, page));
    const wl_host_event event = bench.event();
    EXPECT_EQ(bench.admin_entry().dword[11], 1U << 2 | 1U << 0);
    bench.answer(event, 0);
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

TEST(NvmePlacement, WithoutItTheCommandsAreUnknown) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(status_without_firmware(bench, management(nvme::kManagementReceive, 1, 3, page)), nvme::kInvalidOpcode);
    EXPECT_EQ(status_without_firmware(bench, management(nvme::kManagementSend, 1, 3, page)), nvme::kInvalidOpcode);
    EXPECT_EQ(handle_of(bench, write_of(bench, 2, 1)), 0U);
    EXPECT_EQ(admin_status(bench, log_page(0x20, 128, page)) & ~nvme::kDnr, nvme::kInvalidLogPage);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_placement_test
