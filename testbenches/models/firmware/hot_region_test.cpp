// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands that overlap: reads, writes, deallocations of the same few sectors at once, writes whose data do not come.
// Each read finds, block by block, what was there or what is on its way; no slot is read while it changes.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing::hot_region_test {
namespace {

enum Kind { kSectors, kSectorsThrough, kApart, kPages, kPagesThrough, kInDie, kTwoSizes, kTwoSizesThrough, kServed };

struct Named {
  Kind kind;
  const char* name;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

wl_boot_info draw_boot(Kind kind, Drive& dice) {
  const auto draw = [&dice](std::uint64_t n) { return static_cast<std::uint32_t>(dice.random() % n); };
  const bool in_die = kind == kInDie, two = kind == kTwoSizes || kind == kTwoSizesThrough;
  const std::uint32_t cores = 1 + draw(3);
  const Shape shape{"",          in_die ? 1 : 1 + draw(2),      in_die ? 1 : 1 + 2 * draw(2),
                    cores,       {0, draw(cores), draw(cores)}, draw(2) != 0,
                    draw(2) != 0};
  wl_boot_info b = boot_of(shape);
  const std::uint32_t page = kind == kServed ? 2 : std::array{2U, 3U, 4U, 8U, 16U}.at(draw(5));
  if (in_die) {
    b.channels = b.dies = 1;
    b.pages = 16;
  }
  const std::uint32_t unit = b.planes * page * b.pages_per_program;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * page;
  b.lpages_per_page = page;
  if (two) {
    b.ftl.small = {8, b.pages, 1};
    b.blocks += b.ftl.small.blocks;
    b.ftl.policy = WL_POLICY_mpnfm;
    policy_keys(b).mpnfm = {1 + draw(8 * page), 1 + draw(2)};
    b.ftl.gc_pacing = 0;
  }
  b.user_lpages = 14 * superblock - 1;
  b.write_slots = (two ? 8 : 6) * unit + 1;
  b.read_slots = 8 * page + 16;
  b.gc_slots = 3 * unit;
  b.dram_bytes = b.tcm_bytes = 4 << 20;
  b.ftl.map_page = kind == kPages || kind == kPagesThrough || in_die || two ? page : 0;
  b.ftl.write_through = kind == kSectorsThrough || kind == kPagesThrough || kind == kTwoSizesThrough || in_die ? 1 : 0;
  b.ftl.modify_in_die = in_die ? 1 : 0;
  b.ftl.pages_apart = kind == kApart ? 1 : 0;
  if (kind == kServed) {
    b.engines |= WL_ENGINES_BUFFER | (draw(2) != 0 ? WL_ENGINES_FLASH : 0) | (draw(2) != 0 ? WL_ENGINE_GC : 0);
    b.engine_slots = (b.engines & WL_ENGINES_FLASH) == WL_ENGINES_FLASH ? 8 : 0;
  }
  return b;
}

class HotRegion : public ::testing::TestWithParam<Named> {};

TEST_P(HotRegion, ReadsFindOldOrNewBlocks) {
  const char* const more = std::getenv("WORDLINE_SEEDS");
  const std::uint64_t seeds = more != nullptr ? std::strtoull(more, nullptr, 10) : 24;
  std::uint64_t failed = 0, collected = 0, rewritten = 0, copies = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Drive dice(boot_of(kSimple), 5000 + seed);
    const wl_boot_info boot = draw_boot(GetParam().kind, dice);
    Drive drive(boot, seed);
    drive.order = std::array{Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst,
                             Drive::Order::kCoresFirst}
                      .at(dice.random() % 4);
    const std::uint64_t good = std::array{0U, 0U, 400U, 40U}.at(dice.random() % 4);
    drive.nand().faults.uncorrectable = [&drive, good](const wl_flash_job&, std::uint32_t) {
      return good != 0 && drive.random() % good == 0;
    };
    std::uint32_t failures = dice.random() % 4 == 0 ? 2 : 0;
    drive.nand().faults.program_fail = [&drive, &failures](const wl_flash_job&, std::uint32_t) {
      if (failures == 0 || drive.random() % 100 != 0) return false;
      --failures;
      return true;
    };
    for (int regions = 0; regions < 3; ++regions) stress_hot_region(drive, boot, 400);
    read_everything(drive, boot);
    EXPECT_EQ(drive.run(flush()), 0);
    drive.settle();
    EXPECT_TRUE(drive.idle());
    expect_nothing_held(drive);
    for (const auto& [status, count] : drive.errors) {
      const bool transfer = status == (WL_STATUS_TRANSFER_ERROR | WL_STATUS_DNR);
      // Write Zeroes of a part of a sector is refused.
      EXPECT_TRUE(transfer || status == WL_STATUS_INVALID_FIELD || (good != 0 && status == WL_STATUS_READ_ERROR))
          << status;
      if (transfer) failed += count;
    }
    collected += drive.statistics().gc_superblocks;
    rewritten += drive.statistics().rewritten_lpages;
    copies += drive.copies;
  }
  EXPECT_GT(failed, 10 * seeds);
  EXPECT_GT(collected, seeds);
  if (GetParam().kind == kInDie) return;  // no unit gathers data there
  EXPECT_GT(rewritten, seeds) << "nothing was changed in place";
  EXPECT_GT(copies, seeds) << "no slot that was read was copied";
}

INSTANTIATE_TEST_SUITE_P(Cases, HotRegion,
                         ::testing::Values(Named{kSectors, "sectors"}, Named{kSectorsThrough, "sectors_through"},
                                           Named{kApart, "apart"}, Named{kPages, "pages"},
                                           Named{kPagesThrough, "pages_through"}, Named{kInDie, "in_die"},
                                           Named{kTwoSizes, "two_sizes"}, Named{kTwoSizesThrough, "two_sizes_through"},
                                           Named{kServed, "served"}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace wordline::testing::hot_region_test
