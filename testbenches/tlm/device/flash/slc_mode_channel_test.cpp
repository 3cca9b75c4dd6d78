// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs in SLC mode, and reads of what they wrote, as the channel controller carries them out.
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::slc_mode_channel_test {
namespace {

using onfi::SegmentKind;
using namespace wordline::literals;

constexpr std::uint32_t kBlock = 5;  // the fill leaves it blank
constexpr std::uint16_t kPage = 8;   // logical pages of a page in both planes

config::Config one_channel() {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 1;
  c.channels.dies_per_package = 1;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  c.nand.slc_mode = {25_us, 200_us};
  c.ftl.slc.cache = config::SlcCache::kDynamic;
  return c;
}

sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

wl_flash_job slc_program(const ControllerBench& bench, std::uint32_t page) {
  wl_flash_job job = bench.write_job(WL_FLASH_PROGRAM, 0, kBlock, page, 0);
  job.count = kPage;
  job.control = WL_PROGRAM_SLC;
  return job;
}

void fill_slots(ControllerBench& bench, std::uint32_t count, std::uint32_t lpn) {
  for (std::uint32_t i = 0; i < count; ++i) {
    bench.buffer.slot(i) = data::LpageToken::uniform(Lpn(lpn + i), 2);
    bench.owner(i) = lpn + i;
  }
}

TEST(ChannelSlcMode, AProgramIsOnePageOfAllPlanesAndItsReadsHaveThePrefix) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        fill_slots(bench, kPage, 700);
        bench.push(slc_program(bench, 0));
        bench.doorbell();
        bench.wait_for(1);
        bench.push(ControllerBench::read_job(0, kBlock, 0, 0, kPage, 100));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK);
  for (std::uint32_t i = 0; i < kPage; ++i) EXPECT_EQ(bench.owner(100 + i), 700 + i);
  unsigned loads = 0;
  Picoseconds confirmed{}, commanded{};
  for (const SeenSegment& s : bench.segments) {
    loads += s.kind == SegmentKind::kDataIn ? 1 : 0;
    if (s.kind == SegmentKind::kCommand && s.end - s.start == 45_ns) confirmed = s.end;
    if (s.kind == SegmentKind::kCommand && s.end - s.start == 220_ns) commanded = s.end;  // seven cycles and A2h
  }
  EXPECT_EQ(loads, 2U) << "one page in each plane";
  const auto status = std::find_if(bench.segments.begin(), bench.segments.end(),
                                   [](const SeenSegment& s) { return s.kind == SegmentKind::kStatus; });
  ASSERT_NE(status, bench.segments.end());
  EXPECT_EQ(status->start, confirmed + 100_ns + 200_us);
  // Both planes are sensed together; 06h ADDR E0h selects the first when the die is ready.
  const auto selected = std::find_if(bench.segments.begin(), bench.segments.end(),
                                     [&](const SeenSegment& s) { return s.start > commanded; });
  ASSERT_NE(selected, bench.segments.end());
  EXPECT_EQ(selected->start, commanded + 100_ns + 25_us);
}

TEST(ChannelSlcMode, AnEraseEndsTheModeAndTheNextProgramDecides) {
  ControllerBench bench("bench", one_channel());
  simulate(
      [&] {
        fill_slots(bench, 3U * kPage, 900);
        bench.push(slc_program(bench, 0));
        bench.push(slc_program(bench, 3));
        bench.push(bench.write_job(WL_FLASH_ERASE, 0, kBlock, 0, 0));
        bench.push(bench.write_job(WL_FLASH_PROGRAM, 0, kBlock, 0, 0));
        bench.push(ControllerBench::read_job(0, kBlock, 2, 0, kPage, 100));
        bench.doorbell();
        bench.wait_for(5);
      },
      limit());
  for (std::uint16_t i = 0; i < 5; ++i) EXPECT_EQ(bench.completion(i).entry.status, WL_FLASH_OK) << i;
  for (std::uint32_t i = 0; i < kPage; ++i) EXPECT_EQ(bench.owner(100 + i), 900 + 2U * kPage + i);
}

}  // namespace
}  // namespace wordline::testing::slc_mode_channel_test
