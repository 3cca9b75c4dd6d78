// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two page sizes in a die, and the policy mpnfm (Kim et al., TVLSI 2016).
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <tuple>

#include "drive.h"
#include "mpnfm_boot.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing::mpnfm_test {
namespace {

bool in_small(const wl_firmware& fw, std::uint32_t lpn) {
  return (rooms(fw).map.in_region[lpn / 32] >> lpn % 32 & 1U) != 0;
}

/// The books against the maps: each sector lies in one of the two kinds of pages, and counts there.
void expect_two_sizes_consistent(const Drive& drive) {
  const wl_firmware& fw = drive.firmware();
  const std::uint32_t size = fw.boot.ftl.map_page;
  std::vector<std::uint32_t> valid(rooms(fw).space.superblocks, 0);
  std::uint64_t small = 0, large = 0;
  for (std::uint32_t page = 0; page * size < fw.boot.user_lpages; ++page) {
    const bool initial = rooms(fw).map.l2p[page] == WL_MAP_INITIAL;
    const std::uint32_t lpages = std::min(size, fw.boot.user_lpages - page * size);
    const std::uint32_t value = !initial                 ? rooms(fw).map.l2p[page]
                                : fw.boot.preconditioned ? page * size + WL_MAP_PPA0
                                                         : WL_MAP_DEALLOCATED;
    const std::uint32_t present =
        initial ? (fw.boot.preconditioned ? (1U << lpages) - 1 : 0) : rooms(fw).map.presence[page].present;
    EXPECT_EQ(present == 0, value == WL_MAP_DEALLOCATED) << "page " << page;
    for (std::uint32_t k = 0; k < lpages; ++k) {
      const std::uint32_t lpn = page * size + k;
      if (!in_small(fw, lpn)) continue;
      EXPECT_EQ(present >> k & 1U, 0U) << "sector " << lpn << " lies in both";
      const std::uint32_t at = rooms(fw).map.region_l2p[lpn];
      ASSERT_GE(at, WL_MAP_PPA0);
      if (at >= WL_MAP_BUFFER) continue;
      const std::uint32_t ppa = at - WL_MAP_PPA0;
      const std::uint32_t superblock = ppa / fw.geometry.superblock_lpages;
      EXPECT_GE(superblock, fw.kind[1].first_superblock);
      EXPECT_EQ(rooms(fw).map.p2l[ppa / size], lpn + 1);
      ++valid.at(superblock);
      ++small;
    }
    if (value < WL_MAP_PPA0 || value >= WL_MAP_BUFFER) continue;
    const std::uint32_t superblock = (value - WL_MAP_PPA0) / fw.geometry.superblock_lpages;
    EXPECT_LT(superblock, fw.kind[1].first_superblock);
    valid.at(superblock) += size;
    for (std::uint32_t k = 0; k < lpages; ++k) large += present >> k & 1U;
  }
  EXPECT_EQ(fw.statistics.small.mapped_lpages, small);
  EXPECT_EQ(fw.statistics.mapped_lpages, small + large);
  std::uint32_t free[2] = {0, 0};
  for (std::uint32_t superblock = 0; superblock < rooms(fw).space.superblocks; ++superblock) {
    const struct wl_superblock& sb = rooms(fw).space.superblock[superblock];
    EXPECT_EQ(sb.reads, 0U) << "superblock " << superblock;
    free[superblock >= fw.kind[1].first_superblock] += sb.state == WL_SUPERBLOCK_FREE ? 1 : 0;
    EXPECT_EQ(sb.valid, valid[superblock]) << "superblock " << superblock << " state " << int{sb.state};
  }
  for (const std::uint32_t region : {0U, 1U}) EXPECT_EQ(free[region], rooms(fw).space.region[region].free_superblocks);
  EXPECT_EQ(free[0] + free[1], fw.statistics.free_superblocks);
  for (std::uint32_t i = 0; i < WL_HAZARDS; ++i) {
    EXPECT_EQ(rooms(fw).map.writers[i], 0);
    EXPECT_EQ(rooms(fw).map.locks[i], 0);
  }
}

void expect_books(Drive& drive) {
  const struct wl_firmware_statistics& s = drive.statistics();
  EXPECT_EQ(s.lpages_programmed, s.data_lpages + s.gc_lpages_copied + s.pad_lpages);
  EXPECT_EQ(drive.nand().programmed_lpages, s.lpages_programmed + s.failed_lpages);
  EXPECT_LE(s.small.lpages_programmed, s.lpages_programmed);
  EXPECT_LE(s.small.erased_lpages, s.small.lpages_programmed);
}

Shape shape_of(const char* name, std::uint32_t planes, std::uint32_t pages_per_program, bool safe, bool filled) {
  return {name, planes, pages_per_program, 1, {0, 0, 0}, safe, filled};
}

// ---- the example of the source ----

/// One die of one plane; a sector here is what a sector is there.
struct Example {
  explicit Example(std::uint32_t large, bool small) : boot(boot_with(large, small)), drive(boot, 1) {
    write(0, 3);
    write(5, 1);
  }
  static wl_boot_info boot_with(std::uint32_t large, bool small) {
    wl_boot_info b = two_sizes(shape_of("", 1, 1, true, false), large);
    b.channels = b.dies = 1;
    b.pages = 16;
    b.ftl.small.pages = 16;
    b.user_lpages = 64;
    b.ftl.write_through = 1;
    if (small) return b;
    b.ftl.small = {0, 0, 0};
    b.ftl.policy = WL_POLICY_page_greedy;
    return b;
  }
  void write(std::uint64_t lpage, std::uint32_t count) {
    EXPECT_EQ(drive.run(write_of(8 * lpage, 8 * count)), 0);
    drive.settle();
  }
  void read(std::uint64_t lpage, std::uint32_t count) {
    EXPECT_EQ(drive.run(read_of(8 * lpage, 8 * count)), 0);
    drive.settle();
  }
  using Commands = std::pair<std::uint64_t, std::uint64_t>;  // programs, reads
  [[nodiscard]] Commands commands() {
    const Commands now{drive.nand().small_programs + drive.nand().large_programs, drive.nand().reads};
    const Commands since{now.first - before.first, now.second - before.second};
    before = now;
    return since;
  }
  /// mpnfm.def.fc: sectors of programmed pages without valid data.
  [[nodiscard]] std::uint64_t false_capacity() const {
    return drive.statistics().lpages_programmed - drive.statistics().mapped_lpages;
  }

  wl_boot_info boot;
  Drive drive;
  Commands before{0, 0};
};

// mpnfm.ex.sector, mpnfm.ex.block, mpnfm.ex.s.pages, mpnfm.ex.l.pages, mpnfm.ex.prefix, mpnfm.ex.req1, mpnfm.ex.req2;
// table I and figure 1 (d) to (f).
TEST(MpnfmExample, CommandsAndFalseCapacityAreThoseOfTheSource) {
  struct Expected {
    const char* name;
    std::uint32_t large;
    bool small;
    Example::Commands request1, request2;
    std::uint64_t false_capacity;
  };
  const Expected memories[] = {
      {"SPNFM-S", 1, false, {1, 0}, {0, 3}, 0},  // mpnfm.ex.s.req1, mpnfm.ex.s.req2, mpnfm.ex.s.fc
      {"SPNFM-L", 4, false, {1, 1}, {0, 1}, 7},  // mpnfm.ex.l.req1, mpnfm.ex.l.req2, mpnfm.ex.l.fc
      {"MPNFM", 4, true, {1, 0}, {0, 1}, 1},     // mpnfm.ex.mp.req1, mpnfm.ex.mp.req2, mpnfm.ex.mp.fc
  };
  for (const Expected& memory : memories) {
    SCOPED_TRACE(memory.name);
    Example example(memory.large, memory.small);
    (void)example.commands();
    example.write(7, 1);
    EXPECT_EQ(example.commands(), memory.request1);
    example.read(0, 3);
    EXPECT_EQ(example.commands(), memory.request2);
    EXPECT_EQ(example.false_capacity(), memory.false_capacity);
  }
}

// mpnfm.ex.first_gc: what the programs of the example took; the memory of large pages is the first that is full.
// mpnfm.motive.no_inplace: sectors of programmed pages that hold nothing take part in it.
TEST(MpnfmExample, TheMemoryOfLargePagesFillsFirst) {
  const auto taken = [](std::uint32_t large, bool small) {
    Example example(large, small);
    example.write(7, 1);
    return example.drive.statistics().lpages_programmed;
  };
  EXPECT_EQ(taken(1, false), 5U);
  EXPECT_EQ(taken(4, false), 12U) << "three pages, 7 of their sectors without valid data";
  EXPECT_EQ(taken(4, true), 6U) << "a large page and two small ones";
}

// ---- one page size against another, at equal capacity ----

/// 4,096 sectors raw, 16 pages a block, half exported; `page`: sectors. With `small`, a ninth of it in small pages.
struct Capacity {
  explicit Capacity(std::uint32_t page, bool small = false) : boot(boot_with(page, small)), drive(boot, 9) {}
  static wl_boot_info boot_with(std::uint32_t page, bool small) {
    wl_boot_info b = Example::boot_with(page, small);
    b.blocks = 256 / page;
    if (small) {
      b.ftl.small = {28, 16, 1};
      b.blocks = (4096 - 28 * 16) / 16 / page + b.ftl.small.blocks;
    }
    b.user_lpages = 2048;
    b.gc_start_superblocks = 2;
    b.write_slots = 8 * page;
    b.gc_slots = 4 * page;
    return b;
  }
  void write(std::uint32_t times, std::uint32_t lpages, std::uint32_t within) {
    for (std::uint32_t i = 0; i < times; ++i) {
      const std::uint64_t at = drive.random() % (within / lpages) * lpages;
      EXPECT_EQ(drive.run(write_of(8 * at, 8 * lpages)), 0);
    }
    drive.settle();
  }
  [[nodiscard]] const struct wl_firmware_statistics& counted() const { return drive.statistics(); }
  [[nodiscard]] std::uint64_t false_capacity() const {
    return counted().lpages_programmed - counted().erased_lpages - counted().mapped_lpages;
  }
  wl_boot_info boot;
  Drive drive;
};

// mpnfm.ec.trend, mpnfm.eb.trend, mpnfm.lifetime.def: the larger the pages the more bits are erased by writes of a
// sector; in erases blocks of small pages lead as soon as writes fill larger pages. mpnfm.motive.large_frag,
// mpnfm.motive.rnm, mpnfm.def.rrnm: each such write reads the rest of its page first, and leaves the old one unusable.
TEST(PageSizes, SmallWritesErasePagesOfAllSizesAndLongOnesBlocksOfSmallPages) {
  std::uint64_t bits = 0, modified = 0, erases = UINT64_MAX;
  for (const std::uint32_t page : {1U, 2U, 4U, 8U}) {
    SCOPED_TRACE(page);
    Capacity of_lpages(page);
    of_lpages.write(8000, 1, 512);
    const struct wl_firmware_statistics& s = of_lpages.counted();
    EXPECT_EQ(s.erased_lpages, s.blocks.superblock_erases * 16 * page);
    EXPECT_GT(s.erased_lpages, bits);
    EXPECT_GE(s.modify.reads, modified);
    bits = s.erased_lpages;
    modified = s.modify.reads;
    Capacity of_pages(page);
    of_pages.write(1000, 8, 2048);
    EXPECT_LT(of_pages.counted().blocks.superblock_erases, erases);
    erases = of_pages.counted().blocks.superblock_erases;
  }
  EXPECT_GT(modified, 7000U);
}

// mpnfm.motive.seq_small, mpnfm.motive.large_cost: bulk data take a command for each page.
TEST(PageSizes, BulkDataTakeMoreCommandsOnSmallPages) {
  for (const std::uint32_t page : {1U, 2U, 4U, 8U}) {
    Capacity memory(page);
    for (std::uint32_t at = 0; at < 1024; at += 64) EXPECT_EQ(memory.drive.run(write_of(8 * at, 8 * 64)), 0);
    memory.drive.settle();
    EXPECT_EQ(memory.drive.nand().large_programs, 1024 / page);
    for (std::uint32_t at = 0; at < 1024; at += 64) EXPECT_EQ(memory.drive.run(read_of(8 * at, 8 * 64)), 0);
    EXPECT_EQ(memory.drive.nand().reads, 1024 / page);
  }
}

// mpnfm.summary.marked: small writes among long ones make fewer erased bits and fewer read-modify operations than on
// large pages alone. mpnfm.future.wear: blocks of the two sizes wear by themselves. mpnfm.read_latency.cause: a read
// takes as many pages as its data lie in.
TEST(PageSizes, TwoOfThemSpareErasesAndModifications) {
  Capacity large(8), both(8, true);
  for (Capacity* memory : {&large, &both}) {
    for (std::uint32_t i = 0; i < 100; ++i) {
      memory->write(40, 1, 128);
      memory->write(4, 8, 2048);
    }
  }
  EXPECT_LT(both.counted().erased_lpages, large.counted().erased_lpages);
  EXPECT_LT(both.counted().modify.reads, large.counted().modify.reads / 4);
  EXPECT_LT(both.false_capacity(), large.false_capacity());
  const std::uint64_t of_small = both.counted().small.superblock_erases;
  EXPECT_GT(of_small, both.counted().blocks.superblock_erases - of_small) << "28 superblocks of each";
  EXPECT_EQ(both.drive.run(write_of(64, 64)), 0);
  EXPECT_EQ(both.drive.run(write_of(64, 8)), 0);
  both.drive.settle();
  const std::uint64_t before = both.drive.nand().reads;
  EXPECT_EQ(both.drive.run(read_of(64, 64)), 0);
  EXPECT_EQ(both.drive.nand().reads, before + 2) << "a small page, and the large one";
}

// ---- everything, at random ----

enum Kind { kBuffered, kThrough, kInDie };
using Case = std::tuple<Kind, std::uint32_t, Shape>;
class TwoPageSizes : public ::testing::TestWithParam<Case> {
 protected:
  static wl_boot_info boot() {
    const auto [kind, large, shape] = GetParam();
    wl_boot_info b = two_sizes(shape, large);
    b.ftl.write_through = kind == kBuffered ? 0 : 1;
    if (kind == kInDie) {
      b.channels = b.dies = 1;
      b.pages = b.ftl.small.pages = 16;
      b.ftl.modify_in_die = 1;
    }
    return b;
  }
};

TEST_P(TwoPageSizes, KeepEverythingOverOverwrites) {
  const auto [kind, large, shape] = GetParam();
  Drive drive(boot(), 100 + large + kind);
  stress(drive, boot(), kEverything, 3);
  read_everything(drive, boot());
  EXPECT_EQ(drive.run(flush()), 0);
  drive.settle();
  EXPECT_TRUE(drive.idle());
  EXPECT_TRUE(drive.errors.empty());
  expect_two_sizes_consistent(drive);
  expect_books(drive);
  const auto& small = drive.statistics().small;
  EXPECT_GT(small.superblock_erases, 1U);
  EXPECT_GT(drive.statistics().blocks.superblock_erases, small.superblock_erases);
  EXPECT_GE(small.merged_lpages, small.merged_pages);
  if (kind != kBuffered) {
    EXPECT_EQ(wl_buffered_lpages(&drive.statistics()), 0U);
  }
  if (kind == kInDie) {
    EXPECT_GT(drive.nand().modified, 10U);
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& param) {
  static constexpr std::array kNames = {"buffered", "through", "in_die"};
  return std::string(kNames[std::get<0>(param.param)]) + "_" + std::to_string(std::get<1>(param.param)) + "_" +
         std::get<2>(param.param).name;
}

INSTANTIATE_TEST_SUITE_P(Cases, TwoPageSizes,
                         ::testing::Combine(::testing::Values(kBuffered, kThrough),
                                            ::testing::Values(2U, 4U, 7U, 8U, 16U),
                                            ::testing::Values(shape_of("filled", 1, 1, true, true),
                                                              shape_of("empty", 2, 1, true, false),
                                                              shape_of("one_shot", 2, 3, false, true))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(InDie, TwoPageSizes,
                         ::testing::Combine(::testing::Values(kInDie), ::testing::Values(2U, 8U, 16U),
                                            ::testing::Values(shape_of("filled", 1, 1, true, true),
                                                              shape_of("empty", 1, 1, false, false))),
                         name_of);

// Many small drives: the thresholds at both ends, short small blocks, few and many of them, little spare space, few and
// many read errors, failing programs. A sector that could not be read may be lost, a written one never comes back
// wrong, and the drive never stops (Drive checks both). WORDLINE_SEEDS: how many.
TEST(TwoPageSizesAtRandom, LiveWithWhatMayCome) {
  const char* const more = std::getenv("WORDLINE_SEEDS");
  const std::uint64_t seeds = more != nullptr ? std::strtoull(more, nullptr, 10) : 60;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Drive dice(two_sizes(kSimple, 4), 1000 + seed);
    const auto draw = [&dice](std::uint64_t n) { return static_cast<std::uint32_t>(dice.random() % n); };
    const std::array<std::uint32_t, 5> sizes = {2, 3, 4, 8, 16};
    const std::uint32_t large = sizes.at(draw(sizes.size()));
    wl_boot_info boot = two_sizes(shape_of("", 1 + draw(2), 1 + 2 * draw(2), draw(2) != 0, draw(2) != 0), large);
    boot.ftl.small.pages = boot.pages_per_program * (1 + draw(boot.pages / boot.pages_per_program));
    boot.ftl.small.blocks = 4 + draw(8);
    boot.blocks = 24 + boot.ftl.small.blocks;
    policy_keys(boot).mpnfm = {draw(3) == 0 ? 0 : 1 + draw(8 * large), 1 + draw(2)};
    boot.ftl.write_through = draw(2);
    const bool errors = draw(2) == 0, failures = draw(4) == 0;
    const std::uint32_t good = errors ? std::array{400U, 40U, 4U}.at(draw(3)) : 0;
    if (!failures && draw(2) == 0) {  // as little spare space as `check` accepts
      boot.gc_start_superblocks = boot.gc_reserve_superblocks + draw(3);
      const std::uint32_t superblock = boot.dies * boot.pages * boot.planes * large;
      boot.user_lpages = (24 - boot.gc_start_superblocks - 3) * superblock;
      boot.write_slots = (5 + draw(4)) * boot.planes * large * boot.pages_per_program + 1;
    }
    boot.host_tags = draw(3) == 0 ? 1 : boot.host_tags;  // GC must not need the company of further commands
    Drive drive(boot, seed);
    drive.order = std::array{Drive::Order::kAny, Drive::Order::kFlashLast, Drive::Order::kHardwareFirst,
                             Drive::Order::kCoresFirst}
                      .at(draw(4));
    if (errors) {
      drive.nand().faults.uncorrectable = [&drive, good](const wl_flash_job&, std::uint32_t) {
        return drive.random() % good == 0;
      };
    }
    std::uint32_t left = failures ? 3 : 0;
    drive.nand().faults.program_fail = [&](const wl_flash_job&, std::uint32_t) {
      if (left == 0 || drive.random() % 300 != 0) return false;
      --left;
      return true;
    };
    stress(drive, boot, kEverything, 2);
    read_everything(drive, boot);
    drive.settle();
    EXPECT_TRUE(drive.idle());
    if (!errors && !rooms(drive.firmware()).space.read_only) {  // which failures make of a drive with few blocks
      EXPECT_TRUE(drive.errors.empty());
    }
    expect_two_sizes_consistent(drive);
    expect_books(drive);
  }
}

// Every program of a small page fails: the small superblocks are retired one after the other. A drive that has none
// left is read-only, and the write that waits for its program ends with an error instead of never.
TEST(TwoPageSizesWithoutSmallSuperblocks, EndEveryCommand) {
  for (const std::uint32_t write_through : {0U, 1U}) {
    for (const std::uint32_t reserve : {0U, 1U}) {
      SCOPED_TRACE(::testing::Message() << "write_through " << write_through << ", reserve " << reserve);
      wl_boot_info boot = two_sizes(shape_of("", 1, 1, false, false), 4);
      boot.ftl.write_through = write_through;
      boot.gc_reserve_superblocks += reserve;
      boot.gc_start_superblocks += reserve;
      Drive drive(boot, 5);
      drive.nand().faults.program_fail = [&boot](const wl_flash_job& job, std::uint32_t) {
        return job.block >= boot.blocks - boot.ftl.small.blocks;
      };
      for (std::uint32_t i = 0; i < 40; ++i) {
        while (!drive.has_tag()) drive.step();
        drive.submit(write_of(i * 64ULL, 8));
      };
      drive.settle();
      EXPECT_TRUE(drive.idle());
      EXPECT_TRUE(rooms(drive.firmware()).space.read_only);
      EXPECT_NE(drive.run(write_of(0, 8)), 0);
      EXPECT_NE(drive.run(flush()), 0);
    }
  }
}

// On the instruction-set model the same, from the image.
TEST(TwoPageSizesImage, KeepEverything) {
  for (const std::uint32_t large : {4U, 8U}) {
    Shape shape = shape_of("two_cores", 2, 1, false, true);
    shape.cores = 2;
    shape.task_core = {0, 1, 0};
    wl_boot_info boot = two_sizes(shape, large);
    boot.ftl.write_through = large == 4 ? 1 : 0;
    boot.tcm_bytes = WL_TCM_SIZE;
    Drive drive(boot, 7, WORDLINE_FIRMWARE_IMAGE);
    stress(drive, boot, kEverything, 2.5);
    read_everything(drive, boot);
    EXPECT_TRUE(drive.errors.empty());
    EXPECT_GT(drive.statistics().small.merged_pages, 10U);
  }
}

// ---- where data go ----

std::uint32_t present_of(const wl_firmware& fw, std::uint32_t page) { return rooms(fw).map.presence[page].present; }

// mpnfm.ftl.two, mpnfm.ftl.distributor, mpnfm.ftl.rbt_bit, mpnfm.ftl.rbt_index, mpnfm.ftl.lookup, mpnfm.ftl.overwrite:
// a write of the threshold goes to a small page, a longer one to a large page; a bit says where each sector lies, and
// data of the other size flip it.
TEST(Mpnfm, WritesGoByTheirLength) {
  for (const std::uint32_t threshold : {1U, 2U, 4U}) {
    SCOPED_TRACE(threshold);
    wl_boot_info boot = Example::boot_with(8, true);
    policy_keys(boot).mpnfm.threshold = 8 * threshold;
    Drive drive(boot, 3);
    const auto write = [&](std::uint64_t block, std::uint32_t blocks) {
      EXPECT_EQ(drive.run(write_of(block, blocks)), 0);
      drive.settle();
    };
    const wl_firmware& fw = drive.firmware();
    write(0, 8 * threshold);
    EXPECT_EQ(drive.nand().small_programs, threshold);
    for (std::uint32_t k = 0; k < threshold; ++k) EXPECT_TRUE(in_small(fw, k));
    EXPECT_EQ(drive.nand().large_programs, 0U);
    write(64, 8 * threshold + 8);
    EXPECT_EQ(drive.nand().large_programs, 1U);
    EXPECT_EQ(present_of(fw, 1), (2U << threshold) - 1);
    EXPECT_EQ(drive.nand().reads, 0U);
    // The other size: the old copies are void.
    write(64, 8);
    EXPECT_TRUE(in_small(fw, 8));
    EXPECT_EQ(present_of(fw, 1), (2U << threshold) - 2);
    write(0, 64);
    for (std::uint32_t k = 0; k < 8; ++k) EXPECT_FALSE(in_small(fw, k));
    EXPECT_EQ(present_of(fw, 0), 0xffU);
    EXPECT_EQ(drive.nand().reads, 0U) << "a page written as a whole needs no rest";
    expect_two_sizes_consistent(drive);
  }
}

// mpnfm.gc.separate, mpnfm.gc.small_to_large, mpnfm.gc.gather, mpnfm.gc.rest, mpnfm.gc.flip, mpnfm.gc.table,
// mpnfm.gc.limited, mpnfm.gc.effect: what is collected from small pages is in large ones afterwards, with all that
// small pages had of the same large page, and with what its large page had.
TEST(Mpnfm, SmallPagesAreMergedIntoLargeOnes) {
  wl_boot_info boot = Example::boot_with(8, true);
  boot.ftl.small = {4, 4, 1};
  boot.blocks = 24 + boot.ftl.small.blocks;
  Drive drive(boot, 3);
  const wl_firmware& fw = drive.firmware();
  const auto write = [&](std::uint32_t lpage, std::uint32_t count) {
    EXPECT_EQ(drive.run(write_of(8 * lpage, 8 * count)), 0);
    drive.settle();
  };
  write(0, 6);                                                           // large page 0: sectors 0 to 5
  for (const std::uint32_t lpage : {1U, 6U, 16U, 24U}) write(lpage, 1);  // the first superblock of small pages
  for (const std::uint32_t lpage : {3U, 32U, 40U, 48U}) write(lpage, 1);
  EXPECT_EQ(drive.statistics().small.victims, 0U);
  EXPECT_TRUE(in_small(fw, 1) && in_small(fw, 3) && in_small(fw, 6));
  const std::uint64_t reads = drive.nand().reads;
  for (const std::uint32_t lpage : {17U, 25U, 33U, 41U}) write(lpage, 1);  // now one is free
  const auto& small = drive.statistics().small;
  EXPECT_EQ(small.victims, 1U);
  EXPECT_EQ(small.superblock_erases, 1U);
  EXPECT_FALSE(in_small(fw, 1) || in_small(fw, 3) || in_small(fw, 6))
      << "3 lies in another superblock, and is gathered";
  EXPECT_EQ(present_of(fw, 0), 0x7fU);
  EXPECT_EQ(small.merged_pages, 3U) << "large pages 0, 2 and 3";
  EXPECT_GE(small.merged_lpages, 5U);
  EXPECT_EQ(small.joined_lpages, 4U) << "0, 2, 4 and 5 of large page 0";
  EXPECT_GE(drive.nand().reads - reads, 3U + 3U + 2U) << "0, 2 and 4 to 5 by three reads, small pages by one each";
  for (std::uint32_t lpage = 0; lpage < 48; ++lpage) EXPECT_EQ(drive.run(read_of(8 * lpage, 8)), 0);
  expect_two_sizes_consistent(drive);
}

// mpnfm.gc.no_down: data of large pages stay in large pages, whatever is collected. mpnfm.claim.any_ftl: superblocks of
// large pages are collected as by page_greedy.
TEST(Mpnfm, CollectionMovesNothingToSmallPages) {
  wl_boot_info boot = two_sizes(kSimple, 8);
  boot.ftl.write_through = 1;
  Drive drive(boot, 5);
  while (drive.statistics().gc_superblocks < 40) {
    const std::uint64_t page = drive.random() % (boot.user_lpages / 8);
    EXPECT_EQ(drive.run(write_of(64 * page, 64)), 0);
  }
  EXPECT_EQ(drive.nand().small_programs, 0U);
  EXPECT_EQ(drive.statistics().small.victims, 0U);
  EXPECT_GT(drive.statistics().moved_pages, 0U);
}

}  // namespace
}  // namespace wordline::testing::mpnfm_test
