// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// While the host is silent: GC works for free superblocks, and ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing::idle_test {
namespace {

void be_silent(Drive& drive) {
  for (int i = 0; i < 3; ++i) {
    drive.pass(100);
    drive.settle();  // throws when the firmware does not come to rest
  }
}

/// A drive with as few superblocks to spare as `check` accepts, or a few more.
wl_boot_info tight(std::uint64_t seed, std::uint32_t policy) {
  auto draw = [&, n = std::uint64_t{0}](std::uint64_t below) mutable { return keyed_hash(seed, ++n) % below; };
  const auto planes = static_cast<std::uint32_t>(1 + draw(2));
  const std::uint32_t pages_per_program = draw(2) == 0 ? 1 : 3;
  wl_boot_info b = boot_of({"tight", planes, pages_per_program, 1, {0, 0, 0}, draw(2) == 0, draw(2) == 0});
  const wl_declared declared = wl_policy_declares(policy);
  b.ftl.policy = policy;
  b.gc_start_superblocks = static_cast<std::uint32_t>(2 + draw(3));
  b.gc_reserve_superblocks = static_cast<std::uint32_t>(2 + draw(b.gc_start_superblocks - 1));
  b.blocks = static_cast<std::uint32_t>(24 + draw(8));
  const std::uint32_t superblock = b.dies * b.pages * b.planes * b.lpages_per_page;
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  const std::uint32_t spare = b.gc_start_superblocks + declared.host_streams + declared.move_streams;
  b.user_lpages = static_cast<std::uint32_t>((b.blocks - spare - draw(3)) * superblock);
  b.write_slots = static_cast<std::uint32_t>((declared.host_streams + 1 + draw(3)) * unit);
  b.gc_slots = static_cast<std::uint32_t>((declared.move_streams + 1 + draw(3)) * unit);
  b.ftl.map_page = draw(3) == 0 ? b.lpages_per_page : 0;
  b.ftl.pages_apart = b.ftl.map_page == 0 && draw(2) == 0 ? 1 : 0;
  if (b.ftl.map_page == 0 && draw(3) == 0) b.engines |= WL_ENGINE_GC;
  b.ftl.idle_after_us = 100;
  b.ftl.idle_free_superblocks =
      static_cast<std::uint32_t>(b.gc_start_superblocks + 1 + draw(b.blocks - b.gc_start_superblocks));
  set_layers(b);
  return b;
}

/// More by hand: WORDLINE_SEEDS=10000.
std::uint64_t seeds() {
  const char* many = std::getenv("WORDLINE_SEEDS");
  return many != nullptr ? std::stoull(many) : 200;
}

TEST(IdleCollection, MovesNothingTwiceWhileTheHostIsSilent) {
  std::uint64_t collected = 0;
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    const auto policy = static_cast<std::uint32_t>(keyed_hash(seed, 0) % WL_POLICIES);
    if (wl_policy_declares(policy).small_pages) continue;
    const wl_boot_info boot = tight(seed, policy);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", policy " + std::to_string(policy));
    Drive drive(boot, seed);
    stress(drive, boot, seed % 2 == 0 ? kEverything : kWholeSectors, 1.0);
    drive.settle();
    for (int round = 0; round < 3; ++round) {
      const std::uint64_t before = drive.statistics().gc_superblocks;
      ASSERT_NO_THROW(be_silent(drive));
      const std::uint64_t superblocks = drive.statistics().gc_superblocks - before;
      EXPECT_LE(superblocks, boot.blocks) << "superblocks collected, " << drive.statistics().free_superblocks
                                          << " free of " << boot.ftl.idle_free_superblocks << " wanted";
      if (round > 0) {
        EXPECT_EQ(superblocks, 0U) << "nobody has written";
      }
      collected += superblocks;
      drive.run(read_of(0, 8));  // the host speaks, and is silent again
    }
    EXPECT_TRUE(drive.errors.empty());
    if (boot.ftl.map_page == 0) expect_consistent(drive);
  }
  EXPECT_GT(collected, 500U);
}

}  // namespace
}  // namespace wordline::testing::idle_test
