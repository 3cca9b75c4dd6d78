// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "drive.h"
#include "models/firmware/policy/keys.h"

/// Small drives, random commands and checks of the firmware's own books, for its tests.
namespace wordline::testing {

struct Shape {
  const char* name;
  std::uint32_t planes, pages_per_program, cores;
  std::array<std::uint32_t, 3> task_core;
  bool power_safe, preconditioned;
};

inline void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

/// Words of the keys of policies, which the boot information does not know by name.
inline struct wl_policy_keys& policy_keys(wl_boot_info& boot) {
  return *reinterpret_cast<struct wl_policy_keys*>(boot.ftl.policy_words);
}
inline const struct wl_policy_keys& policy_keys(const wl_boot_info& boot) { return *wl_policy_keys(&boot); }

/// 4 dies on 2 channels, 24 superblocks of which 16 are exported.
inline wl_boot_info boot_of(const Shape& shape) {
  wl_boot_info b{};
  b.magic = WL_BOOT_MAGIC;
  b.cores = shape.cores;
  for (std::size_t i = 0; i < 3; ++i) b.task_core[i] = shape.task_core[i];
  b.channels = 2;
  b.dies = 4;
  b.planes = shape.planes;
  b.blocks = 24;
  b.pages = 4 * shape.pages_per_program;
  b.ftl.lpage_shift = 3;
  b.lpages_per_page = 2;
  b.pages_per_program = shape.pages_per_program;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * b.lpages_per_page;
  b.user_lpages = 16 * superblock - 5;
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  b.write_slots = 6 * unit + 1;
  b.read_slots = 24;
  b.gc_slots = 3 * unit;
  b.host_tags = 16;
  b.gc_start_superblocks = 4;
  b.gc_reserve_superblocks = 2;
  b.ftl.gc_pacing = 1;
  b.ftl.pace = {32, 128};
  policy_keys(b).agcr = {240, 135, 2, WL_AGCR_BY_HISTORY, {0, 0, 0}, WL_AGCR_DEFAULT, WL_AGCR_REWRITE_NONE, 1, 0};
  b.power_safe = shape.power_safe ? 1 : 0;
  b.preconditioned = shape.preconditioned ? 1 : 0;
  b.engines = WL_ENGINE_PARSE | WL_ENGINE_RETRY;
  b.ftl.health = {30, 100, 310};
  b.dram_bytes = 1 << 20;
  b.tcm_bytes = 1 << 20;
  return b;
}

/// Layers of a program unit, and lists for what is written to a quarter of the sectors each.
inline void set_layers(wl_boot_info& b) {
  b.layers.count = b.pages / b.pages_per_program;
  b.layers.pages = b.pages_per_program;
  const std::uint32_t units = b.user_lpages / std::max(1U, b.ftl.map_page);
  policy_keys(b).ppb = {2, 1, 2, units / 4, units / 4, 0, 128, 4, 1000};
}

/// Map pages are on flash (ftl.map_cache): a frame for less than half of the map pages.
inline wl_boot_info cached_boot(const Shape& shape) {
  wl_boot_info b = boot_of(shape);
  const std::uint32_t superblock = b.dies * b.pages * b.planes * b.lpages_per_page;
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  b.ftl.map_frames = std::max(8U, 2 * unit);
  b.user_lpages = 5 * b.ftl.map_frames / 2 * 1024 - 5;
  b.blocks = b.user_lpages / superblock * 5 / 4 + 12;
  b.gc_slots = 5 * unit + (WL_MAP_LOADS + unit - 1) / unit * unit;
  b.dram_bytes = 4 << 20;
  return b;
}

/// Superblocks and units for the streams of the policy, beside those that boot_of has.
inline void make_room(wl_boot_info& b) {
  const wl_declared declared = wl_policy_declares(b.ftl.policy);
  const std::uint32_t unit = b.planes * b.lpages_per_page * b.pages_per_program;
  const std::uint32_t streams = declared.host_streams + declared.move_streams;
  b.blocks += streams > 4 ? streams - 4 : 0;
  b.gc_slots = std::max(b.gc_slots, (declared.move_streams + 2) * unit);
  set_layers(b);
}

inline constexpr Shape kSimple{"simple", 1, 1, 1, {0, 0, 0}, true, true};

inline Command read_of(std::uint64_t slba, std::uint32_t blocks) { return {WL_OP_READ, slba, blocks, false, {}}; }
inline Command write_of(std::uint64_t slba, std::uint32_t blocks, bool fua = false) {
  return {WL_OP_WRITE, slba, blocks, fua, {}};
}
inline Command flush() { return {WL_OP_FLUSH, 0, 0, false, {}}; }

inline void read_everything(Drive& drive, const wl_boot_info& boot) {
  for (std::uint64_t lba = 0; lba < boot.user_lpages * 8ull; lba += 64) {
    while (!drive.has_tag()) drive.step();
    drive.submit(read_of(lba, static_cast<std::uint32_t>(std::min<std::uint64_t>(64, boot.user_lpages * 8ull - lba))));
  }
  drive.drain();
}

/// Format NVM of a drive without commands under way: nothing is left of what it held.
inline void format(Drive& drive, const wl_boot_info& boot) {
  wl_sqe sqe{};
  sqe.dword[0] = WL_ADMIN_FORMAT;
  EXPECT_EQ(drive.run_admin(sqe).status, 0);
  EXPECT_EQ(drive.nand().lpages_written(), 0u);
  EXPECT_EQ(drive.statistics().free_superblocks, boot.blocks);
  for (std::uint64_t lba = 0; lba < boot.user_lpages * 8ull; ++lba) drive.begins_with(lba, 0);
}

enum Mix { kWholeSectors, kEverything };

/// Random commands until `overwrites` times the exported sectors were written.
inline void stress(Drive& drive, const wl_boot_info& boot, Mix mix, double overwrites) {
  const std::uint64_t blocks = boot.user_lpages * 8ull;
  std::uint64_t written = 0;
  const auto random_range = [&](bool whole) {
    const std::uint64_t kind = drive.random() % 8;
    std::uint64_t length = kind == 0 ? 1 + drive.random() % 400 : 1 + drive.random() % 24;
    // Half of the commands fall on a few sectors, so that they meet.
    std::uint64_t start = drive.random() % 2 != 0 ? drive.random() % 96 : drive.random() % blocks;
    if (whole) {
      start = start / 8 * 8;
      length = (length + 7) / 8 * 8;
    }
    length = std::min(length, blocks - start);
    return std::pair<std::uint64_t, std::uint32_t>(start, static_cast<std::uint32_t>(length));
  };
  while (static_cast<double>(written) < overwrites * static_cast<double>(blocks)) {
    // Phases of little and of much in flight.
    const std::size_t depth = drive.random() % 64 == 0 ? 1 : boot.host_tags;
    while (!drive.has_tag() || drive.in_flight() >= depth) drive.step();
    const std::uint64_t what = drive.random() % 100;
    const bool whole = mix == kWholeSectors;
    if (what < 50) {
      const auto [start, length] = random_range(whole);
      drive.submit(write_of(start, length, !whole && what < 5));
      written += length;
    } else if (what < 90 || whole) {
      const auto [start, length] = random_range(false);
      drive.submit(read_of(start, length));
    } else if (what < 94) {
      Command c{WL_OP_DEALLOCATE, 0, 0, false, {}};
      for (std::uint64_t n = 1 + drive.random() % 3, at = 0; n != 0; --n) {
        // Ranges of one command must not overlap for the oracle.
        const std::uint64_t start = at + drive.random() % (blocks / 4);
        const std::uint64_t length = std::min<std::uint64_t>(1 + drive.random() % 100, blocks - start);
        if (start >= blocks) break;
        c.ranges.emplace_back(start, static_cast<std::uint32_t>(length));
        at = start + length;
      }
      drive.submit(c);
    } else if (what < 96) {
      const auto [start, length] = random_range(false);
      drive.submit({WL_OP_WRITE_ZEROES, start, length, false, {}});
    } else {
      drive.submit(flush());
    }
    for (std::uint64_t n = drive.random() % 8; n != 0; --n) drive.step();
  }
  drive.drain();
}

/// `commands` of all kinds to a few sectors, as many in flight as there are tags, so that most of them overlap with
/// others; the host has no memory for some of the data of one write in sixteen.
inline void stress_hot_region(Drive& drive, const wl_boot_info& boot, std::uint32_t commands) {
  const std::uint64_t blocks = boot.user_lpages * 8ull;
  const std::uint64_t size = 8 + drive.random() % 160;
  const std::uint64_t base = drive.random() % 4 == 0 ? blocks - size : drive.random() % (blocks - size);
  for (std::uint32_t n = 0; n < commands; ++n) {
    while (!drive.has_tag()) drive.step();
    const std::uint64_t start = drive.random() % size;
    const auto length = static_cast<std::uint32_t>(1 + drive.random() % std::min<std::uint64_t>(size - start, 40));
    const std::uint64_t what = drive.random() % 100;
    if (what < 45) {
      Command c = write_of(base + start, length, what < 4);
      if (drive.random() % 16 == 0) c.gone_from = static_cast<std::uint32_t>(drive.random() % length);
      drive.submit(c);
    } else if (what < 90) {
      drive.submit(read_of(base + start, length));
    } else if (what < 94) {
      drive.submit({WL_OP_DEALLOCATE, 0, 0, false, {{base + start, length}}});
    } else if (what < 96) {
      drive.submit({WL_OP_WRITE_ZEROES, base + start, length, false, {}});
    } else if (what < 98) {
      drive.submit(flush());
    } else { /* what is elsewhere keeps the write buffer and GC going */
      const std::uint64_t at = drive.random() % (blocks - 64);
      drive.submit(write_of(at, 64));
    }
    for (std::uint64_t k = drive.random() % 4; k != 0; --k) drive.step();
  }
  drive.drain();
}

/// Nobody holds anything.
inline void expect_nothing_held(const Drive& drive) {
  const wl_firmware& fw = drive.firmware();
  for (std::uint32_t i = 0; i < WL_HAZARDS; ++i) {
    EXPECT_EQ(rooms(fw).map.writers[i], 0);
    EXPECT_EQ(rooms(fw).map.locks[i], 0);
  }
  for (std::uint32_t u = 0; u < rooms(fw).buffer.host_units; ++u) {
    EXPECT_EQ(rooms(fw).buffer.units[u].readers, 0) << "unit " << u;
    EXPECT_EQ(rooms(fw).buffer.units[u].pending, 0) << "unit " << u;
  }
  for (std::uint32_t s = 0; s < rooms(fw).space.superblocks; ++s)
    EXPECT_EQ(rooms(fw).space.superblock[s].reads, 0u) << s;
}

inline void expect_consistent(const Drive& drive) {
  const wl_firmware& fw = drive.firmware();
  std::vector<std::uint32_t> valid(rooms(fw).space.superblocks, 0);
  for (std::uint32_t lpn = 0; lpn < wl_boot_stored_lpages(&fw.boot); ++lpn) {
    const std::uint32_t value = wl_map_resolve(rooms(fw).map.l2p[lpn], lpn, fw.boot.preconditioned);
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    const std::uint32_t ppa = value - WL_MAP_PPA0;
    ++valid.at(ppa / fw.geometry.superblock_lpages);
    const std::uint32_t owner = rooms(fw).map.p2l[ppa];
    if (rooms(fw).map.l2p[lpn] != WL_MAP_INITIAL) {
      EXPECT_EQ(owner, lpn + 1);
    }
  }
  std::uint32_t free = 0;
  for (std::uint32_t superblock = 0; superblock < rooms(fw).space.superblocks; ++superblock) {
    EXPECT_EQ(rooms(fw).space.superblock[superblock].reads, 0u) << "superblock " << superblock;
    if (rooms(fw).space.superblock[superblock].state == WL_SUPERBLOCK_FREE) ++free;
    EXPECT_EQ(rooms(fw).space.superblock[superblock].valid, valid[superblock])
        << "superblock " << superblock << " state " << int(rooms(fw).space.superblock[superblock].state);
  }
  EXPECT_EQ(free, fw.statistics.free_superblocks);
  for (std::uint32_t i = 0; i < WL_HAZARDS; ++i) {
    EXPECT_EQ(rooms(fw).map.writers[i], 0);
    EXPECT_EQ(rooms(fw).map.locks[i], 0);
  }
}

}  // namespace wordline::testing
