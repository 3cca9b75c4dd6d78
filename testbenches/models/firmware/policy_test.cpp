// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every row of the table of policies: drives that keep their data, victims that are worth collecting. And the memory
// that the firmware says it needs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::policy_test {
namespace {

const char* const kNames[] = {
#define WL_POLICY(identifier, name, text) #identifier,
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
};

class Policies : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static wl_boot_info boot() {
    wl_boot_info info = boot_of({"policy", 1, 1, 1, {0, 0, 0}, true, true});
    info.ftl.policy = GetParam();
    make_room(info);
    return info;
  }
};

TEST_P(Policies, KeepEverythingOverThreeOverwrites) {
  Drive drive(boot(), 17);
  stress(drive, boot(), kWholeSectors, 3.0);
  read_everything(drive, boot());
  drive.settle();
  EXPECT_GT(drive.statistics().gc_superblocks, 0U);
  expect_consistent(drive);
}

// Natively and as RISC-V image, with as little and as much hardware as the policy can live with.
template <class Body>
void on_both_cores_with_and_without_engines(std::uint32_t policy, wl_boot_info info, Body&& body) {
  const std::uint32_t always = WL_ENGINE_PARSE | WL_ENGINE_RETRY;  // the test's controller parses
  // Of those that the test's hardware has; testbenches/system/policies_test.py runs all of them.
  const std::uint32_t all = WL_ENGINES_FLASH | WL_ENGINES_BUFFER | WL_ENGINE_GC;
  for (const std::uint32_t engines : {always, always | (all & ~wl_policy_declares(policy).refused)}) {
    info.engines = engines;
    info.engine_slots = (engines & WL_ENGINES_FLASH) == WL_ENGINES_FLASH ? 8 : 0;
    for (const char* image : {"", WORDLINE_FIRMWARE_IMAGE}) {
      SCOPED_TRACE(::testing::Message() << "engines " << engines << ", image " << image);
      wl_boot_info boot = info;
      if (image[0] != 0) boot.tcm_bytes = WL_TCM_SIZE;
      Drive drive(boot, 19, image);
      body(drive, boot);
      read_everything(drive, boot);
      EXPECT_TRUE(drive.errors.empty());
    }
  }
}

TEST_P(Policies, KeepEverythingOnBothCoresWithAndWithoutEngines) {
  on_both_cores_with_and_without_engines(GetParam(), boot(), [](Drive& drive, const wl_boot_info& boot) {
    stress(drive, boot, kWholeSectors, 2.0);
    EXPECT_GT(drive.statistics().gc_superblocks, 0U);
  });
}

// Whatever the policy knows of data, of superblocks and of what is open.
TEST_P(Policies, GoOnBehindAFormatOnBothCoresWithAndWithoutEngines) {
  on_both_cores_with_and_without_engines(GetParam(), boot(), [](Drive& drive, const wl_boot_info& boot) {
    for (int round = 0; round < 2; ++round) {
      stress(drive, boot, kEverything, 1.5);
      format(drive, boot);
    }
    stress(drive, boot, kEverything, 2.0);
  });
}

TEST_P(Policies, NameAVictimThatIsClosedAndFreesSomething) {
  Drive drive(boot(), 18);
  wl_hal hal{};
  hal.task = [](void*, std::uint32_t) {};
  for (int round = 0; round < 20; ++round) {
    stress(drive, boot(), kWholeSectors, 0.2);
    drive.settle();
    wl_firmware& fw = const_cast<wl_firmware&>(drive.firmware());
    const std::uint32_t superblock = wl_policy_of(GetParam())->victim(&fw, &hal);
    bool any = false;
    for (std::uint32_t l = 0; l < rooms(fw).space.superblocks; ++l)
      any = any || (rooms(fw).space.superblock[l].state == WL_SUPERBLOCK_CLOSED &&
                    rooms(fw).space.superblock[l].valid < fw.geometry.superblock_lpages);
    ASSERT_EQ(superblock != WL_NONE, any);
    if (!any) continue;
    EXPECT_EQ(rooms(fw).space.superblock[superblock].state, WL_SUPERBLOCK_CLOSED);
    EXPECT_LT(rooms(fw).space.superblock[superblock].valid, fw.geometry.superblock_lpages);
    EXPECT_EQ(wl_policy_of(GetParam())->victim(&fw, &hal), superblock)
        << "asked again, the same drive gives another answer";
  }
}

/// Those of drives with one page size; mpnfm_test.cpp has the other.
std::vector<std::uint32_t> of_one_page_size() {
  std::vector<std::uint32_t> policies;
  for (std::uint32_t p = 0; p != WL_POLICIES; ++p)
    if (!wl_policy_declares(p).small_pages) policies.push_back(p);
  return policies;
}

INSTANTIATE_TEST_SUITE_P(Table, Policies, ::testing::ValuesIn(of_one_page_size()),
                         [](const auto& param) { return std::string(kNames[param.param]); });

TEST(PolicyTable, EndsWhereItSays) {
  EXPECT_EQ(wl_policy_of(WL_POLICIES), nullptr);
  EXPECT_EQ(std::size(kNames), std::size_t{WL_POLICIES});
}

/// The policy is asked for a victim on a drive whose superblocks are set by hand; nothing runs.
struct Superblocks {
  explicit Superblocks(std::uint32_t policy) : Superblocks(info(policy)) {}
  explicit Superblocks(const wl_boot_info& boot) : drive(boot, 1), fw(const_cast<wl_firmware&>(drive.firmware())) {
    hal.task = [](void*, std::uint32_t) {};
  }
  static wl_boot_info info(std::uint32_t policy) {
    wl_boot_info b = boot_of({"superblocks", 1, 1, 1, {0, 0, 0}, true, true});
    b.ftl.policy = policy;
    return b;
  }
  /// Writes the first sectors of a filled superblock again, so that `valid` of it remain.
  void leave(std::uint32_t superblock, std::uint32_t valid) {
    const std::uint32_t first = superblock * fw.geometry.superblock_lpages;
    for (std::uint32_t i = 0; i + valid < fw.geometry.superblock_lpages; ++i) drive.run(write_of((first + i) * 8, 8));
    drive.settle();
  }
  std::uint32_t victim() { return fw.policy->victim(&fw, &hal); }
  Drive drive;
  wl_firmware& fw;
  wl_hal hal{};
};

TEST(PolicyTable, SuperblocksWithoutStaleDataAreNoVictims) {
  for (const std::uint32_t policy : of_one_page_size()) {
    wl_boot_info boot = Superblocks::info(policy);
    make_room(boot);
    const std::uint32_t superblock = Superblocks(boot).fw.geometry.superblock_lpages;
    boot.user_lpages -= boot.user_lpages % superblock;  // or the last superblock with data is not full
    Superblocks superblocks(boot);
    EXPECT_EQ(superblocks.victim(), std::uint32_t{WL_NONE})
        << kNames[policy] << ": all superblocks are full of valid data";
    superblocks.leave(0, superblock - 1);
    EXPECT_EQ(superblocks.victim(), 0U) << kNames[policy];
  }
}

TEST(PolicyTable, TheListByAgeLosesItsYoungest) {
  Superblocks superblocks(WL_POLICY_page_fifo);
  const wl_by_age& age = rooms(superblocks.fw).space.region[0].by_age;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t youngest = age.youngest, before = age.older[youngest];
    wl_superblock_take(&superblocks.fw, youngest);
    EXPECT_EQ(age.youngest, before);
    EXPECT_EQ(age.younger[before], std::uint32_t{WL_NONE});
  }
}

// What is overwritten in a superblock that is never erased again gains nothing.
TEST(PolicyTable, StaleDataOfABadSuperblockDoNotCount) {
  for (const bool bad : {false, true}) {
    Superblocks superblocks(WL_POLICY_page_greedy);
    rooms(superblocks.fw).space.superblock[0].bad = bad ? 1 : 0;
    const std::uint64_t before = rooms(superblocks.fw).space.region[0].stale_lpages;
    superblocks.drive.run(write_of(0, 8));
    superblocks.drive.settle();
    EXPECT_EQ(rooms(superblocks.fw).space.superblock[0].valid, superblocks.fw.geometry.superblock_lpages - 1);
    EXPECT_EQ(rooms(superblocks.fw).space.region[0].stale_lpages, before + (bad ? 0 : 1));
  }
}

TEST(CostBenefit, TakesTheOlderOfTwoThatAreNearlyAsEmpty) {
  Superblocks greedy(WL_POLICY_page_greedy), weighed(WL_POLICY_page_cost_benefit);
  const std::uint32_t lpages = greedy.fw.geometry.superblock_lpages;
  for (Superblocks* superblocks : {&greedy, &weighed}) {
    superblocks->leave(0, lpages / 4 + 1);
    superblocks->leave(1, lpages / 4);
    rooms(superblocks->fw).space.closings.count = 100;
    rooms(superblocks->fw).space.superblock[0].closed_at = 0;
    rooms(superblocks->fw).space.superblock[1].closed_at = 90;
  }
  EXPECT_EQ(greedy.victim(), 1U);
  EXPECT_EQ(weighed.victim(), 0U) << "ten times as old, and one valid sector more";
  rooms(weighed.fw).space.superblock[0].closed_at = 90;
  EXPECT_EQ(weighed.victim(), 1U) << "as old";
}

struct Freer {
  void operator()(void* p) const { std::free(p); }
};
struct Panic {};

bool boots(const wl_boot_info& boot) {
  const std::unique_ptr<void, Freer> tcm(std::calloc(boot.tcm_bytes, 1)), dram(std::calloc(boot.dram_bytes, 1));
  *static_cast<wl_boot_info*>(tcm.get()) = boot;
  wl_hal hal{};
  hal.write32 = [](void*, std::uint32_t, std::uint32_t) {};
  hal.read32 = [](void*, std::uint32_t) -> std::uint32_t { return 0; };
  hal.task = [](void*, std::uint32_t) {};
  hal.mark = [](void*, std::uint32_t, std::uint32_t) {};
  hal.panic = [](void*, const char*, std::uint32_t) { throw Panic{}; };
  hal.tcm = static_cast<std::uint8_t*>(tcm.get());
  hal.dram = static_cast<std::uint8_t*>(dram.get());
  try {
    (void)wl_firmware_boot(&hal);
    return true;
  } catch (const Panic&) {
    return false;
  }
}

// Whatever is counted without memory is what a boot hands out: a byte less does not boot.
TEST(MemoryNeeded, IsTight) {
  for (const std::uint32_t engines : {0U, static_cast<std::uint32_t>(WL_ENGINE_PARSE), 0x3ffU}) {
    wl_boot_info boot = boot_of({"memory", 2, 3, 2, {0, 1, 0}, true, true});
    boot.engines = engines;
    boot.layers.count = 4;
    boot.layers.pages = 3;
    const wl_memory needed = wl_memory_needed(&boot);
    boot.dram_bytes = static_cast<std::uint32_t>(needed.dram);
    EXPECT_TRUE(boots(boot)) << engines;
    --boot.dram_bytes;
    EXPECT_FALSE(boots(boot)) << engines;
    ++boot.dram_bytes;
    boot.tcm_bytes = static_cast<std::uint32_t>(needed.tcm);
    ASSERT_EQ(wl_memory_needed(&boot).tcm, needed.tcm) << "fewer flash jobs fit";
    EXPECT_TRUE(boots(boot)) << engines;
    --boot.tcm_bytes;
    EXPECT_FALSE(boots(boot)) << engines;
  }
}

}  // namespace
}  // namespace wordline::testing::policy_test
