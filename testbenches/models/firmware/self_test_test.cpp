// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Device Self-test: what it reads, what it finds, and what ends it.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "drive.h"
#include "models/firmware/admin/self_test.h"
#include "workload.h"

namespace wordline::testing::self_test_test {
namespace {

struct Result {
  unsigned code, end, segment, valid;
  std::uint64_t block;
  unsigned status;
};
struct Log {
  unsigned operation, percent;
  std::vector<Result> results;
};

std::uint16_t begin(Drive& drive, const wl_boot_info& boot, std::uint32_t code, std::uint32_t first_lpage = 0,
                    std::uint32_t lpages = WL_NONE) {
  wl_sqe sqe{};
  sqe.dword[WL_DW_OPCODE] = WL_ADMIN_SELF_TEST;
  sqe.dword[WL_DW10] = code;
  sqe.dword[WL_DW12] = first_lpage * 8;
  sqe.dword[WL_DW14] = (lpages == WL_NONE ? boot.user_lpages : lpages) * 8;
  return drive.run_admin(sqe).status;
}

Log log_of(Drive& drive) {
  wl_sqe sqe{};
  sqe.dword[WL_DW_OPCODE] = WL_ADMIN_GET_LOG_PAGE;
  sqe.dword[WL_DW10] = WL_LOG_SELF_TEST;
  const DriveAdmin::Answer answer = drive.run_admin(sqe);
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.data.size(), 564U);
  Log log{answer.data.at(0), answer.data.at(1), {}};
  for (std::size_t at = 4; at != answer.data.size(); at += 28) {
    const std::uint8_t* result = &answer.data[at];
    if ((result[0] & 15U) == WL_SELF_TEST_UNUSED) continue;
    std::uint64_t block = 0;
    std::memcpy(&block, result + 16, sizeof block);
    log.results.push_back({static_cast<unsigned>(result[0]) >> 4U, result[0] & 15U, result[1], result[2], block,
                           static_cast<unsigned>(result[24] << 8 | result[25])});
  }
  return log;
}

/// The result of what runs.
Result finish(Drive& drive) {
  drive.settle();
  const Log log = log_of(drive);
  EXPECT_EQ(log.operation, WL_SELF_TEST_NONE);
  EXPECT_FALSE(log.results.empty());
  return log.results.empty() ? Result{} : log.results.front();
}

class SelfTest : public ::testing::TestWithParam<Shape> {};

TEST_P(SelfTest, ReadsWhatItSays) {
  const wl_boot_info boot = boot_of(GetParam());
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst}) {
    Drive drive(boot, 5);
    drive.order = order;
    EXPECT_TRUE(log_of(drive).results.empty());
    std::uint64_t read = drive.nand().read_lpages;
    const auto reads = [&] {
      const std::uint64_t before = read;
      read = drive.nand().read_lpages;
      return read - before;
    };
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_SHORT), 0);
    EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
    EXPECT_EQ(reads(), boot.user_lpages < WL_SELF_TEST_SAMPLE ? boot.user_lpages : WL_SELF_TEST_SAMPLE);
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED), 0);
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED), WL_STATUS_SELF_TEST_RUNS | WL_STATUS_DNR);
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_SHORT), WL_STATUS_SELF_TEST_RUNS | WL_STATUS_DNR);
    const Log log = log_of(drive);
    EXPECT_EQ(log.operation, WL_SELF_TEST_EXTENDED);
    EXPECT_LT(log.percent, 100U);
    const Result done = finish(drive);
    EXPECT_EQ(done.code, WL_SELF_TEST_EXTENDED);
    EXPECT_EQ(done.end, WL_SELF_TEST_PASSED);
    EXPECT_EQ(done.segment, 0U);
    EXPECT_EQ(done.valid, 0U);
    EXPECT_EQ(reads(), boot.user_lpages);
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED, 16, 16), 0);
    EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
    EXPECT_EQ(reads(), 16U);
    EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_SHORT, 0, 0), 0) << "of the controller alone";
    EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
    EXPECT_EQ(reads(), 0U);
    EXPECT_EQ(log_of(drive).results.size(), 4U);
    EXPECT_TRUE(drive.idle());
  }
}

/// Host and GC go on meanwhile, and find every slot and superblock as always.
TEST_P(SelfTest, BesideEverythingElse) {
  const wl_boot_info boot = boot_of(GetParam());
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kCoresFirst}) {
    Drive drive(boot, 7);
    drive.order = order;
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED), 0);
      stress(drive, boot, kEverything, 0.5);
      if (round % 2 == 0) {
        EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_ABORT), 0);
        EXPECT_EQ(log_of(drive).operation, WL_SELF_TEST_NONE);
      } else {
        EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
      }
    }
    read_everything(drive, boot);
    drive.settle();
    expect_consistent(drive);
    EXPECT_TRUE(drive.idle());
    EXPECT_TRUE(drive.errors.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SelfTest,
                         ::testing::Values(kSimple, Shape{"volatile_three_cores", 2, 3, 3, {0, 1, 2}, false, true}),
                         [](const auto& param) { return param.param.name; });

TEST(SelfTestResult, NamesWhatCannotBeRead) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 5);
  const std::uint32_t bad = boot.user_lpages * 2 / 3;
  const wl_location place = wl_locate(&drive.firmware().geometry, bad);
  drive.nand().faults.uncorrectable = [&](const wl_flash_job& job, std::uint32_t) {
    return job.die == place.die && job.block == place.block && job.page == place.page && job.lpage == place.lpage;
  };
  EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED), 0);
  const Result found = finish(drive);
  EXPECT_EQ(found.end, WL_SELF_TEST_FAILED);
  EXPECT_EQ(found.segment, WL_TEST_MEDIA);
  EXPECT_EQ(found.valid, 14U);
  EXPECT_EQ(found.block, bad * 8ULL);
  EXPECT_EQ(found.status, 0x281U);
  EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_EXTENDED, 0, bad), 0) << "all but that";
  EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
}

TEST(SelfTestResult, HealthComesFirst) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 5);
  wl_sqe hot{};
  hot.dword[WL_DW_OPCODE] = WL_ADMIN_SET_FEATURES;
  hot.dword[WL_DW10] = WL_FEATURE_TEMPERATURE;
  hot.dword[WL_DW11] = 300;
  EXPECT_EQ(drive.run_admin(hot).status, 0);
  drive.nand().faults.uncorrectable = [](const wl_flash_job&, std::uint32_t) { return true; };
  EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_SHORT), 0);
  const Result found = finish(drive);
  EXPECT_EQ(found.end, WL_SELF_TEST_FAILED);
  EXPECT_EQ(found.segment, WL_TEST_HEALTH);
  EXPECT_EQ(found.valid, 0U);
}

TEST(SelfTestResult, WhatEndsIt) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 5);
  drive.order = Drive::Order::kFlashLast;
  EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_ABORT), 0) << "there is none";
  EXPECT_TRUE(log_of(drive).results.empty());
  const auto ends = [&](std::uint32_t code, auto&& what) {
    EXPECT_EQ(begin(drive, boot, code), 0);
    what();
    const Log log = log_of(drive);
    if (log.operation != 0) return ~0U;
    EXPECT_EQ(log.results.front().code, code);
    return log.results.front().end;
  };
  const auto reset = [&] {
    drive.admin().reset();
    EXPECT_EQ(drive.tell_of_reset().status, 0);
  };
  EXPECT_EQ(ends(WL_SELF_TEST_EXTENDED, [&] { EXPECT_EQ(begin(drive, boot, WL_SELF_TEST_ABORT), 0); }),
            WL_SELF_TEST_ABORTED);
  EXPECT_EQ(ends(WL_SELF_TEST_SHORT, reset), WL_SELF_TEST_RESET);
  EXPECT_EQ(ends(WL_SELF_TEST_EXTENDED, reset), ~0U) << "goes on";
  EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED);
  EXPECT_EQ(ends(WL_SELF_TEST_EXTENDED, [&] { format(drive, boot); }), WL_SELF_TEST_FORMAT);
  const auto remove = [&](std::uint32_t first_block, std::uint32_t blocks) {
    wl_sqe sqe{};
    sqe.dword[WL_DW_OPCODE] = WL_ADMIN_NAMESPACE;
    sqe.dword[WL_DW12] = first_block;
    sqe.dword[WL_DW14] = blocks;
    EXPECT_EQ(drive.run_admin(sqe).status, 0);
  };
  stress(drive, boot, kWholeSectors, 1.0);
  const auto blocks = static_cast<std::uint32_t>(boot.user_lpages << boot.ftl.lpage_shift);
  EXPECT_EQ(ends(WL_SELF_TEST_EXTENDED, [&] { remove(blocks, 0); }), ~0U) << "nothing that it tests";
  remove(0, 0);
  EXPECT_NE(log_of(drive).operation, 0U);
  remove(0, 64);
  EXPECT_EQ(log_of(drive).results.front().end, WL_SELF_TEST_REMOVED);
  for (std::uint32_t lba = 0; lba != 64; ++lba) drive.begins_with(lba, 0);
  wl_sqe sanitize{};
  sanitize.dword[WL_DW_OPCODE] = WL_ADMIN_SANITIZE;
  sanitize.dword[WL_DW10] = 2;
  EXPECT_EQ(ends(WL_SELF_TEST_SHORT, [&] { EXPECT_EQ(drive.run_admin(sanitize).status, 0); }), WL_SELF_TEST_SANITIZE);
  drive.settle();
  // The log has the last twenty.
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(begin(drive, boot, i % 2 == 0 ? WL_SELF_TEST_SHORT : WL_SELF_TEST_EXTENDED), 0);
    EXPECT_EQ(finish(drive).end, WL_SELF_TEST_PASSED) << "an empty drive";
  }
  const Log log = log_of(drive);
  ASSERT_EQ(log.results.size(), 20U);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(log.results.at(i).code, i % 2 == 0 ? WL_SELF_TEST_SHORT : WL_SELF_TEST_EXTENDED);
  }
}

}  // namespace
}  // namespace wordline::testing::self_test_test
