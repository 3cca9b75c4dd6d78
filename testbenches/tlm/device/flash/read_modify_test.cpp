// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Read and modify in the die: a program whose page begins as a copy of another one (WL_PROGRAM_MODIFY), through a
// channel controller. Device file configs/nand/mlc_planar.toml, one die. The timing checker watches every segment.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/ecc/code/codeword.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/observe/wave_reader.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/observe/fst_recorder.h"

namespace wordline::testing::read_modify_test {
namespace {

using namespace wordline::literals;
using onfi::SegmentKind;

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

config::Config planar() {
  config::Config c = config::load(fmt::format("{}/nand/mlc_planar.toml", WORDLINE_CONFIGS), {}).config;
  c.channels.count = c.channels.packages = c.channels.dies_per_package = 1;
  c.nand.geometry.blocks_per_plane = 8;
  return c;
}

/// Page `page` of block 6 begins as page `source` of block 2; `count` logical pages from `lpage` on are replaced by
/// those of the slots from `slot` on.
wl_flash_job modify(const ControllerBench& bench, std::uint32_t page, std::uint32_t source, std::uint16_t lpage,
                    std::uint16_t count, std::uint32_t slot) {
  wl_flash_job job = bench.write_job(WL_FLASH_PROGRAM, 0, 6, page, slot);
  job.control = WL_PROGRAM_MODIFY;
  job.source = 2 * bench.layout.pages_per_block + source;
  job.lpage = lpage;
  job.count = count;
  return job;
}

void fill_slots(ControllerBench& bench, std::uint32_t slot, std::uint32_t count, std::uint32_t lpn) {
  for (std::uint32_t i = 0; i < count; ++i) {
    bench.buffer.slot(slot + i) = data::LpageToken::uniform(Lpn(lpn + i), 9);
    bench.owner(slot + i) = lpn + i;
  }
}

std::uint32_t owner_of(ControllerBench& bench, std::uint32_t block, std::uint32_t page, std::uint32_t lpage) {
  return bench.dies[0]->array().lpage({PlaneId(0), BlockId(block), PageId(page), lpage}).lpn;
}
std::uint32_t filled_owner(std::uint32_t page, std::uint32_t lpage) {
  return ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(2), PageId(page), lpage}).lpn;
}

std::size_t commands(const ControllerBench& bench, std::uint8_t opcode) {
  return static_cast<std::size_t>(
      std::count_if(bench.segments.begin(), bench.segments.end(),
                    [opcode](const SeenSegment& s) { return s.kind == SegmentKind::kCommand && s.opcode == opcode; }));
}

TEST(ReadModify, OnlyWhatChangesCrossesTheBus) {
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("wordline_modify_{}.fst", ::getpid())).string();
  observe::FstRecorder recorder(testing::context(), file);
  ControllerBench bench("bench", planar(), 1024, 4, &recorder);
  simulate(
      [&] {
        fill_slots(bench, 100, 2, 777'000);
        bench.push(modify(bench, 0, 5, 1, 2, 100));
        bench.doorbell();
        bench.wait_for(1);
        sc_core::wait(1, sc_core::SC_US);
      },
      limit());
  recorder.close();
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(owner_of(bench, 6, 0, 0), filled_owner(5, 0));
  EXPECT_EQ(owner_of(bench, 6, 0, 1), 777'000U);
  EXPECT_EQ(owner_of(bench, 6, 0, 2), 777'001U);
  EXPECT_EQ(owner_of(bench, 6, 0, 3), filled_owner(5, 3));

  // 00h ADDR 35h, tWB + tR, 85h ADDR, tADL, two logical pages, 10h, tWB + tPROG, 70h: each as early as the die permits.
  const config::Channels& ch = bench.config.channels;
  const onfi::BusTiming timing(ch);
  ASSERT_EQ(bench.segments.size(), 5U);
  const auto& [read, load, data, confirm, status] =
      std::tie(bench.segments[0], bench.segments[1], bench.segments[2], bench.segments[3], bench.segments[4]);
  EXPECT_EQ(read.opcode, onfi::kRead);
  EXPECT_EQ(read.end - read.start, timing.command(7));
  EXPECT_EQ(load.opcode, onfi::kChangeWriteColumn);
  EXPECT_EQ(load.start - read.end, ch.t_wb + 60_us);
  EXPECT_EQ(load.end - load.start, timing.command(6));
  EXPECT_EQ(data.kind, SegmentKind::kDataIn);
  EXPECT_EQ(data.lpages, 2U);
  EXPECT_EQ(data.start - load.end, ch.t_adl);
  EXPECT_EQ(data.end - data.start, timing.data_in(2 * 4648));
  EXPECT_EQ(confirm.opcode, onfi::kProgramConfirm);
  EXPECT_EQ(confirm.start, data.end);
  EXPECT_EQ(status.kind, SegmentKind::kStatus);
  EXPECT_EQ(status.start - confirm.end, ch.t_wb + 1200_us);
  EXPECT_EQ(bench.completion(0).at, status.end);
  EXPECT_EQ(bench.checker.violations(), 0U);

  const Waves waves = read_waves(file);
  std::filesystem::remove(file);
  std::vector<std::string> bus;
  for (const auto& [at, text] : waves.changes.at("ssd.channel0.bus.transaction")) {
    if (text.empty()) continue;
    fmt::print("{:12.3f}  {}\n", static_cast<double>(at) / 1e6, text);
    bus.push_back(text);
  }
  EXPECT_EQ(bus, (std::vector<std::string>{"COPYBACK READ d0 b2 p5", "COPYBACK PROGRAM d0 b6 p0",
                                           "DATA IN d0 b6 p0 s1+2", "PROGRAM CONFIRM d0 b6 p0", "STATUS d0"}));
}

TEST(ReadModify, HasNoPartInCacheProgram) {
  config::Config c = planar();
  c.channels.cache_program = true;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        fill_slots(bench, 0, 4, 700);
        for (std::uint32_t page = 0; page < 6; ++page) {
          if (page == 2 || page == 3) {
            bench.push(modify(bench, page, page, 0, 1, 0));
          } else {
            bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, 6, page, 0));
          }
        }
        bench.doorbell();
        bench.wait_for(6);
      },
      limit());
  // Pages 0 and 1, and 4 and 5, are a sequence each.
  EXPECT_EQ(commands(bench, onfi::kProgramCache), 2U);
  EXPECT_EQ(commands(bench, onfi::kProgramConfirm), 4U);
  for (std::uint32_t page = 0; page < 6; ++page) {
    const bool copied = page == 2 || page == 3;
    EXPECT_EQ(owner_of(bench, 6, page, 0), 700U) << page;
    EXPECT_EQ(owner_of(bench, 6, page, 3), copied ? filled_owner(page, 3) : 703U) << page;
  }
  EXPECT_EQ(bench.checker.violations(), 0U);
}

// A host read that comes while the source is read waits for it and the data in; then it suspends the program.
TEST(ReadModify, IsSuspendedAsAnyProgram) {
  config::Config c = planar();
  c.channels.suspend = config::SuspendPolicy::kProgram;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        fill_slots(bench, 0, 1, 700);
        bench.push(modify(bench, 0, 7, 3, 1, 0));
        bench.doorbell();
        sc_core::wait(20, sc_core::SC_US);
        bench.push(ControllerBench::read_job(0, 2, 9, 0, 1, 100));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.completions[0].entry.id, 1) << "the read first";
  ASSERT_GE(bench.segments.size(), 6U);
  EXPECT_EQ(bench.segments[3].opcode, onfi::kProgramConfirm);
  EXPECT_EQ(bench.segments[4].opcode, onfi::kSuspendProgram);
  EXPECT_EQ(owner_of(bench, 6, 0, 0), filled_owner(7, 0)) << "the register was used meanwhile";
  EXPECT_EQ(owner_of(bench, 6, 0, 3), 700U);
  EXPECT_EQ(bench.checker.violations(), 0U);
}

TEST(ReadModify, ParametersAreSetBeforeTheSource) {
  config::Config c = planar();
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        fill_slots(bench, 0, 1, 700);
        bench.program_set(1) = {};
        bench.program_set(1).start_raise_mv = 100;
        wl_flash_job job = modify(bench, 0, 7, 0, 1, 0);
        job.control |= 1;
        bench.push(job);
        bench.doorbell();
        bench.wait_for(1);
      },
      limit());
  EXPECT_EQ(bench.segments[0].kind, SegmentKind::kSetFeatures);
  EXPECT_EQ(bench.segments[1].opcode, onfi::kRead);
  EXPECT_EQ(owner_of(bench, 6, 0, 3), filled_owner(7, 3));
}

// What nobody can read does not become readable by being copied: errors are half of the bits at most, and stay.
TEST(ReadModify, ErrorsOfManyCopiesStay) {
  config::Config c = planar();
  c.nand.faults.unreadable_pages = 1;
  ControllerBench bench("bench", c);
  constexpr std::uint32_t kCopies = 16;
  simulate(
      [&] {
        fill_slots(bench, 0, 1, 700);
        for (std::uint32_t page = 0; page < kCopies; ++page) {
          wl_flash_job job = modify(bench, page, 0, 0, 1, 0);
          if (page != 0) job.source = 6 * bench.layout.pages_per_block + page - 1;
          bench.push(job);
        }
        bench.doorbell();
        bench.wait_for(kCopies);
        flash::NandDie& die = *bench.dies[0];
        bench.push(ControllerBench::read_job(0, 6, kCopies - 1, 3, 1, 100));
        bench.doorbell();
        bench.wait_for(kCopies + 1);
        const unsigned own =
            die.array().bit_errors(PlaneId(0), BlockId(6), PageId(kCopies - 1), 6, ecc::kCodewordBits, 0);
        EXPECT_EQ(bench.decoder.errors.at(0), own + ecc::kCodewordBits / 2);
      },
      limit());
}

TEST(ReadModify, WhatIsNoneIsRefused) {
  ControllerBench bench("bench", planar());
  config::Config two = planar();
  two.nand.geometry.planes = 2;
  const config::Layout layout = config::layout_of(two);
  const flash::JobCheck check(planar(), bench.layout, ChannelId(0));
  const wl_flash_job good = modify(bench, 0, 5, 1, 2, 0);
  EXPECT_EQ(check.fault(good), "");
  const auto with = [&](auto change) {
    wl_flash_job job = good;
    change(job);
    return check.fault(job);
  };
  EXPECT_EQ(with([](wl_flash_job& j) { j.count = 0; }),
            "WL_PROGRAM_MODIFY of logical pages 1+0, expected some of 4 but not all");
  EXPECT_EQ(with([](wl_flash_job& j) { j.lpage = 3; }),
            "WL_PROGRAM_MODIFY of logical pages 3+2, expected some of 4 but not all");
  EXPECT_EQ(with([](wl_flash_job& j) { j.lpage = 0, j.count = 4; }),
            "WL_PROGRAM_MODIFY of logical pages 0+4, expected some of 4 but not all");
  EXPECT_EQ(with([&](wl_flash_job& j) { j.source = 8 * bench.layout.pages_per_block; }),
            "source of WL_PROGRAM_MODIFY: block 8 of 8");
  EXPECT_EQ(with([&](wl_flash_job& j) { j.source = 6 * bench.layout.pages_per_block; }),
            "WL_PROGRAM_MODIFY of page 0 of block 6, which is its own source");
  EXPECT_EQ(
      flash::JobCheck(two, layout, ChannelId(0)).fault(good),
      "WL_PROGRAM_MODIFY, expected nand.planes = 1 and nand.program = page: a page is copied to its own plane, and "
      "by itself");
}

}  // namespace
}  // namespace wordline::testing::read_modify_test
