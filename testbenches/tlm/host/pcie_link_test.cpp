// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/link/pcie_link.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/protocol/calendar.h"

namespace wordline::testing::pcie_link_test {
namespace {

using namespace wordline::literals;
using host::Direction;
using host::HostMemory;
using host::PcieLink;

TEST(PcieLinkTest, EveryTlpHasItsOverhead) {
  const PcieLink link(testing::context(), nvme_bench_config().link);
  EXPECT_EQ(link.wire_time(0), 24_ns);
  EXPECT_EQ(link.wire_time(1), 25_ns);
  EXPECT_EQ(link.wire_time(256), 280_ns);
  EXPECT_EQ(link.wire_time(257), 305_ns);
  EXPECT_EQ(link.wire_time(4096), 4480_ns);
}

TEST(PcieLinkTest, WiresAreRoundedUp) {
  config::Link config = nvme_bench_config().link;
  config.bandwidth = BytesPerSecond(3'938'461'538);                                 // Gen3 x4
  EXPECT_EQ(PcieLink(testing::context(), config).wire_time(4), Picoseconds(7110));  // 28 / 3.938461538e9 s = 7109.4 ps
}

TEST(PcieLinkTest, TransfersOfOneDirectionQueueAndTheOtherIsFree) {
  PcieLink link(testing::context(), nvme_bench_config().link);
  EXPECT_EQ(link.posted_write(Direction::kUpstream, 0_ns, 256), 380_ns);
  EXPECT_EQ(link.posted_write(Direction::kUpstream, 0_ns, 4), 408_ns);
  EXPECT_EQ(link.posted_write(Direction::kDownstream, 0_ns, 4), 128_ns);
  EXPECT_EQ(link.posted_write(Direction::kUpstream, 1_us, 4), 1128_ns);
  EXPECT_EQ(link.busy(Direction::kUpstream).busy, 336_ns);
  EXPECT_EQ(link.busy(Direction::kUpstream).uses, 3U);
  EXPECT_EQ(link.busy(Direction::kDownstream).busy, 28_ns);
}

TEST(PcieLinkTest, ReadIsARequestAndItsData) {
  PcieLink link(testing::context(), nvme_bench_config().link);
  EXPECT_EQ(link.read(0_ns, 64), 124_ns + 88_ns + 100_ns);
  EXPECT_EQ(link.busy(Direction::kUpstream).busy, 24_ns);
  EXPECT_EQ(link.busy(Direction::kDownstream).busy, 88_ns);
  PcieLink other(testing::context(), nvme_bench_config().link);
  EXPECT_EQ(other.register_read(0_ns), 124_ns + 28_ns + 100_ns);
  EXPECT_EQ(other.busy(Direction::kDownstream).busy, 24_ns);
}

TEST(PcieLinkTest, SeveralTransfersAtOnceAreThoseOfOneByOne) {
  PcieLink at_once(testing::context(), nvme_bench_config().link),
      one_by_one(testing::context(), nvme_bench_config().link);
  for (std::uint64_t run = 0; run < 200; ++run) {
    const bool reads = run % 2 == 0;
    std::vector<tlm_if::Transfer> transfers;
    std::vector<Picoseconds> expected;
    for (std::uint64_t i = 0; i < keyed_hash(1, run) % 40; ++i) {
      transfers.push_back({keyed_hash(2, run, i) % 3 == 0 ? 512U : 4096U,
                           Picoseconds(static_cast<std::int64_t>(keyed_hash(3, run, i) % 400'000'000))});
      const tlm_if::Transfer& t = transfers.back();
      expected.push_back(reads ? one_by_one.read(t.at, t.bytes) : one_by_one.write(t.at, t.bytes));
    }
    reads ? at_once.read_each(transfers) : at_once.write_each(transfers);
    for (std::size_t i = 0; i < transfers.size(); ++i) ASSERT_EQ(transfers[i].at, expected[i]) << run << ' ' << i;
  }
}

TEST(PcieLinkTest, RequestsGoBetweenDataIfToldTo) {
  config::Link config = nvme_bench_config().link;
  for (const bool first : {false, true}) {
    config.requests_first = first;
    PcieLink link(testing::context(), config);
    EXPECT_EQ(link.write(0_ns, 4096), 4480_ns + 100_ns);
    const Picoseconds request = (first ? 0_ns : 4480_ns) + 24_ns + 100_ns;
    EXPECT_EQ(link.read(0_ns, 64), request + 88_ns + 100_ns);
    EXPECT_EQ(link.write(0_ns, 256), 4480_ns + (first ? 0_ns : 24_ns) + 280_ns + 100_ns) << "data wait for data";
    EXPECT_EQ(link.busy(Direction::kUpstream).busy, 4480_ns + 24_ns + 280_ns);
  }
}

TEST(PcieLinkTest, DoorbellPassesDataThatAreNotYetThere) {
  PcieLink link(testing::context(), nvme_bench_config().link);
  EXPECT_EQ(link.read(0_ns, 4096), 124_ns + 4480_ns + 100_ns);             // data from 124 ns on
  EXPECT_EQ(link.posted_write(Direction::kDownstream, 96_ns, 4), 224_ns);  // 96..124: fits to the picosecond
  EXPECT_EQ(link.posted_write(Direction::kDownstream, 50_ns, 4), 178_ns);
  EXPECT_EQ(link.posted_write(Direction::kDownstream, 97_ns, 4), 4604_ns + 128_ns);  // 27 ns left do not fit 28
}

// Against a calendar of picosecond cells.
TEST(CalendarTest, TakesTheFirstGapThatFits) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    tlm_if::Calendar calendar;
    std::vector<bool> cells(4000);
    std::int64_t now = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
      now += static_cast<std::int64_t>(keyed_hash(seed, 1, i) % 8);
      const auto earliest = now + static_cast<std::int64_t>(keyed_hash(seed, 2, i) % 60) - 10;
      const auto length = static_cast<std::int64_t>(keyed_hash(seed, 3, i) % 12) + 1;
      std::int64_t from = std::max(now, earliest);
      const auto busy = [&](std::int64_t start) {
        for (std::int64_t t = start; t < start + length; ++t) {
          if (cells[static_cast<std::size_t>(t)]) return true;
        }
        return false;
      };
      while (busy(from)) ++from;
      for (std::int64_t t = from; t < from + length; ++t) cells[static_cast<std::size_t>(t)] = true;
      const auto slot = calendar.reserve(Picoseconds(now), Picoseconds(earliest), Picoseconds(length));
      ASSERT_EQ(slot.from.count(), from) << "seed " << seed << " call " << i;
      ASSERT_EQ(slot.joins_next, cells[static_cast<std::size_t>(from + length)]) << "seed " << seed << " call " << i;
    }
  }
}

TEST(HostMemoryTest, BytesAndStampsAreTwoFaces) {
  HostMemory memory;
  const std::uint64_t two = memory.allocate(2);
  EXPECT_EQ(two % 4096, 0U);
  EXPECT_NE(two, 0U);
  std::uint64_t word = 0x0123456789abcdefULL;
  memory.write(two + 4092, &word, 8);  // over the border
  std::uint64_t back = 0;
  memory.read(two + 4092, &back, 8);
  EXPECT_EQ(back, word);
  memory.read(two, &back, 8);
  EXPECT_EQ(back, 0U);
  memory.stamp(two + 4096 + 512) = data::LbaStamp(Lba(9), 3);
  EXPECT_EQ(memory.page(two + 4096)[1], data::LbaStamp(Lba(9), 3));
  EXPECT_TRUE(memory.page(two)[1].is_zero());
}

TEST(HostMemoryTest, FreedPagesAreUsedAgain) {
  HostMemory memory;
  const std::uint64_t a = memory.allocate();
  const std::uint64_t b = memory.allocate(3);
  EXPECT_NE(a, b);
  EXPECT_EQ(memory.pages_in_use(), 4U);
  memory.free(a);
  EXPECT_FALSE(memory.allocated(a));
  EXPECT_EQ(memory.allocate(), a);
  memory.free(b, 3);
  EXPECT_EQ(memory.allocate(3), b);
  for (int i = 0; i < 1000; ++i) EXPECT_NE(memory.allocate(), a);
}

TEST(HostMemoryTest, AccessOutsideIsReported) {
  HostMemory memory;
  const std::uint64_t a = memory.allocate();
  memory.free(a);
  expect_reports(true);
  std::uint32_t word = 7;
  memory.read(a, &word, 4);
  EXPECT_EQ(word, 0U);
  memory.write(0, &word, 4);
  EXPECT_TRUE(memory.stamp(a).is_zero());
  memory.free(a);
  EXPECT_EQ(reports_seen(), 4U);
}

}  // namespace
}  // namespace wordline::testing::pcie_link_test
