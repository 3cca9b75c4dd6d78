// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a controller takes around a read beside the bus and the array: from one job of a die to the next
// (channels.hand_over), from the decoder to the data buffer (channels.page_latency), and commands that go between the
// logical pages of a page on its way out (channels.split_data_out).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::read_timing_test {
namespace {

using namespace wordline::literals;

constexpr Picoseconds kLpage{4648 * 1250};
constexpr Picoseconds kPauses{15'000 + 25'000 + 26'250};  // of a data segment: tRPRE, tDQSRE, tRPST
constexpr Picoseconds kRhw = 100_ns;

/// One channel of two packages, a die in each.
config::Config two_dies() {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  return c;
}

/// A job to be pushed at a time after the first.
struct Timed {
  Picoseconds at;
  wl_flash_job job;
};

/// A channel of its own. Times are those since the start of its jobs.
class Channel {
 public:
  explicit Channel(const config::Config& config) : bench_(sc_core::sc_gen_unique_name("bench"), config) {}

  /// Pushes the jobs, in the order of their times, each with its number as tag, and waits until all have ended.
  void run(const std::vector<Timed>& jobs) {
    start_ = now();
    std::uint16_t tag = 0;
    for (Timed timed : jobs) {
      if (timed.at > now() - start_) sc_core::wait(tlm_if::to_sc_time(start_ + timed.at - now()));
      timed.job.tag = tag++;
      bench_.push(timed.job);
      bench_.doorbell();
    }
    bench_.wait_for(jobs.size());
  }
  [[nodiscard]] ControllerBench& bench() { return bench_; }
  [[nodiscard]] Picoseconds ends(std::uint16_t job) const { return bench_.completion(job).at - start_; }
  [[nodiscard]] Picoseconds command(std::uint16_t read) const { return marks(read).command - start_; }
  [[nodiscard]] Picoseconds data(std::uint16_t read) const { return marks(read).data - start_; }
  /// Bus segments of a die, those with data alone or without.
  [[nodiscard]] std::vector<SeenSegment> segments(unsigned die, bool with_data) const {
    std::vector<SeenSegment> found;
    for (SeenSegment segment : bench_.segments) {
      if (segment.die != die || (segment.lpages != 0) != with_data) continue;
      segment.start -= start_;
      segment.end -= start_;
      found.push_back(segment);
    }
    return found;
  }

 private:
  [[nodiscard]] static Picoseconds now() { return tlm_if::to_picoseconds(sc_core::sc_time_stamp()); }
  [[nodiscard]] const tlm_if::ReadMarks& marks(std::uint16_t tag) const {
    return std::find_if(bench_.reads.begin(), bench_.reads.end(), [&](const auto& read) { return read.tag == tag; })
        ->marks;
  }

  ControllerBench bench_;
  Picoseconds start_{};
};

void simulate_all(const std::function<void()>& body) { simulate(body, {1, sc_core::SC_SEC}); }

wl_flash_job read_of(std::uint16_t die, std::uint32_t block, std::uint16_t lpage, std::uint16_t count,
                     std::uint32_t slot) {
  return ControllerBench::read_job(die, block, 0, lpage, count, slot);
}

/// What the cells of the first page of block 0 of die 0 hold is in the slots from 0 on.
void expect_page(Channel& channel) {
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(channel.bench().buffer.slot(slot),
              ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(0), PageId(0), slot}).token);
  }
}

// The gate is tight: a job that is there a picosecond before it opens waits for it, one that comes as it opens does
// not.
TEST(HandOver, TheNextJobOfADieWaitsForItAndNoLonger) {
  config::Config config = two_dies();
  config.channels.hand_over = 5_us;
  Channel waits(config), early(config), on_time(config), late(config);
  Picoseconds opens{};
  simulate_all([&] {
    waits.run({{0_ps, read_of(0, 0, 0, 1, 0)}, {0_ps, read_of(0, 1, 0, 1, 1)}});
    opens = waits.data(0) + kPauses + kLpage + kRhw + config.channels.hand_over;
    early.run({{0_ps, read_of(0, 0, 0, 1, 0)}, {opens - 1_ps, read_of(0, 1, 0, 1, 1)}});
    on_time.run({{0_ps, read_of(0, 0, 0, 1, 0)}, {opens, read_of(0, 1, 0, 1, 1)}});
    late.run({{0_ps, read_of(0, 0, 0, 1, 0)}, {opens + 1_ps, read_of(0, 1, 0, 1, 1)}});
  });
  EXPECT_EQ(waits.command(1), opens);
  EXPECT_EQ(early.command(1), opens);
  EXPECT_EQ(on_time.command(1), opens);
  EXPECT_EQ(late.command(1), opens + 1_ps);
}

TEST(HandOver, OtherDiesAndTheFirstJobDoNotWait) {
  config::Config config = two_dies();
  Channel without(config);
  config.channels.hand_over = 5_us;
  Channel with(config);
  const std::vector<Timed> jobs = {{0_ps, read_of(0, 0, 0, 1, 0)}, {0_ps, read_of(1, 0, 0, 1, 1)}};
  simulate_all([&] {
    without.run(jobs);
    with.run(jobs);
  });
  for (std::uint16_t job = 0; job < 2; ++job) EXPECT_EQ(with.ends(job), without.ends(job));
}

TEST(HandOver, FollowsProgramsAndErasesToo) {
  config::Config config = two_dies();
  Channel without(config);
  config.channels.hand_over = 7_us;
  Channel with(config);
  simulate_all([&] {
    for (Channel* channel : {&without, &with}) {
      ControllerBench& bench = channel->bench();
      for (std::uint32_t slot = 100; slot < 124; ++slot) bench.owner(slot) = slot;
      channel->run({{0_ps, bench.write_job(WL_FLASH_ERASE, 0, 2, 0, 0)},
                    {0_ps, bench.write_job(WL_FLASH_ERASE, 0, 3, 0, 0)},
                    {20_ms, bench.write_job(WL_FLASH_PROGRAM, 0, 2, 0, 100)},
                    {20_ms, bench.write_job(WL_FLASH_ERASE, 0, 2, 0, 0)}});
    }
  });
  EXPECT_EQ(with.ends(0), without.ends(0));
  EXPECT_EQ(with.ends(1), without.ends(1) + 7_us);
  EXPECT_EQ(with.ends(2), without.ends(2));
  EXPECT_EQ(with.ends(3), without.ends(3) + 7_us);
}

TEST(PageLatency, EveryReadIsLaterByItAndTheDieIsNot) {
  config::Config config = two_dies();
  Channel without(config);
  config.channels.page_latency = 6_us;
  Channel with(config);
  const std::vector<Timed> jobs = {
      {0_ps, read_of(0, 0, 0, 1, 0)}, {0_ps, read_of(0, 1, 2, 1, 10)}, {0_ps, read_of(1, 0, 5, 1, 20)}};
  simulate_all([&] {
    without.run(jobs);
    with.run(jobs);
  });
  for (std::uint16_t job = 0; job < 3; ++job) {
    EXPECT_EQ(with.command(job), without.command(job)) << job;
    EXPECT_EQ(with.data(job), without.data(job)) << job;
    EXPECT_EQ(with.ends(job), without.ends(job) + 6_us) << job;
  }
}

// A page of die 0 is on the bus when the read of die 1 comes: its command follows the logical page under way.
TEST(SplitDataOut, ACommandGoesBetweenTwoLogicalPages) {
  config::Config config = two_dies();
  Channel whole(config);
  config.channels.split_data_out = true;
  Channel alone(config), split(config);
  std::vector<Timed> jobs = {{0_ps, read_of(0, 0, 0, 4, 0)}};
  simulate_all([&] {
    alone.run(jobs);
    jobs.push_back({alone.data(0) + kPauses + kLpage + 1_us, read_of(1, 0, 0, 1, 10)});
    whole.run(jobs);
    split.run(jobs);
  });
  EXPECT_EQ(whole.command(1), whole.data(0) + kPauses + kLpage * 4);
  EXPECT_EQ(split.command(1), split.data(0) + (kPauses + kLpage) * 2);
  const std::vector<SeenSegment> data = split.segments(0, true);
  ASSERT_EQ(data.size(), 4U);
  EXPECT_EQ(data[1].start, data[0].end);
  EXPECT_EQ(data[2].start, split.segments(1, false).front().end);
  EXPECT_EQ(data[3].start, data[2].end);
  EXPECT_EQ(split.segments(0, false).size(), alone.segments(0, false).size()) << "no column selection";
  expect_page(split);
}

// A die of the same package is addressed, so the data go on after a column selection.
TEST(SplitDataOut, ADieOfTheSamePackageCostsAColumnSelection) {
  config::Config config = two_dies();
  config.channels.packages = 1;
  config.channels.dies_per_package = 2;
  config.channels.split_data_out = true;
  Channel alone(config), split(config);
  std::vector<Timed> jobs = {{0_ps, read_of(0, 0, 0, 4, 0)}};
  simulate_all([&] {
    alone.run(jobs);
    jobs.push_back({alone.data(0) + 1_us, read_of(1, 0, 0, 1, 10)});
    split.run(jobs);
  });
  EXPECT_EQ(split.command(1), split.data(0) + kPauses + kLpage + kRhw);
  EXPECT_EQ(split.segments(0, false).size(), alone.segments(0, false).size() + 1);
  expect_page(split);
}

}  // namespace
}  // namespace wordline::testing::read_timing_test
