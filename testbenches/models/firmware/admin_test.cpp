// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "drive.h"
#include "models/firmware/admin/health.h"
#include "workload.h"

namespace wordline::testing::admin_test {
namespace {

wl_sqe sqe_of(std::uint32_t opcode, std::uint32_t dw10 = 0, std::uint32_t dw11 = 0, std::uint32_t nsid = 0) {
  wl_sqe sqe{};
  sqe.dword[0] = opcode;
  sqe.dword[1] = nsid;
  sqe.dword[10] = dw10;
  sqe.dword[11] = dw11;
  return sqe;
}

constexpr std::uint32_t kRetainEvent = 1U << 15;

struct Smart {
  std::vector<std::uint8_t> page;
  [[nodiscard]] std::uint64_t field(std::size_t at, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | page.at(at + i);
    return value;
  }
  [[nodiscard]] std::uint64_t warnings() const { return field(0, 1); }
  [[nodiscard]] std::uint64_t spare() const { return field(3, 1); }
  [[nodiscard]] std::uint64_t used() const { return field(5, 1); }
};

Smart smart(Drive& drive, std::uint32_t flags = 0) {
  const DriveAdmin::Answer answer = drive.run_admin(sqe_of(WL_ADMIN_GET_LOG_PAGE, flags | WL_LOG_SMART));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.data.size(), 512U);
  return {answer.data};
}

std::uint16_t set_feature(Drive& drive, std::uint32_t id, std::uint32_t value) {
  return drive.run_admin(sqe_of(WL_ADMIN_SET_FEATURES, id, value)).status;
}
std::uint32_t feature(Drive& drive, std::uint32_t id, std::uint32_t value = 0) {
  return drive.run_admin(sqe_of(WL_ADMIN_GET_FEATURES, id, value)).dw0;
}

/// Events so far, those included that are on their way.
std::size_t told(Drive& drive) {
  drive.settle();
  return drive.admin().events.size();
}

TEST(FirmwareAdmin, SmartLogIsWhatTheDriveHasDone) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 3);
  EXPECT_EQ(smart(drive).used(), 30U) << "the wear that the drive began with";
  stress(drive, boot, kEverything, 6.0);
  const Smart log = smart(drive);
  const std::uint64_t erases = drive.statistics().blocks.superblock_erases;
  ASSERT_GT(erases, boot.blocks);
  EXPECT_EQ(log.used(), (erases + 30 * boot.blocks) * 100 / (100 * boot.blocks));
  EXPECT_GT(log.used(), 30U);
  EXPECT_EQ(log.warnings(), 0U);
  EXPECT_EQ(log.field(1, 2), 310U);
  EXPECT_EQ(log.spare(), 100U);
  EXPECT_EQ(log.field(4, 1), 10U);
  const std::size_t counts[] = {32, 48, 64, 80};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(log.field(counts[i], 8), 11 + i);
  EXPECT_EQ(log.field(112, 8), 1U);
  EXPECT_EQ(log.field(144, 8), 0U);
  EXPECT_EQ(log.field(160, 8), 15U);
  EXPECT_EQ(log.field(176, 8), 16U);
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_GET_LOG_PAGE, WL_LOG_SMART, 0, 1)).status,
            WL_STATUS_INVALID_FIELD | WL_STATUS_DNR)
      << "not kept by namespace";
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_GET_LOG_PAGE, WL_LOG_SMART, 0, 0xffffffff)).status, 0);
}

/// Log page C0h of OCP: what the firmware counts.
TEST(FirmwareAdmin, ExtendedSmartLogCountsWhatMediaHaveTaken) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 3);
  const auto log = [&] {
    const DriveAdmin::Answer answer = drive.run_admin(sqe_of(WL_ADMIN_GET_LOG_PAGE, WL_LOG_EXTENDED_SMART));
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.data.size(), 512U);
    return Smart{answer.data};
  };
  EXPECT_EQ(log().field(0, 8), 0U);
  EXPECT_EQ(log().field(38, 2), 100U);
  stress(drive, boot, kEverything, 6.0);
  drive.settle();
  const Smart found = log();
  const auto s = drive.statistics();
  EXPECT_EQ(found.field(0, 8), s.lpages_programmed * (512ULL << boot.ftl.lpage_shift));
  EXPECT_GT(found.field(0, 8), 6 * boot.user_lpages * 4096 / 2);
  EXPECT_EQ(found.field(32, 6), 0U);
  EXPECT_EQ(found.field(56, 8), 15U) << "media errors";
  EXPECT_EQ(found.field(88, 4), s.blocks.erases_most + 30);
  EXPECT_EQ(found.field(92, 4), s.blocks.erases_least + 30);
  EXPECT_EQ(found.field(120, 1), s.free_superblocks * 100 / boot.blocks);
  EXPECT_EQ(found.field(176, 8), std::uint64_t{boot.dies} * boot.planes * boot.blocks * boot.pages *
                                     boot.lpages_per_page * (512ULL << boot.ftl.lpage_shift) * 100)
      << "a hundred erases";
}

void mount(Drive& drive) {
  while (!drive.mounted()) drive.step();
}

TEST(FirmwareAdmin, AMountOfWhatACutHasLeftIsAnUnsafeShutdown) {
  wl_boot_info boot = boot_of({"volatile", 1, 1, 1, {0, 0, 0}, false, false});
  boot.ftl.recovery = 1;
  boot.ftl.word_line_programs = 1;
  Drive blank(boot, 3);
  mount(blank);
  EXPECT_EQ(smart(blank).field(112, 8), 1U);
  EXPECT_EQ(smart(blank).field(144, 8), 0U);
  EXPECT_EQ(blank.run_admin(sqe_of(WL_ADMIN_FORMAT)).status, WL_STATUS_INVALID_OPCODE | WL_STATUS_DNR);
  EXPECT_EQ(blank.run(write_of(0, 64)), 0);
  EXPECT_EQ(blank.run(flush()), 0);
  Drive again(boot, 4);
  again.put_in(blank.cut_power(), blank.version());
  mount(again);
  EXPECT_EQ(smart(again).field(112, 8), 2U);
  EXPECT_EQ(smart(again).field(144, 8), 1U);
}

TEST(FirmwareAdmin, WearBeyondTheRatingIs255PercentAtMost) {
  wl_boot_info boot = boot_of(kSimple);
  boot.ftl.health.erases_before = 254;
  Drive nearly(boot, 3);
  EXPECT_EQ(smart(nearly).used(), 254U);
  boot.ftl.health.erases_before = 100'000;
  Drive worn(boot, 3);
  EXPECT_EQ(smart(worn).used(), 255U);
}

TEST(FirmwareAdmin, TemperatureThresholdsWarnAtTheirValue) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 3);
  constexpr std::uint32_t kUnder = 1U << 20, kAll = 15U << 16;
  EXPECT_EQ(feature(drive, WL_FEATURE_TEMPERATURE), 343U);
  EXPECT_EQ(feature(drive, WL_FEATURE_TEMPERATURE, kUnder), 0U);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 311), 0);
  EXPECT_EQ(smart(drive).warnings(), 0U);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, kAll | 310), 0);
  EXPECT_EQ(smart(drive).warnings(), WL_WARNING_TEMPERATURE);
  EXPECT_EQ(feature(drive, WL_FEATURE_TEMPERATURE), 310U);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 400), 0);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, kUnder | 309), 0);
  EXPECT_EQ(smart(drive).warnings(), 0U);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, kUnder | 310), 0);
  EXPECT_EQ(smart(drive).warnings(), WL_WARNING_TEMPERATURE);
  for (const std::uint32_t wrong : {1U << 16, 2U << 20, 3U << 20}) {
    EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, wrong | 300), WL_STATUS_INVALID_FIELD | WL_STATUS_DNR);
  }
  EXPECT_EQ(set_feature(drive, 1U << 31 | WL_FEATURE_TEMPERATURE, 300), WL_STATUS_NOT_SAVEABLE | WL_STATUS_DNR);
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_GET_FEATURES, 1U << 8 | WL_FEATURE_TEMPERATURE)).status,
            WL_STATUS_INVALID_FIELD | WL_STATUS_DNR)
      << "only current values";
  EXPECT_EQ(drive.run_admin(sqe_of(0x55)).status, WL_STATUS_INVALID_OPCODE | WL_STATUS_DNR);
}

TEST(FirmwareAdmin, AWarningIsToldOnceUntilItsLogIsRead) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 3);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 300), 0);
  EXPECT_EQ(told(drive), 0U) << "the host has not asked for events";
  EXPECT_EQ(set_feature(drive, WL_FEATURE_ASYNC_EVENTS, 0xff), 0);
  EXPECT_EQ(feature(drive, WL_FEATURE_ASYNC_EVENTS), 0xffU);
  ASSERT_EQ(told(drive), 1U);
  EXPECT_EQ(drive.admin().events[0], 0x020101U) << "SMART, temperature, log 02h";
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 301), 0);
  EXPECT_EQ(told(drive), 1U) << "its log has not been read";
  EXPECT_EQ(smart(drive, kRetainEvent).warnings(), WL_WARNING_TEMPERATURE);
  EXPECT_EQ(told(drive), 1U) << "read, and the event is retained";
  EXPECT_EQ(smart(drive).warnings(), WL_WARNING_TEMPERATURE);
  EXPECT_EQ(told(drive), 2U) << "the threshold had been set anew";
  (void)smart(drive);
  EXPECT_EQ(told(drive), 2U) << "it still holds, and the host knows";
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 400), 0);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_TEMPERATURE, 300), 0);
  EXPECT_EQ(told(drive), 3U) << "gone, and come again";

  drive.admin().reset();
  EXPECT_EQ(feature(drive, WL_FEATURE_ASYNC_EVENTS), 0U);
  EXPECT_EQ(feature(drive, WL_FEATURE_TEMPERATURE), 343U);
  EXPECT_EQ(told(drive), 0U);
}

/// Superblocks are lost until the drive is read-only: the host hears of the spare first, and then of the end.
TEST(FirmwareAdmin, SpareFallsAndTheHostIsTold) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 22);
  EXPECT_EQ(set_feature(drive, WL_FEATURE_ASYNC_EVENTS, 0xff), 0);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) { return drive.random() % 30 == 0; };
  std::uint64_t spare = smart(drive).spare();
  EXPECT_EQ(spare, 100U);
  std::vector<std::uint32_t> events;
  std::uint64_t below = 0;
  for (std::uint64_t lpn = 0; drive.errors.empty(); lpn = (lpn + 7) % boot.user_lpages) {
    ASSERT_EQ(drive.admin().resets, 0);
    if (!drive.has_tag()) {
      drive.step();
      continue;
    }
    drive.submit(write_of(lpn * 8, 8));
    const Smart log = smart(drive, kRetainEvent);
    ASSERT_LE(log.spare(), spare) << "it never comes back";
    spare = log.spare();
    if (spare < WL_SPARE_THRESHOLD) below = drive.statistics().blocks.retired_superblocks;
    ASSERT_EQ((log.warnings() & WL_WARNING_SPARE) != 0, spare < WL_SPARE_THRESHOLD);
    if (drive.admin().events.empty()) continue;
    events.push_back(drive.admin().events.front());
    drive.admin().events.clear();
    (void)smart(drive);
  }
  drive.drain();
  (void)smart(drive);
  for (const std::uint32_t event : drive.admin().events) events.push_back(event);
  EXPECT_GT(below, 0U);
  EXPECT_GT(drive.errors[WL_STATUS_WRITE_PROTECTED], 0U);
  EXPECT_EQ(smart(drive).spare(), 0U);
  EXPECT_NE(smart(drive).warnings() & WL_WARNING_READ_ONLY, 0U);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0], 0x020201U) << "spare below threshold";
  EXPECT_EQ(events[1], 0x020001U) << "reliability: read-only";
}

TEST(FirmwareAdmin, SparesCountUntilTheyAreUsed) {
  wl_boot_info boot = boot_of(kSimple);
  boot.replacement.spares = 4;
  Drive drive(boot, 6);
  EXPECT_EQ(smart(drive).spare(), 100U);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) {
    return drive.nand().failures < 3 && drive.random() % 100 == 0;
  };
  stress(drive, boot, kEverything, 6.0);
  drive.settle();
  ASSERT_EQ(drive.statistics().blocks.spares_in_use, 3U);
  const std::uint32_t needed = rooms(drive.firmware()).space.region[0].needed_superblocks;
  const std::uint32_t blocks = 4 * 4 + (boot.blocks - needed) * 4;
  EXPECT_EQ(smart(drive).spare(), (blocks - 3) * 100 / blocks);
}

class AbortTest : public ::testing::TestWithParam<Shape> {};

TEST_P(AbortTest, WhatHasNotBegunEndsAborted) {
  const wl_boot_info boot = boot_of(GetParam());
  Drive drive(boot, 8);
  drive.order = Drive::Order::kFlashLast;
  // More than the write buffer holds: those behind the first ones wait.
  std::vector<std::uint16_t> tags;
  const auto blocks = static_cast<std::uint32_t>(boot.user_lpages / boot.host_tags * 8);
  while (drive.has_tag()) tags.push_back(drive.submit(write_of(tags.size() * blocks, blocks)));
  while (drive.buffered() == 0) drive.step();
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_ABORT), tags.front()).dw0, 1U) << "under way";
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_ABORT)).dw0, 1U) << "there is none";
  std::uint64_t aborted = 0;
  for (const std::uint16_t tag : tags) {
    if (drive.run_admin(sqe_of(WL_ADMIN_ABORT), tag).dw0 == 0) ++aborted;
  }
  EXPECT_GE(aborted, tags.size() / 2);
  drive.drain();
  EXPECT_EQ(drive.errors[WL_STATUS_ABORTED], aborted);
  EXPECT_EQ(drive.errors.size(), 1U);
  read_everything(drive, boot);
}

/// Aborts at random among commands at random: each command ends once, aborted exactly if the firmware says so, and what
/// is read is what the others have left.
TEST_P(AbortTest, RandomAborts) {
  const wl_boot_info boot = boot_of(GetParam());
  std::uint64_t aborted = 0, refused = 0;
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kCoresFirst}) {
    Drive drive(boot, 9);
    drive.order = order;
    std::uint64_t said = 0;
    for (int i = 0; i < 2000; ++i) {
      while (!drive.has_tag()) drive.step();
      const std::uint64_t lba = drive.random() % (boot.user_lpages * 8 - 300);
      const auto blocks = static_cast<std::uint32_t>(1 + drive.random() % (i % 5 == 0 ? 300 : 30));
      const std::uint64_t kind = drive.random() % 8;
      const std::uint16_t tag = drive.submit(kind == 0  ? flush()
                                             : kind < 4 ? read_of(lba, blocks)
                                                        : write_of(lba, blocks, kind == 4));
      for (std::uint64_t steps = drive.random() % 40; steps != 0; --steps) drive.step();
      if (drive.random() % 3 != 0) continue;
      const std::uint16_t other = drive.random() % 2 == 0 ? tag : static_cast<std::uint16_t>(drive.random() % 16);
      if (drive.run_admin(sqe_of(WL_ADMIN_ABORT), other).dw0 == 0) {
        ++said;
      } else {
        ++refused;
      }
    }
    drive.drain();
    EXPECT_EQ(drive.errors[WL_STATUS_ABORTED], said);
    EXPECT_EQ(drive.errors.size(), 1U);
    aborted += said;
    read_everything(drive, boot);
    drive.settle();
    EXPECT_TRUE(drive.idle());
  }
  EXPECT_GT(aborted, 10U);
  EXPECT_GT(refused, 100U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AbortTest,
                         ::testing::Values(kSimple, Shape{"volatile_three_cores", 2, 3, 3, {0, 1, 2}, false, true}),
                         [](const auto& param) { return param.param.name; });

class FormatTest : public ::testing::TestWithParam<Shape> {};

/// Whatever was under way: nothing is mapped, no block holds anything, and the drive goes on as a new one.
TEST_P(FormatTest, LeavesNothing) {
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst}) {
    const wl_boot_info boot = boot_of(GetParam());
    Drive drive(boot, 12);
    drive.order = order;
    for (int round = 0; round < 3; ++round) {
      stress(drive, boot, kEverything, 2.0);
      const std::uint64_t erases = drive.statistics().blocks.superblock_erases;
      format(drive, boot);
      EXPECT_GT(drive.statistics().blocks.superblock_erases, erases);
      EXPECT_EQ(drive.buffered(), 0U);
      read_everything(drive, boot);
      drive.settle();
      expect_consistent(drive);
      EXPECT_TRUE(drive.idle());
    }
    EXPECT_TRUE(drive.errors.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FormatTest,
                         ::testing::Values(kSimple, Shape{"volatile_three_cores", 2, 3, 3, {0, 1, 2}, false, true}),
                         [](const auto& param) { return param.param.name; });

TEST(FormatTest, OfAnEmptyDriveEnds) {
  wl_boot_info boot = boot_of(kSimple);
  boot.preconditioned = 0;
  Drive drive(boot, 4);
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_FORMAT)).status, 0);
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_FORMAT)).status, 0);
  EXPECT_EQ(drive.statistics().free_superblocks, boot.blocks);
}

/// Namespace Management, delete: these logical pages.
wl_sqe removal_of(const wl_boot_info& boot, std::uint64_t first, std::uint64_t lpages) {
  wl_sqe sqe = sqe_of(WL_ADMIN_NAMESPACE, 1);
  const auto put = [&](std::uint32_t dw, std::uint64_t blocks) {
    sqe.dword[dw] = static_cast<std::uint32_t>(blocks);
    sqe.dword[dw + 1] = static_cast<std::uint32_t>(blocks >> 32);
  };
  put(WL_DW12, first << boot.ftl.lpage_shift);
  put(WL_DW14, lpages << boot.ftl.lpage_shift);
  return sqe;
}

/// What a deleted namespace held reads as zeros, and nothing else does, whatever is under way for others.
TEST_P(FormatTest, ANamespaceThatIsDeletedHoldsNothing) {
  for (const auto order : {Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst}) {
    const wl_boot_info boot = boot_of(GetParam());
    Drive drive(boot, 17);
    drive.order = order;
    const std::uint64_t first = boot.user_lpages / 4, lpages = boot.user_lpages / 2;
    const std::uint64_t end = first + lpages, lbas = 1ULL << boot.ftl.lpage_shift;
    for (int round = 0; round < 3; ++round) {
      stress(drive, boot, kEverything, 2.0);
      // Writes of neighbours, which are still in the buffer or on their way.
      for (std::uint64_t lpn = end; lpn < boot.user_lpages && drive.has_tag(); lpn += 3)
        drive.submit(write_of(lpn * lbas, static_cast<std::uint32_t>(lbas)));
      EXPECT_EQ(drive.run_admin(removal_of(boot, first, lpages)).status, 0);
      for (std::uint64_t lba = first * lbas; lba != end * lbas; ++lba) drive.begins_with(lba, 0);
      drive.drain();
      read_everything(drive, boot);
      drive.settle();
      expect_consistent(drive);
    }
    EXPECT_TRUE(drive.errors.empty());
  }
}

/// Goes on behind its command, and says in its log how far it is.
TEST(FormatTest, SanitizeIsFollowedByItsLog) {
  const wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 12);
  drive.order = Drive::Order::kFlashLast;
  const auto log = [&] {
    const DriveAdmin::Answer answer = drive.run_admin(sqe_of(WL_ADMIN_GET_LOG_PAGE, WL_LOG_SANITIZE));
    EXPECT_EQ(answer.status, 0);
    return Smart{answer.data};
  };
  stress(drive, boot, kEverything, 2.0);
  EXPECT_EQ(log().field(0, 2), 0xffffU);
  EXPECT_EQ(log().field(2, 2), 0U) << "never";
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_SANITIZE, 2)).status, 0);
  std::uint64_t progress = 0, steps = 0;
  while (!drive.admin().sanitized) {
    const Smart now = log();
    if ((now.field(2, 2) & 7) == 1) break;
    EXPECT_EQ(now.field(2, 2), 2U) << "in progress";
    EXPECT_EQ(now.field(4, 4), 2U);
    EXPECT_GE(now.field(0, 2), progress);
    EXPECT_LT(now.field(0, 2), 0xffffU);
    if (now.field(0, 2) != progress) ++steps;
    progress = now.field(0, 2);
  }
  EXPECT_GT(steps, 5U);
  EXPECT_EQ(told(drive), 1U);
  EXPECT_TRUE(drive.admin().sanitized);
  EXPECT_EQ(drive.admin().events.front(), 0x810106U);
  EXPECT_EQ(log().field(2, 2), 0x101U) << "done, and nothing written since";
  EXPECT_EQ(drive.nand().lpages_written(), 0U);
  ++drive.admin().counts[registers::nvme::write_commands];
  EXPECT_EQ(log().field(2, 2), 1U);
}

TEST(FormatTest, IsRefusedWhereItCouldNotEnd) {
  wl_boot_info boot = boot_of(kSimple);
  Drive drive(boot, 22);
  drive.nand().faults.program_fail = [&drive](const wl_flash_job&, std::uint32_t) { return drive.random() % 5 == 0; };
  for (std::uint64_t lpn = 0; drive.errors.empty(); lpn = (lpn + 7) % boot.user_lpages)
    (void)drive.run(write_of(lpn * 8, 8));
  EXPECT_EQ(drive.run_admin(sqe_of(WL_ADMIN_FORMAT)).status, WL_STATUS_WRITE_PROTECTED | WL_STATUS_DNR);
}

}  // namespace
}  // namespace wordline::testing::admin_test
