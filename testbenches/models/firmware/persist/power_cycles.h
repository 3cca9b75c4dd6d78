// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives whose firmware runs natively, is cut off at any instant and switched on again, without time, dies in any
// order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../cube_drive.h"
#include "../drive.h"
#include "../mpnfm_boot.h"
#include "../workload.h"

extern "C" {
#include "models/firmware/buffer/state.h"
#include "models/firmware/contract/checkpoint.h"
#include "models/firmware/map/cache_state.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/policy/policies.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
}

namespace wordline::testing::power_cycle_test {

inline constexpr Shape kOnePage{"one_page", 1, 1, 1, {0, 0, 0}, false, false};
inline constexpr Shape kTwoPlanes{"two_planes", 2, 1, 1, {0, 0, 0}, false, false};
inline constexpr Shape kWordLines{"word_lines", 2, 3, 3, {0, 1, 2}, false, false};

/// `programs`: of a word line.
inline wl_boot_info mounting_boot(const Shape& shape = kOnePage, std::uint32_t programs = 1) {
  wl_boot_info boot = boot_of(shape);
  boot.ftl.recovery = 1;
  boot.ftl.word_line_programs = static_cast<std::uint16_t>(programs);
  if (programs == 1) return boot;
  boot.ftl.word_line_order = WL_ORDER_WHOLE;
  boot.pages = 2 * programs;
  const std::uint32_t unit = boot.planes * boot.lpages_per_page;
  boot.user_lpages = 16 * boot.dies * boot.pages * unit - 5;
  boot.write_slots = 2 * programs * unit + 1;
  boot.gc_slots = (2 * programs + 1) * unit;  // one unit for closing records
  return boot;
}

/// ... with two page sizes: `large` logical pages, and one.
inline wl_boot_info mounting_two_sizes(const Shape& shape, std::uint32_t large) {
  wl_boot_info boot = two_sizes(shape, large);
  const std::uint32_t unit = boot.planes * large * boot.pages_per_program;
  boot.ftl.recovery = 1;
  boot.ftl.word_line_programs = 1;
  boot.power_safe = 0;
  boot.gc_slots = 4 * unit;  // one unit for closing records
  return boot;
}

/// ... that leaves a checkpoint after each `superblocks` closed.
inline wl_boot_info with_checkpoints(wl_boot_info boot, std::uint32_t superblocks) {
  boot.ftl.checkpoint_after = static_cast<std::uint16_t>(superblocks);
  boot.blocks += WL_CHECKPOINT_SUPERBLOCKS;
  return boot;
}

/// ... with frames for less than half of the map pages.
inline wl_boot_info mounting_cached(const Shape& shape) {
  wl_boot_info boot = cached_boot(shape);
  const std::uint32_t unit = boot.planes * boot.lpages_per_page * boot.pages_per_program;
  boot.ftl.recovery = 1;
  boot.ftl.word_line_programs = 1;
  boot.power_safe = 0;
  boot.gc_slots += unit;  // for closing records
  return boot;
}

/// ... with map units of `lpages` logical pages, whose map may lie behind the MAP port.
inline wl_boot_info mounting_units(const Shape& shape, std::uint32_t lpages, bool port, std::uint32_t programs = 1) {
  wl_boot_info boot = mounting_boot(shape, programs);
  boot.magic = port ? WL_BOOT_MAGIC_PORT : WL_BOOT_MAGIC;
  boot.lpages_per_page = std::max(2U, lpages / boot.planes);
  const std::uint32_t unit = boot.planes * boot.lpages_per_page * boot.pages_per_program;
  boot.user_lpages = 16 * boot.dies * boot.pages * boot.planes * boot.lpages_per_page - (lpages > 1 ? 1 : 5);
  boot.write_slots = (2 * programs + 4) * unit + 1;
  boot.read_slots = std::max<std::uint32_t>(24, 8 * boot.lpages_per_page);
  boot.gc_slots = (2 * programs + 2) * unit;  // one unit for closing records
  boot.dram_bytes = boot.tcm_bytes = 4 << 20;
  boot.ftl.map_page = lpages;
  boot.power_safe = 0;
  return boot;
}

/// A drive in several lives.
class PowerCycles {
 public:
  PowerCycles(const wl_boot_info& boot, std::uint64_t seed)
      : boot_(boot), seed_(seed), held_(std::uint64_t{boot.user_lpages} * 8) {
    memory.erases.resize(boot.blocks);
    memory.bad.resize(boot.blocks);
    promise_what_is_held();
    switch_on();
  }

  /// Writes on, is cut, and comes back: some mounts are cut, too. Empty, or what is wrong.
  std::string cycle(std::uint32_t commands) try {
    work(random() % 4 == 0 ? static_cast<std::uint32_t>(random() % 12) : commands);
    if (random() % 3 == 0) {
      const std::string problem = shut_down();
      if (!problem.empty()) return problem;
    } else {
      for (std::uint64_t n = random() % 30; n != 0; --n) drive_->step();
    }
    cut();
    while (random() % 3 == 0) {
      const std::uint64_t steps = random() % 2 == 0 ? random() % 4000 : random() % 300;
      begun_ = begun_ || steps != 0;
      for (std::uint64_t n = 0; n != steps && !drive_->mounted(); ++n) drive_->step();
      if (drive_->mounted()) break;
      ++cuts_in_mount;
      cut();
    }
    return mount();
  } catch (const std::exception& error) {
    return error.what();
  }
  std::string mount() {
    std::unique_ptr<Drive> by_pages = draws_ % 4 == 0 ? drive_without_records() : nullptr;
    for (Drive* drive : {drive_.get(), by_pages.get()})
      for (std::uint64_t steps = 0; drive != nullptr && !drive->mounted(); ++steps) {
        if (steps > 2'000'000) return "dead: no mount";
        drive->step();
      }
    expect_consistent_books();
    moved_in_mounts += drive_->statistics().gc_lpages_copied;
    recorded += drive_->statistics().recovery.recorded_superblocks;
    based += drive_->statistics().recovery.based_mounts;
    unchanged += drive_->statistics().recovery.unchanged_superblocks;
    if (drive_->statistics().recovery.clean_mounts == 0) remember();
    if (by_pages != nullptr) {
      const std::string problem = same_map(*by_pages);
      if (!problem.empty()) return problem;
    }
    const bool clean = drive_->statistics().recovery.clean_mounts != 0;
    clean_mounts += clean ? 1 : 0;
    if (sealed_ && !clean && !unreadable_) return "slow: the mount has not taken the checkpoint";
    for (std::uint64_t lba = 0; lba < boot_.user_lpages * 8ULL; ++lba) {
      const std::uint64_t content = drive_->on_flash(lba);
      const std::string wrong(name_of(promises_->found(lba, content)));
      if (!wrong.empty())
        return wrong + ": block " + std::to_string(lba) + " has version " + std::to_string(content & 0xffffffff);
      drive_->begins_with(lba, content);
      held_[lba] = content;
    }
    promise_what_is_held();
    drive_->promises = &*promises_;
    return {};
  }
  void fill() {
    for (std::uint64_t block = 0; block < boot_.user_lpages * 8ULL; block += 240) {
      while (!drive_->has_tag()) drive_->step();
      drive_->submit(write_of(
          block, static_cast<std::uint32_t>(std::min<std::uint64_t>(240, boot_.user_lpages * 8ULL - block)), false));
    }
    drive_->drain();
  }
  void read_all() { read_everything(*drive_, boot_); }
  /// One program of so many fails, also those of a mount.
  void fail_programs(std::uint64_t of) {
    fails_ = true;
    drive_->nand().faults.program_fail = [seed = seed_, n = std::uint64_t{0}, of](const wl_flash_job&,
                                                                                  std::uint32_t) mutable {
      return keyed_hash(seed, 0xfa11, ++n) % of == 0;
    };
  }
  /// So does one read of so many of a checkpoint.
  void fail_reads_of_checkpoints(std::uint64_t of) {
    unreadable_ = true;
    drive_->nand().faults.uncorrectable = [this, n = std::uint64_t{0}, of](const wl_flash_job& job,
                                                                           std::uint32_t) mutable {
      const auto& persist = rooms(drive_->firmware()).persist;
      const bool begins = persist.phase >= WL_MOUNT_ROOTS && persist.phase < WL_MOUNT_OWNERS;
      // The host is let in already: what it reads is of other superblocks.
      const bool owners = persist.phase == WL_MOUNT_OWNERS && job.block == persist.checkpoint.superblock;
      return (begins || owners) && keyed_hash(seed_, 0xfa12, ++n) % of == 0;
    };
  }
  /// Two reads of closing records of three bring a wrong byte, three in four of these one of the first 200.
  void corrupt_records() {
    drive_->nand().faults.corrupt = [this, n = std::uint64_t{0}](const wl_flash_job&) mutable {
      const std::uint64_t drawn = keyed_hash(seed_, 0xfa13, ++n);
      const bool wrong = rooms(drive_->firmware()).persist.phase == WL_MOUNT_CLOSINGS && drawn % 3 != 0;
      const std::uint64_t at = drawn % 4 == 0 ? drawn >> 8U : (drawn >> 8U) % 200;
      return wrong ? std::optional(static_cast<std::uint32_t>(at & 0xffffU)) : std::nullopt;
    };
  }
  [[nodiscard]] Drive& drive() { return *drive_; }
  std::uint64_t moved_in_mounts = 0;  // logical pages
  std::uint64_t recorded = 0, compared = 0, based = 0, unchanged = 0, checkpoints = 0;
  struct Memory {  // of mounts after a cut
    std::vector<std::uint32_t> erases;
    std::vector<bool> bad;
    std::uint64_t less_erases = 0, as_many_erases = 0;  // mounts
    std::uint64_t bad_kept = 0, bad_forgotten = 0;      // superblocks
  };
  Memory memory;
  std::uint64_t cuts = 0, cuts_in_mount = 0, clean_mounts = 0, cuts_in_shutdowns = 0;

 private:
  /// The same flash in another drive, which can read no closing record: null where this one has begun to mount.
  std::unique_ptr<Drive> drive_without_records() {
    if (begun_) return nullptr;
    wl_boot_info boot = boot_;
    boot.ftl.checkpoint_after = 0;  // and from no checkpoint that is out of date
    auto other = std::make_unique<Drive>(boot, random());
    other->put_in(NandModel(drive_->nand()), drive_->version());
    Drive* const at = other.get();
    other->nand().faults = {};
    other->nand().faults.uncorrectable = [at](const wl_flash_job&, std::uint32_t) {
      return rooms(at->firmware()).persist.phase == WL_MOUNT_CLOSINGS;
    };
    return other;
  }
  /// Erase counts and what has failed, against what a mount before has found in closing records. A record that alone
  /// has said something may be erased before another is written; it is the newest, so that is rare.
  void remember() {
    const auto& space = rooms(drive_->firmware()).space;
    bool forgot = false;
    for (std::uint32_t s = 0; s < boot_.blocks; ++s) {
      const std::uint32_t erases = space.wear.erases[s];
      const bool bad = space.superblock[s].bad != 0;
      forgot |= erases < memory.erases[s];
      if (memory.bad[s]) ++(bad ? memory.bad_kept : memory.bad_forgotten);
      memory.erases[s] = erases;
      memory.bad[s] = bad;
    }
    ++(forgot ? memory.less_erases : memory.as_many_erases);
  }
  /// What a mount would find of a logical page, or its tombstone.
  static std::uint32_t kept_at(const wl_firmware& fw, std::uint32_t lpn) {
    if (fw.boot.ftl.map_page == 0) return wl_durable_at(&fw, lpn);
    if (wl_has_small_pages(&fw) && wl_durable_small_counts(&fw, lpn)) return wl_durable_small_at(&fw, lpn);
    const std::uint32_t page = lpn / fw.boot.ftl.map_page, in_page = lpn % fw.boot.ftl.map_page;
    const bool recorded = (wl_durable_page_records(&fw, wl_map_unit_t{page}) >> in_page & 1U) != 0;
    const std::uint32_t place = wl_durable_page_at(&fw, wl_map_unit_t{page});
    return recorded && place != 0 ? place + in_page : 0;
  }
  /// GC may have copied a logical page twice into one superblock: either counts. So does the original for a mount that
  /// has begun with a checkpoint, and what GC has copied before map pages were right.
  bool are_copies(Drive& by_pages, std::uint32_t one, std::uint32_t other) {
    const std::uint32_t lpages = drive_->firmware().geometry.superblock_lpages;
    if (one < WL_MAP_PPA0 || other < WL_MAP_PPA0) return false;
    if (drive_->statistics().recovery.based_mounts == 0 && boot_.ftl.map_frames == 0 &&
        (one - WL_MAP_PPA0) / lpages != (other - WL_MAP_PPA0) / lpages)
      return false;
    const auto a = drive_->nand().at(one - WL_MAP_PPA0), b = by_pages.nand().at(other - WL_MAP_PPA0);
    return a && b && a->spare.lpn == b->spare.lpn && a->spare.record == b->spare.record && a->data == b->data;
  }
  std::string same_map(Drive& by_pages) {
    if (drive_->statistics().recovery.clean_mounts + by_pages.statistics().recovery.clean_mounts != 0) return {};
    ++compared;
    EXPECT_EQ(by_pages.statistics().recovery.recorded_superblocks, 0U);
    for (std::uint32_t lpn = 0; lpn < boot_.user_lpages; ++lpn) {
      const std::uint32_t record = kept_at(drive_->firmware(), lpn);
      const std::uint32_t page = kept_at(by_pages.firmware(), lpn);
      if (fails_ && page >= WL_MAP_PPA0 && !drive_->nand().at(page - WL_MAP_PPA0)) continue;  // with its word line
      if (record != page && !are_copies(by_pages, record, page))
        return "by closing records logical page " + std::to_string(lpn) + " is at " + std::to_string(record) +
               ", by pages at " + std::to_string(page);
    }
    return {};
  }
  /// To its end, where all that has completed is promised; or it is cut. Some hosts change their mind behind it.
  std::string shut_down() {
    drive_->drain();
    drive_->begin_shutdown();
    std::uint64_t steps = random() % 2 == 0 ? UINT64_MAX : random() % 2 == 0 ? random() % 2000 : random() % 200;
    const bool late = random() % 3 == 0;  // among the last programs of the checkpoint
    for (std::uint64_t n = 0; !drive_->admin().answer; ++n) {
      const bool ends = rooms(drive_->firmware()).persist.phase == WL_CHECKPOINT_END;
      if (late && ends && random() % 24 == 0) steps = 0;
      if (n > 2'000'000) return "dead: no end of a shutdown";
      if (steps-- == 0) {
        ++cuts_in_shutdowns;
        if (random() % 2 == 0) change_its_mind();
        return {};
      }
      drive_->step();
    }
    const bool stopped = wl_space_stopped(&drive_->firmware());  // what waits has no place any more
    if (!stopped) drive_->promises->flushed(drive_->now() + 1);
    if (random() % 4 == 0) change_its_mind();
    return {};
  }
  /// The host resets the controller and writes on.
  void change_its_mind() {
    drive_->admin().reset();
    work(static_cast<std::uint32_t>(random() % 20));
    for (std::uint64_t n = random() % 200; n != 0; --n) drive_->step();
  }
  /// Flash has a checkpoint, and nothing was programmed since: a mount that is cut changes nothing, either.
  [[nodiscard]] bool sealed() const {
    const auto& all = rooms(drive_->firmware());
    if (!drive_->mounted()) return sealed_;
    return wl_superblocks_sealed(&drive_->firmware()) &&
           (all.persist.phase == WL_MOUNTED || all.persist.phase == WL_MOUNT_OWNERS);
  }
  /// What a mount has shown is promised from then on.
  void promise_what_is_held() {
    promises_.emplace([this](std::uint64_t lba) { return held_[lba]; });
  }
  std::uint64_t random() { return keyed_hash(seed_, ++draws_); }
  void switch_on() {
    drive_ = std::make_unique<Drive>(boot_, random());
    drive_->promises = &*promises_;
    if (random() % 3 == 0) drive_->order = Drive::Order::kFlashLast;
    if (!wl_policy_declares(boot_.ftl.policy).by_word_line) return;
    drive_->nand().mixed = true;
    // One word line in sixteen has so many errors that it is programmed again.
    drive_->measure = [seed = random(), n = std::uint64_t{0}](const wl_flash_job&, const wl_program_set*) mutable {
      const std::uint64_t drawn = keyed_hash(seed, ++n);
      return report_of(drawn % 16 == 0 ? 2 * kUnit : kUnit, static_cast<unsigned>(drawn >> 8U & 1U));
    };
  }
  void cut() {
    ++cuts;
    checkpoints += drive_->statistics().recovery.checkpoints;
    sealed_ = sealed();
    const std::uint32_t version = drive_->version();
    NandModel flash = drive_->cut_power();
    switch_on();
    drive_->put_in(std::move(flash), version);
    begun_ = false;
  }
  void expect_consistent_books() {
    const wl_firmware& fw = drive_->firmware();
    std::vector<std::uint32_t> valid(boot_.blocks);
    const auto count = [&](std::uint32_t place, std::uint32_t lpages) {
      if (place != 0) valid.at((place - WL_MAP_PPA0) / fw.geometry.superblock_lpages) += lpages;
    };
    const std::uint32_t page = fw.boot.ftl.map_page;
    for (std::uint32_t lpn = 0; lpn < wl_boot_stored_lpages(&boot_); ++lpn) {
      if (page == 0) count(wl_durable_at(&fw, lpn), 1);
      if (wl_has_small_pages(&fw)) count(wl_durable_small_at(&fw, lpn), 1);
      if (page != 0 && lpn % page == 0) count(wl_durable_page_at(&fw, wl_map_unit_t{lpn / page}), page);
    }
    // A unit of which slots wait for map pages counts when the last has its entry.
    const wl_buffer& buffer = rooms(fw).buffer;
    for (std::uint32_t u = 0; boot_.ftl.map_frames != 0 && u != buffer.host_units + buffer.gc_units; ++u) {
      const auto& late = rooms(fw).map.cache->late[u];
      if (late.left != 0) valid.at(buffer.units[u].ppa / fw.geometry.superblock_lpages) -= late.valid;
    }
    for (std::uint32_t s = 0; s < boot_.blocks; ++s)
      ASSERT_EQ(rooms(fw).space.superblock[s].valid, valid[s]) << "superblock " << s;
    if (boot_.ftl.map_frames != 0) expect_consistent_frames(*rooms(fw).map.cache);
  }
  static void expect_consistent_frames(const wl_map_cache& cache) {
    std::uint32_t clean = 0, written = 0, loading = 0, changed = 0;
    for (std::uint32_t i = 0; i != cache.frames; ++i) {
      const wl_frame& frame = cache.frame[i];
      if (frame.state == WL_FRAME_FREE) continue;
      if (frame.state == WL_FRAME_LOADS)
        ++loading;
      else if (frame.is_written)
        ++written;
      else
        ++(frame.changed ? changed : clean);
    }
    ASSERT_EQ(cache.clean, clean);
    ASSERT_EQ(cache.under_way, written);
    ASSERT_EQ(cache.free + clean + written + loading + changed, cache.frames);
  }
  void work(std::uint32_t commands) {
    const std::uint64_t blocks = boot_.user_lpages * 8ULL;
    const bool hot = random() % 2 == 0;
    for (std::uint32_t n = 0; n != commands; ++n) {
      while (!drive_->has_tag()) drive_->step();
      if (boot_.ftl.upkeep.tick_us != 0 && n % 16 == 0) drive_->pass(boot_.ftl.upkeep.tick_us);
      const bool part = random() % 4 == 0;
      std::uint64_t length = random() % 8 == 0 ? 8 * (1 + random() % 30) : 8 * (1 + random() % 3);
      std::uint64_t start = (hot && random() % 2 == 0 ? random() % 12 : random() % (blocks / 8)) * 8;
      if (part) {
        start += random() % 8;
        length = 1 + random() % 12;
      }
      length = std::min(length, blocks - start);
      const auto count = static_cast<std::uint32_t>(length);
      const std::uint64_t what = random() % 100;
      if (what < 64)
        drive_->submit(write_of(start, count, what < 6));
      else if (what < 76)
        drive_->submit(read_of(start, count));
      else if (what < 84)
        drive_->submit({WL_OP_DEALLOCATE, 0, 0, false, {{start, count}}});
      else if (what < 92)
        drive_->submit({WL_OP_WRITE_ZEROES, start, count, what == 84, {}});
      else
        drive_->submit(flush());
      for (std::uint64_t k = random() % 12; k != 0; --k) drive_->step();
    }
  }

  const wl_boot_info boot_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::vector<std::uint64_t> held_;  // by block, after the last mount
  std::optional<data::PowerPromises> promises_;
  std::unique_ptr<Drive> drive_;
  bool sealed_ = false;  // at the last cut
  bool unreadable_ = false;
  bool fails_ = false;  // programs, also of mounts: what shares cells with them is lost in this drive alone
  bool begun_ = false;  // the mount that follows the last cut
};

}  // namespace wordline::testing::power_cycle_test
