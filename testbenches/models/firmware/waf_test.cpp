// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Write amplification of uniform random writes against the closed form of greedy collection, and drives as large as
// they come.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "drive.h"
#include "workload.h"

namespace wordline::testing {
namespace {

/// Greedy collection of lines of `b` sectors at utilisation `rho`, in the limit of many lines: the valid count of a
/// victim takes two successive values around v (Bux and Iliadis, 10.1016/j.peva.2010.07.003); v solves
/// rho b / (b - v) * (sum over i = j+1..b of 1/i + (1 - q) / j) = 1 with j = floor(v) + 1, q = v - j + 1.
double greedy_waf(double rho, int b) {
  const auto excess = [&](double v) {
    const int j = static_cast<int>(std::floor(v)) + 1;
    const double q = v - j + 1;
    double sum = (1 - q) / j;
    for (int i = j + 1; i <= b; ++i) sum += 1.0 / i;
    return rho * b / (b - v) * sum - 1;
  };
  double low = 0, high = b - 1e-6;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return b / (b - low);
}

TEST(WriteAmplification, ClosedFormGivesItsKnownValues) {
  EXPECT_NEAR(greedy_waf(1 / 1.07, 64), 7.010, 0.01);
  EXPECT_NEAR(greedy_waf(1 / 1.28, 64), 2.403, 0.005);
  EXPECT_NEAR(greedy_waf(1 / 1.28, 128), 2.441, 0.005);
}

TEST(WriteAmplification, MatchesTheClosedFormOfGreedyCollection) {
  wl_boot_info boot = boot_of({"waf", 1, 1, 1, {0, 0, 0}, true, true});
  boot.blocks = 300;
  boot.pages = 8;
  const std::uint32_t line = 4 * 8 * 2;  // 64 sectors
  boot.user_sectors = 230 * line;
  boot.dram_bytes = 4 << 20;
  Drive drive(boot, 41);
  const auto write_drive = [&](double times) {
    const auto commands = static_cast<std::uint64_t>(times * boot.user_sectors);
    for (std::uint64_t i = 0; i < commands; ++i) {
      while (!drive.has_tag()) drive.step();
      drive.submit(write_of(drive.random() % boot.user_sectors * 8, 8));
    }
    drive.settle();
  };
  write_drive(6);
  const struct wl_firmware_statistics warm = drive.statistics();
  write_drive(4);
  const struct wl_firmware_statistics& s = drive.statistics();
  const auto host = static_cast<double>(s.host_sectors_written - warm.host_sectors_written);
  const double waf = (host + static_cast<double>(s.gc_sectors_copied - warm.gc_sectors_copied)) / host;
  // Lines that hold data: without the reserve, down to which pacing lets the host go, two open ones, and one being
  // erased or refilled.
  const double closed = boot.blocks - boot.gc_reserve_lines - 3.0;
  EXPECT_NEAR(waf / greedy_waf(boot.user_sectors / (closed * line), static_cast<int>(line)), 1.0, 0.05) << waf;
}

struct Freer {
  void operator()(void* p) const { std::free(p); }
};

/// Boots with registers that go nowhere; memories are zero pages until touched.
int boot_line(const wl_boot_info& boot) {
  const std::unique_ptr<void, Freer> tcm(std::calloc(boot.tcm_bytes, 1));
  const std::unique_ptr<void, Freer> dram(std::calloc(boot.dram_bytes, 1));
  *static_cast<wl_boot_info*>(tcm.get()) = boot;
  struct Panic {
    std::uint32_t line;
  };
  wl_hal hal{};
  hal.write32 = [](void*, std::uint32_t, std::uint32_t) {};
  hal.read32 = [](void*, std::uint32_t) -> std::uint32_t { return 0; };
  hal.task = [](void*, std::uint32_t) {};
  hal.mark = [](void*, std::uint32_t, std::uint32_t) {};
  hal.panic = [](void*, const char*, std::uint32_t line) { throw Panic{line}; };
  hal.tcm = static_cast<std::uint8_t*>(tcm.get());
  hal.dram = static_cast<std::uint8_t*>(dram.get());
  try {
    return wl_firmware_statistics(wl_firmware_boot(&hal))->free_lines > 0 ? 0 : -1;
  } catch (const Panic& panic) {
    return static_cast<int>(panic.line);
  }
}

/// 1 TB: 32 dies of 4 planes, 683 blocks, 768 pages of 16 KiB; buffers and tags of the default configuration.
wl_boot_info terabyte(std::uint32_t dies, std::uint32_t blocks) {
  wl_boot_info b = boot_of({"terabyte", 4, 3, 3, {0, 1, 2}, true, true});
  b.channels = 8;
  b.dies = dies;
  b.blocks = blocks;
  b.pages = 768;
  b.sectors_per_page = 4;
  b.user_sectors = static_cast<std::uint32_t>(std::uint64_t{dies} * blocks * 768 * 16 / 107 * 100);
  b.write_slots = 4096;
  b.read_slots = 4096;
  b.gc_slots = 1024;
  b.host_tags = 1024;
  b.dram_bytes = WL_DRAM_SIZE - 4096;
  b.tcm_bytes = WL_TCM_SIZE;
  return b;
}

TEST(Boot, ATerabyteFitsItsMemories) {
  EXPECT_EQ(boot_line(terabyte(32, 640)), 0);
  EXPECT_EQ(boot_line(terabyte(256, 80)), 0);
  wl_boot_info many = terabyte(1024, 20 + 40);
  many.pages = 96;
  many.channels = 64;
  many.user_sectors /= 10;
  EXPECT_EQ(boot_line(many), 0);
}

TEST(Boot, RefusesWhatDoesNotFit) {
  EXPECT_GT(boot_line(terabyte(32, 2000)), 0);  // the map is larger than the memory
  wl_boot_info full = terabyte(32, 640);
  full.user_sectors = full.dies * full.blocks * 768 * 16;  // no over-provisioning
  EXPECT_GT(boot_line(full), 0);
  wl_boot_info tags = terabyte(32, 640);
  tags.host_tags = 16384;
  EXPECT_GT(boot_line(tags), 0);
  wl_boot_info buffer = terabyte(32, 640);
  buffer.write_slots = 60;
  EXPECT_GT(boot_line(buffer), 0);
}

}  // namespace
}  // namespace wordline::testing
