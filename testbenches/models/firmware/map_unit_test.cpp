// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The page of a plane as map unit, units of other sizes, pages apart, writes that complete after their program, and the
// map behind the MAP port.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <tuple>

#include "drive.h"
#include "models/precondition/firmware_state.h"
#include "workload.h"

extern "C" {
#include "models/firmware/map/map.h"
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing::map_unit_test {
namespace {

std::uint32_t bits_of(std::uint32_t set) { return static_cast<std::uint32_t>(__builtin_popcount(set)); }

/// Every page of the map lies whole where its entry says, the inverse names it, and the superblocks count its room.
void expect_pages_consistent(const Drive& drive) {
  const wl_firmware& fw = drive.firmware();
  const std::uint32_t size = fw.boot.ftl.map_page;
  std::vector<std::uint32_t> valid(rooms(fw).space.superblocks, 0);
  std::uint64_t mapped = 0;
  for (std::uint32_t page = 0; page * size < fw.boot.user_lpages; ++page) {
    const bool initial = rooms(fw).map.l2p[page] == WL_MAP_INITIAL;
    const std::uint32_t all = (1u << std::min(size, fw.boot.user_lpages - page * size)) - 1;
    const std::uint32_t value = !initial                 ? rooms(fw).map.l2p[page]
                                : fw.boot.preconditioned ? page * size + WL_MAP_PPA0
                                                         : WL_MAP_DEALLOCATED;
    const std::uint32_t present = initial ? (fw.boot.preconditioned ? all : 0) : rooms(fw).map.presence[page].present;
    EXPECT_EQ(present & ~all, 0u);
    EXPECT_EQ(present & rooms(fw).map.presence[page].lost, 0u);
    EXPECT_EQ(present == 0, value == WL_MAP_DEALLOCATED) << "page " << page;
    if (value < WL_MAP_PPA0) continue;
    const std::uint32_t at = value >= WL_MAP_BUFFER ? wl_map_slot(value) : value - WL_MAP_PPA0;
    EXPECT_EQ(at % size, 0u) << "page " << page << " is not aligned";
    if (value >= WL_MAP_BUFFER) continue;
    valid.at(at / fw.geometry.superblock_lpages) += size;
    mapped += bits_of(present);
    const std::uint32_t filled = fw.boot.preconditioned ? (fw.boot.user_lpages + size - 1) / size : 0;
    EXPECT_EQ(wl_owner_resolve(rooms(fw).map.p2l[at / size], at / size, filled), page);
  }
  EXPECT_EQ(fw.statistics.mapped_lpages, mapped);
  std::uint32_t free = 0;
  for (std::uint32_t superblock = 0; superblock < rooms(fw).space.superblocks; ++superblock) {
    EXPECT_EQ(rooms(fw).space.superblock[superblock].reads, 0u) << "superblock " << superblock;
    free += rooms(fw).space.superblock[superblock].state == WL_SUPERBLOCK_FREE ? 1 : 0;
    EXPECT_EQ(rooms(fw).space.superblock[superblock].valid, valid[superblock])
        << "superblock " << superblock << " state " << int(rooms(fw).space.superblock[superblock].state);
  }
  EXPECT_EQ(free, fw.statistics.free_superblocks);
  for (std::uint32_t i = 0; i < WL_HAZARDS; ++i) {
    EXPECT_EQ(rooms(fw).map.writers[i], 0);
    EXPECT_EQ(rooms(fw).map.locks[i], 0);
  }
}

enum Kind { kPages, kPagesThrough, kSectorsThrough, kApart, kApartThrough, kInDie };

wl_boot_info boot_of(const Shape& shape, Kind kind, std::uint32_t page_lpages) {
  wl_boot_info b = wordline::testing::boot_of(shape);
  if (kind == kInDie) {
    b.channels = b.dies = 1;
    b.pages = 16;
  }
  const std::uint32_t unit = b.planes * page_lpages * b.pages_per_program;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * page_lpages;
  b.ftl.lpage_shift = 3;
  b.lpages_per_page = page_lpages;
  b.user_lpages = 16 * superblock - (page_lpages > 1 ? 1 : 0);  // the last page of the map is not whole
  b.write_slots = 6 * unit + 1;
  b.read_slots = std::max<std::uint32_t>(24, 8 * page_lpages);
  b.gc_slots = 3 * unit;
  b.dram_bytes = b.tcm_bytes = 4 << 20;
  b.ftl.map_page = kind == kPages || kind == kPagesThrough || kind == kInDie ? page_lpages : 0;
  b.ftl.write_through = kind != kPages && kind != kApart ? 1 : 0;
  b.ftl.modify_in_die = kind == kInDie ? 1 : 0;
  b.ftl.pages_apart = kind == kApart || kind == kApartThrough ? 1 : 0;
  return b;
}

void expect_books(const Drive& drive) {
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.lpages_programmed, s.data_lpages + s.gc_lpages_copied + s.pad_lpages);
  EXPECT_LE(s.kept_lpages * 8 + s.merged_lbas, s.data_lpages * 8);
  EXPECT_LE(s.data_lpages * 8 - s.merged_lbas - s.kept_lpages * 8, wl_host_blocks(&s, 3));
}

Shape shape_of(const char* name, std::uint32_t planes, std::uint32_t pages_per_program, bool safe, bool filled) {
  return {name, planes, pages_per_program, 1, {0, 0, 0}, safe, filled};
}

using Case = std::tuple<Kind, std::uint32_t, Shape>;
class MapUnits : public ::testing::TestWithParam<Case> {};

TEST_P(MapUnits, KeepEverythingOverOverwrites) {
  const auto [kind, page, shape] = GetParam();
  const wl_boot_info boot = boot_of(shape, kind, page);
  Drive drive(boot, 100 + page + kind);
  stress(drive, boot, kEverything, 2.5);
  if (kind == kInDie) stress(drive, boot, kWholeSectors, 1);
  read_everything(drive, boot);
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_TRUE(drive.idle());
  EXPECT_TRUE(drive.errors.empty());
  EXPECT_GT(drive.statistics().gc_superblocks, 10u);
  if (boot.ftl.map_page != 0)
    expect_pages_consistent(drive);
  else
    expect_consistent(drive);
  expect_books(drive);
  EXPECT_EQ(drive.nand().programmed_lpages, drive.statistics().lpages_programmed);
  if (boot.ftl.write_through != 0 || boot.power_safe == 0) {
    EXPECT_EQ(drive.buffered(), 0u);
    EXPECT_EQ(wl_buffered_lpages(&drive.statistics()), 0u);
  }
  EXPECT_GT(drive.statistics().modify.reads, 0u);
  if (kind == kInDie) {
    EXPECT_GT(drive.statistics().modify.in_die, 100u);
    EXPECT_EQ(drive.nand().modified, drive.statistics().modify.in_die) << "each is one program";
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& param) {
  static constexpr std::array kNames = {"pages", "pages_through", "sectors_through",
                                        "apart", "apart_through", "in_die"};
  return std::string(kNames[std::get<0>(param.param)]) + "_" + std::to_string(std::get<1>(param.param)) + "_" +
         std::get<2>(param.param).name;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MapUnits,
    ::testing::Combine(::testing::Values(kPages, kPagesThrough, kSectorsThrough, kApart, kApartThrough),
                       ::testing::Values(1u, 2u, 4u, 5u, 16u),
                       ::testing::Values(shape_of("filled", 1, 1, true, true), shape_of("empty", 2, 1, true, false),
                                         shape_of("one_shot", 2, 3, false, true))),
    name_of);

INSTANTIATE_TEST_SUITE_P(InDie, MapUnits,
                         ::testing::Combine(::testing::Values(kInDie), ::testing::Values(2u, 4u, 5u, 16u),
                                            ::testing::Values(shape_of("filled", 1, 1, true, true),
                                                              shape_of("empty", 1, 1, false, false))),
                         name_of);

// Classes of a policy are by page, then.
TEST(MapUnit, LivesWithEveryPolicy) {
  for (std::uint32_t policy = 0; policy < WL_POLICIES; ++policy) {
    if (wl_policy_declares(policy).small_pages) continue;  // mpnfm_test.cpp
    for (const Kind kind : {kPages, kPagesThrough, kApart, kInDie}) {
      SCOPED_TRACE(std::to_string(policy) + " " + std::to_string(kind));
      wl_boot_info boot = boot_of(shape_of("", kind == kInDie ? 1 : 2, 1, false, true), kind, 4);
      boot.blocks = 32;  // superblocks for more classes
      boot.ftl.policy = policy;
      set_layers(boot);
      boot.write_slots = boot.gc_slots = 16 * 8;
      Drive drive(boot, 70 + policy);
      stress(drive, boot, kEverything, 2.0);
      read_everything(drive, boot);
      EXPECT_EQ(drive.run(flush()), 0);
      drive.settle();
      EXPECT_TRUE(drive.errors.empty());
      EXPECT_GT(drive.statistics().gc_superblocks, 5u);
      if (kind != kApart) expect_pages_consistent(drive);
      format(drive, boot);
      stress(drive, boot, kEverything, 1.0);
      read_everything(drive, boot);
      EXPECT_TRUE(drive.errors.empty());
    }
  }
}

// Units that are a part of a page of a plane, or lie over several planes: random drives keep what is written, each read
// is checked, and the map, its inverse and the superblocks agree.
TEST(MapUnit, UnitsOfOtherSizesThanThePageKeepEverything) {
  std::uint32_t parts = 0, over_planes = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    auto draw = [seed, n = std::uint64_t{0}](std::uint32_t values) mutable {
      return static_cast<std::uint32_t>(keyed_hash(seed, ++n) % values);
    };
    const std::uint32_t page = 2U << draw(3);  // 8 to 32 KiB
    const std::uint32_t planes = 1U << draw(3);
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t size = 1; size <= 16; size *= 2)
      if (size != page && planes * page % size == 0) sizes.push_back(size);
    const Kind kind = draw(2) == 0 ? kPages : kPagesThrough;
    wl_boot_info boot = boot_of(shape_of("", planes, 1 + 2 * draw(2), draw(2) == 0, draw(2) == 0), kind, page);
    boot.ftl.map_page = sizes.at(draw(static_cast<std::uint32_t>(sizes.size())));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": unit of " + std::to_string(boot.ftl.map_page) + ", page of " +
                 std::to_string(page) + ", planes " + std::to_string(planes));
    (boot.ftl.map_page < page ? parts : over_planes) += 1;
    Drive drive(boot, 200 + seed);
    stress(drive, boot, kEverything, 2);
    read_everything(drive, boot);
    EXPECT_EQ(drive.run(flush()), 0);
    drive.settle();
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 5u);
    expect_pages_consistent(drive);
    expect_books(drive);
    EXPECT_GT(drive.statistics().modify.reads, 0u);
  }
  EXPECT_GT(parts, 3u);
  EXPECT_GT(over_planes, 3u);
}

/// A random drive whose map is by units with bits.
wl_boot_info random_units(std::uint64_t seed) {
  auto next = [seed, n = std::uint64_t{100}](std::uint32_t values) mutable {
    return static_cast<std::uint32_t>(keyed_hash(seed, ++n) % values);
  };
  const std::uint32_t page = 1U << next(4);
  const std::uint32_t planes = 1U << next(2);
  const Kind kind = next(2) == 0 ? kPages : kPagesThrough;
  wl_boot_info boot = boot_of(shape_of("", planes, 1 + 2 * next(2), next(2) == 0, next(2) == 0), kind, page);
  boot.ftl.map_page = 1U << next(5);
  while (planes * page % boot.ftl.map_page != 0) boot.ftl.map_page /= 2;
  return boot;
}

// Behind the MAP port the map is the same: the same commands and the same order of events, and entry by entry the same
// map, the same counts.
TEST(MapPort, IsTheMapOfTheWindowWordForWord) {
  std::uint32_t of_one = 0, of_several = 0, failed = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    wl_boot_info boot = random_units(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": unit of " + std::to_string(boot.ftl.map_page));
    (boot.ftl.map_page == 1 ? of_one : of_several) += 1;
    const auto lived = [&](std::uint32_t magic) {
      boot.magic = magic;
      auto drive = std::make_unique<Drive>(boot, 300 + seed);
      if (seed % 3 == 0) {
        drive->nand().faults.uncorrectable = [](const wl_flash_job& job, std::uint32_t erases) {
          return keyed_hash(3, job.die, job.block, job.page, erases) % 60 == 0;
        };
      }
      stress(*drive, boot, kEverything, 2);
      drive->settle();
      return drive;
    };
    const auto flat = lived(WL_BOOT_MAGIC), port = lived(WL_BOOT_MAGIC_PORT);
    EXPECT_EQ(flat->errors, port->errors);
    if (seed % 3 != 0) {
      EXPECT_TRUE(flat->errors.empty());
    }
    failed += flat->errors.empty() ? 0 : 1;
    EXPECT_EQ(std::memcmp(&flat->statistics(), &port->statistics(), sizeof(struct wl_firmware_statistics)), 0);
    for (std::uint32_t unit = 0; unit * boot.ftl.map_page < boot.user_lpages; ++unit) {
      const struct wl_mapped a = wl_mapped(&flat->firmware(), static_cast<wl_map_unit_t>(unit));
      const struct wl_mapped b = wl_mapped(&port->firmware(), static_cast<wl_map_unit_t>(unit));
      ASSERT_EQ(std::tie(a.value, a.present, a.lost), std::tie(b.value, b.present, b.lost)) << "unit " << unit;
    }
    EXPECT_GT(port->statistics().gc_superblocks, 5u);
  }
  EXPECT_GT(of_one, 2u);
  EXPECT_GT(of_several, 2u);
  EXPECT_GT(failed, 2u) << "reads of some drives fail";
}

// The image on cores, with registers as memory.
TEST(MapPort, TheImageReadsAndWritesItToo) {
  for (const std::uint32_t unit : {1U, 4U}) {
    SCOPED_TRACE(unit);
    wl_boot_info boot = boot_of(shape_of("", 2, 1, true, unit == 1), kPages, 4);
    boot.ftl.map_page = unit;
    boot.magic = WL_BOOT_MAGIC_PORT;
    boot.tcm_bytes = WL_TCM_SIZE;
    Drive drive(boot, 50 + unit, WORDLINE_PORT_IMAGE);
    stress(drive, boot, kEverything, 1);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 3u);
  }
}

// What one drive has come to another one begins with, and so on; the state is a map of pages.
TEST(MapUnit, StatesAreHandedOnFromDriveToDrive) {
  for (const std::uint32_t page : {1U, 4U, 5U}) {
    SCOPED_TRACE(page);
    wl_boot_info boot = boot_of(shape_of("", 2, 1, true, page != 4), kPages, page);
    boot.tcm_bytes = WL_TCM_SIZE;  // the image has its stacks at the end
    Drive first(boot, 30 + page);
    stress(first, boot, kEverything, 2);
    first.settle();
    precondition::DriveState state = precondition::state_of_firmware(boot, first.tcm(), first.dram());
    boot.preconditioned = 1;
    for (std::uint64_t drives = 0; drives < 3; ++drives) {
      ASSERT_EQ(state.problem(), "");
      ASSERT_EQ(state.problem_of_pages(page), "");
      Drive drive(boot, 40 + drives, drives == 1 ? WORDLINE_FIRMWARE_IMAGE : "", {}, &state);
      if (drives != 1) expect_pages_consistent(drive);
      read_everything(drive, boot);
      EXPECT_TRUE(drive.errors.empty());
      stress(drive, boot, kEverything, 0.5);
      drive.settle();
      state = precondition::state_of_firmware(boot, drive.tcm(), drive.dram());
    }
  }
}

// On the instruction-set model the same, from the image.
TEST(MapUnitImage, KeepsEverything) {
  for (const Kind kind : {kPages, kPagesThrough, kApartThrough, kInDie}) {
    SCOPED_TRACE(kind);
    Shape shape = shape_of("two_cores", kind == kInDie ? 1 : 2, 1, false, true);
    shape.cores = 2;
    shape.task_core = {0, 1, 0};
    wl_boot_info boot = boot_of(shape, kind, 4);
    boot.tcm_bytes = WL_TCM_SIZE;  // the image has its stacks at the end
    Drive drive(boot, 7, WORDLINE_FIRMWARE_IMAGE);
    stress(drive, boot, kEverything, 2.0);
    read_everything(drive, boot);
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().gc_superblocks, 10u);
  }
}

// A page of four sectors of which one was written alone holds nothing else; deallocation takes sectors, and the last of
// them the page.
TEST(MapUnit, PageHoldsWhatWasWrittenAndNothingElse) {
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, false), kPagesThrough, 4);
  Drive drive(boot, 1);
  EXPECT_EQ(drive.run(write_of(8 * 5, 8)), 0);  // sector 1 of page 1
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.host_pages, 1u);
  EXPECT_EQ(s.false_lpages, 3u);
  EXPECT_EQ(s.modify.reads, 0u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  EXPECT_EQ(drive.nand().read_lpages, 1u) << "zeros are not read";
  EXPECT_EQ(drive.run(write_of(8 * 7 + 4, 4)), 0);  // half of sector 3: sector 1 is kept, the other half is zeros
  drive.settle();
  EXPECT_EQ(s.modify.reads, 1u);
  EXPECT_EQ(s.modify.lpages, 1u);
  EXPECT_EQ(s.kept_lpages, 1u);
  EXPECT_EQ(s.merged_lbas, 4u);
  EXPECT_EQ(s.page_writes, 2u);
  EXPECT_EQ(s.false_lpages, 3u + 2u);
  EXPECT_EQ(s.mapped_lpages, 2u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  EXPECT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{8 * 5, 8}}}), 0);
  EXPECT_EQ(s.mapped_lpages, 1u);
  EXPECT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{8 * 7, 8}}}), 0);
  EXPECT_EQ(s.mapped_lpages, 0u);
  expect_pages_consistent(drive);
  EXPECT_EQ(drive.run(write_of(8 * 4, 8)), 0);
  drive.settle();
  EXPECT_EQ(s.modify.reads, 1u) << "nothing was left to keep";
  EXPECT_EQ(drive.run(write_of(8 * 4, 32)), 0);
  EXPECT_EQ(s.modify.reads, 1u) << "a page written as a whole keeps nothing";
  drive.settle();
  expect_pages_consistent(drive);
}

// The rest of a page does not leave the die, and nobody sees the page half changed.
TEST(MapUnit, RestOfAPageStaysInTheDie) {
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, true), kInDie, 4);
  Drive drive(boot, 1);
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(drive.run(write_of(8 * 5, 16)), 0);  // sectors 1 and 2 of page 1
  EXPECT_EQ(s.modify.in_die, 1u);
  EXPECT_EQ(drive.nand().modified, 1u);
  EXPECT_EQ(drive.nand().read_lpages, 0u);
  EXPECT_EQ(drive.nand().programmed_lpages, 4u) << "before the command ends";
  EXPECT_EQ(s.page_writes, 1u);
  EXPECT_EQ(s.kept_lpages, 2u);
  EXPECT_EQ(s.host_lpages_written, 2u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  // Of sector 3 half is kept: its codewords are made anew.
  EXPECT_EQ(drive.run(write_of(8 * 7, 4)), 0);
  EXPECT_EQ(s.modify.in_die, 1u);
  EXPECT_EQ(s.modify.reads, 1u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  // A deallocated sector stays deallocated.
  EXPECT_EQ(drive.run({WL_OP_DEALLOCATE, 0, 0, false, {{8 * 4, 8}}}), 0);
  EXPECT_EQ(drive.run(write_of(8 * 6, 8)), 0);
  EXPECT_EQ(s.modify.in_die, 2u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  drive.settle();
  expect_pages_consistent(drive);
  expect_books(drive);
}

// The page begins anew as the same one.
TEST(MapUnit, ProgramInTheDieThatFailsIsRepeated) {
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, true), kInDie, 4);
  Drive drive(boot, 1);
  int programs = 0;
  drive.nand().faults.program_fail = [&](const wl_flash_job& job, std::uint32_t) {
    const std::uint32_t old_page = job.source / boot.pages;  // a superblock is a block
    EXPECT_EQ(rooms(drive.firmware()).space.superblock[old_page].reads, 1u) << "it may not be erased meanwhile";
    return ++programs == 1;
  };
  EXPECT_EQ(drive.run(write_of(8 * 5, 8)), 0);
  EXPECT_EQ(programs, 2);
  EXPECT_EQ(drive.nand().modified, 2u);
  EXPECT_EQ(drive.run(read_of(8 * 4, 32)), 0);
  drive.settle();
  expect_pages_consistent(drive);
}

// In the buffer a page that gathers data is changed in place; one that is on its way to flash is copied.
TEST(MapUnit, RestOfAPageComesFromTheBuffer) {
  wl_boot_info boot = boot_of(shape_of("", 2, 1, true, false), kPages, 4);
  Drive drive(boot, 1);
  EXPECT_EQ(drive.run(write_of(0, 8)), 0);
  EXPECT_EQ(drive.run(write_of(8, 8)), 0);
  drive.settle();
  EXPECT_EQ(drive.buffered(), 4u) << "one page of the unit of two";
  EXPECT_EQ(drive.copies, 0u);
  EXPECT_EQ(drive.statistics().page_writes, 1u);
  EXPECT_EQ(drive.statistics().modify.copies, 0u);
  EXPECT_EQ(drive.run(write_of(8 * 4, 32)), 0);  // the unit is full
  EXPECT_EQ(drive.run(write_of(16, 8)), 0);      // before its program has ended
  EXPECT_EQ(drive.statistics().modify.copies + drive.statistics().modify.reads, 1u);
  EXPECT_EQ(drive.run(read_of(0, 64)), 0);
  drive.settle();
  expect_pages_consistent(drive);
}

// Published example (MPNFM, IEEE TVLSI 2016, Fig. 1 and Table I; 4 KiB stand for its sectors of 512 bytes): writes of
// sectors 0 to 2 and of sector 5, then of sector 7, then a read of sectors 0 to 2.
struct Example {
  const char* name;
  std::uint32_t page;
  std::uint64_t programs, reads, read_back, unusable;
};
void PrintTo(const Example& e, std::ostream* out) { *out << e.name; }
class MapUnitExample : public ::testing::TestWithParam<Example> {};

TEST_P(MapUnitExample, ProgramsReadsAndFalseCapacity) {
  const Example& e = GetParam();
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, false), kPagesThrough, e.page);
  Drive drive(boot, 1);
  std::uint64_t programs = 0;
  drive.nand().faults.program_fail = [&](const wl_flash_job&, std::uint32_t) { return ++programs == 0; };
  std::uint64_t reads = 0;
  drive.nand().faults.uncorrectable = [&](const wl_flash_job&, std::uint32_t) { return ++reads == 0; };
  EXPECT_EQ(drive.run(write_of(0, 24)), 0);
  EXPECT_EQ(drive.run(write_of(5 * 8, 8)), 0);
  drive.settle();
  programs = reads = 0;
  EXPECT_EQ(drive.run(write_of(7 * 8, 8)), 0);
  drive.settle();
  EXPECT_EQ(programs, e.programs);
  EXPECT_EQ(reads, e.reads);
  programs = reads = 0;
  EXPECT_EQ(drive.run(read_of(0, 24)), 0);
  EXPECT_EQ(programs, 0u);
  EXPECT_EQ(reads, e.read_back);
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.lpages_programmed - s.erased_lpages - s.mapped_lpages, e.unusable);
}

INSTANTIATE_TEST_SUITE_P(Paper, MapUnitExample,
                         ::testing::Values(Example{"small_pages", 1, 1, 0, 3, 0},
                                           Example{"large_pages", 4, 1, 1, 1, 7}),
                         [](const auto& param) { return std::string(param.param.name); });

// What cannot be read of the rest is lost, and the write goes on; what the write itself keeps fails it.
TEST(MapUnit, SectorsThatCannotBeReadAreLostAndNoMore) {
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, true), kPagesThrough, 4);
  Drive drive(boot, 1);
  const auto bad_lpage = [](std::uint32_t lpage) {
    return
        [lpage](const wl_flash_job& job, std::uint32_t) { return job.lpage <= lpage && lpage < job.lpage + job.count; };
  };
  drive.nand().faults.uncorrectable = bad_lpage(3);
  EXPECT_EQ(drive.run(write_of(8, 8)), 0);  // sector 1 of page 0
  EXPECT_EQ(drive.run(write_of(8 * 7, 4)), WL_STATUS_READ_ERROR) << "of sector 3 of page 1 half is to be kept";
  drive.nand().faults.uncorrectable = nullptr;
  EXPECT_EQ(drive.run(read_of(0, 24)), 0);
  EXPECT_EQ(drive.run(read_of(24, 8)), WL_STATUS_READ_ERROR);
  EXPECT_EQ(drive.run(read_of(32, 32)), 0) << "nothing has changed";
  EXPECT_EQ(drive.run(write_of(24, 8)), 0);
  EXPECT_EQ(drive.run(read_of(0, 32)), 0);
  drive.settle();
  expect_pages_consistent(drive);
}

TEST(MapUnit, FaultsLoseNothingElse) {
  for (const Kind kind : {kPages, kPagesThrough, kSectorsThrough, kInDie}) {
    SCOPED_TRACE(kind);
    const wl_boot_info boot = boot_of(shape_of("", kind == kInDie ? 1 : 2, 1, false, true), kind, 4);
    Drive drive(boot, 5);
    drive.nand().faults.uncorrectable = [](const wl_flash_job& job, std::uint32_t erases) {
      return keyed_hash(3, job.die, job.block, job.page, erases) % 60 == 0;
    };
    std::uint32_t failed = 0;  // a superblock each
    drive.nand().faults.program_fail = [&](const wl_flash_job&, std::uint32_t) {
      return failed < 3 && drive.random() % 150 == 0 && ++failed != 0;
    };
    stress(drive, boot, kEverything, 2.0);
    EXPECT_GT(drive.nand().failures, 10u);
    EXPECT_GT(drive.errors[WL_STATUS_READ_ERROR], 5u);
    EXPECT_EQ(failed, 3u);
    drive.nand().faults = {};
    drive.errors.clear();
    for (std::uint64_t lba = 0; lba < boot.user_lpages * 8ull; lba += 8) EXPECT_EQ(drive.run(write_of(lba, 8)), 0);
    read_everything(drive, boot);
    EXPECT_TRUE(drive.errors.empty());
    drive.settle();
    if (boot.ftl.map_page != 0) expect_pages_consistent(drive);
  }
}

// ---- ftl.write_back = false ----

TEST(WriteThrough, CompletesAfterTheProgramAndClosesNoUnitThatIsFilled) {
  const wl_boot_info boot = boot_of(shape_of("", 2, 1, true, false), kSectorsThrough, 4);  // 8 sectors a unit
  Drive drive(boot, 1);
  EXPECT_EQ(drive.run(write_of(0, 8)), 0);
  EXPECT_EQ(drive.nand().programmed_lpages, 8u) << "before the command ends";
  EXPECT_EQ(drive.statistics().pad_lpages, 7u) << "nobody else would have filled the unit";
  // Of many in flight those that come together share units.
  const std::uint64_t before = drive.statistics().pad_lpages;
  for (int round = 0; round < 20; ++round) {
    for (std::uint64_t i = 0; i < boot.host_tags; ++i) drive.submit(write_of((round * 16 + i) * 8, 8));
    drive.drain();
  }
  drive.settle();
  EXPECT_EQ(wl_buffered_lpages(&drive.statistics()), 0u);
  EXPECT_LT(drive.statistics().pad_lpages - before, 320u) << "less than one sector of padding for one written";
}

TEST(WriteThrough, EndsWithAWriteFaultWhereNothingCanBeProgrammed) {
  std::uint32_t faults = 0;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    SCOPED_TRACE(seed);
    const Kind kind = std::array{kPagesThrough, kSectorsThrough, kInDie}[seed % 3];
    const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, false), kind, 4);
    Drive drive(boot, seed);
    stress(drive, boot, kWholeSectors, 0.5);
    drive.nand().faults.program_fail = [](const wl_flash_job&, std::uint32_t) { return true; };
    drive.nand().faults.erase_fail = drive.nand().faults.program_fail;
    for (int i = 0; i < 40 && !rooms(drive.firmware()).space.read_only; ++i) stress(drive, boot, kWholeSectors, 0.1);
    ASSERT_TRUE(rooms(drive.firmware()).space.read_only);
    EXPECT_EQ(drive.run(write_of(0, 8)), WL_STATUS_WRITE_PROTECTED);
    faults += drive.errors.count(WL_STATUS_WRITE_FAULT) != 0 ? 1 : 0;
    drive.errors.erase(WL_STATUS_WRITE_FAULT);
    drive.errors.erase(WL_STATUS_WRITE_PROTECTED);
    EXPECT_TRUE(drive.errors.empty());
  }
  EXPECT_GT(faults, 0u);
}

// ---- ftl.packing = false ----

TEST(PagesApart, EveryWriteBeginsAtAPage) {
  const wl_boot_info boot = boot_of(shape_of("", 1, 1, true, false), kApart, 4);
  Drive drive(boot, 1);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(drive.run(write_of(i * 48, 48)), 0);  // six sectors: two pages
  drive.settle();
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(drive.nand().programmed_lpages, 8u * 8 - 4) << "the last page is still open";
  EXPECT_EQ(s.host_pages, 15u);
  EXPECT_EQ(s.false_lpages, 7u * 2);
  EXPECT_EQ(s.pad_lpages, 7u * 2);
  for (std::uint64_t i = 0; i < 7; ++i) EXPECT_EQ(drive.run(read_of(i * 48, 48)), 0);
}

}  // namespace
}  // namespace wordline::testing::map_unit_test
