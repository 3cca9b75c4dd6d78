// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/ring.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace wordline::testing::ring_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t kBase = 64;
constexpr std::uint32_t kEntries = 4;

struct Entry {
  std::uint32_t number;
  std::uint32_t more;
};

struct Memory final : tlm_if::SharedMemoryIf {
  std::byte* at(std::uint32_t address, std::size_t bytes) override {
    return address + bytes <= sizeof words ? reinterpret_cast<std::byte*>(words.data()) + address : nullptr;
  }
  [[nodiscard]] wl_ring& header() { return *reinterpret_cast<wl_ring*>(at(kBase, WL_RING_ENTRIES)); }
  [[nodiscard]] Entry& entry(std::uint32_t place) {
    return *reinterpret_cast<Entry*>(at(kBase + WL_RING_ENTRIES + place * sizeof(Entry), sizeof(Entry)));
  }
  std::array<std::uint32_t, 64> words{};
};

class RingTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  // The counters run free: also across the end of 32 bits.
  RingTest() { memory_.header().produced = memory_.header().consumed = GetParam(); }

  Memory memory_;
};
INSTANTIATE_TEST_SUITE_P(Counters, RingTest, ::testing::Values(0u, 7u, 0xfffffffeu));

TEST_P(RingTest, AProducerWritesUntilTheRingIsFull) {
  tlm_if::RingProducer<Entry> ring;
  EXPECT_FALSE(ring.is_open());
  ASSERT_TRUE(ring.open(memory_, kBase, kEntries));
  EXPECT_TRUE(ring.is_open());
  for (std::uint32_t i = 0; i < kEntries; ++i) {
    EXPECT_EQ(ring.level(), i);
    EXPECT_TRUE(ring.push({100 + i, i}));
    EXPECT_EQ(memory_.header().produced, GetParam() + i + 1);
    EXPECT_EQ(memory_.entry((GetParam() + i) % kEntries).number, 100 + i);
  }
  EXPECT_FALSE(ring.push({999, 0}));
  EXPECT_EQ(memory_.header().produced, GetParam() + kEntries);
  for (std::uint32_t i = 0; i < kEntries; ++i) EXPECT_NE(memory_.entry(i).number, 999u);
  memory_.header().consumed = GetParam() + 1;
  EXPECT_TRUE(ring.push({104, 4}));
  EXPECT_EQ(memory_.entry(GetParam() % kEntries).number, 104u) << "the place that was consumed";
}

TEST_P(RingTest, AConsumerReadsUpToTheDoorbell) {
  tlm_if::RingConsumer<Entry> ring;
  ASSERT_TRUE(ring.open(memory_, kBase, kEntries));
  for (std::uint32_t i = 0; i < kEntries; ++i) memory_.entry((GetParam() + i) % kEntries) = {100 + i, 7};
  memory_.header().produced = GetParam() + kEntries;  // the counter is there before its doorbell arrives

  Numbers read;
  const auto take = [&](const Entry& entry) {
    read.push_back(entry.number);
    EXPECT_EQ(memory_.header().consumed, GetParam() + static_cast<std::uint32_t>(read.size()))
        << "its place is free when the entry is acted on";
  };
  EXPECT_EQ(ring.waiting(GetParam() + 3), 3u);
  EXPECT_TRUE(ring.read_until(GetParam() + 3, take));
  EXPECT_EQ(read, (Numbers{100, 101, 102}));
  EXPECT_TRUE(ring.read_until(GetParam() + 3, take)) << "a doorbell with nothing new";
  EXPECT_EQ(read.size(), 3u);
  EXPECT_TRUE(ring.read_until(GetParam() + 4, take));
  EXPECT_EQ(read.back(), 103u);
  EXPECT_EQ(ring.consumed(), GetParam() + 4);
}

TEST_P(RingTest, ADoorbellBeyondTheRingIsRefused) {
  tlm_if::RingConsumer<Entry> ring;
  ASSERT_TRUE(ring.open(memory_, kBase, kEntries));
  const auto never = [](const Entry&) { ADD_FAILURE() << "an entry was read"; };
  EXPECT_FALSE(ring.read_until(GetParam() + kEntries + 1, never));
  EXPECT_FALSE(ring.read_until(GetParam() - 1, never)) << "backwards";
  EXPECT_EQ(memory_.header().consumed, GetParam());
}

TEST_P(RingTest, AConsumerBelievesItsOwnCounter) {
  tlm_if::RingConsumer<Entry> ring;
  ASSERT_TRUE(ring.open(memory_, kBase, kEntries));
  std::uint32_t read = 0;
  const auto count = [&read](const Entry&) { ++read; };
  EXPECT_TRUE(ring.read_until(GetParam() + 2, count));
  memory_.header().consumed = GetParam();
  EXPECT_TRUE(ring.read_until(GetParam() + 3, count));
  EXPECT_EQ(read, 3u);
  EXPECT_EQ(memory_.header().consumed, GetParam() + 3);
  ring.close();
  ASSERT_TRUE(ring.open(memory_, kBase, kEntries));
  EXPECT_EQ(ring.consumed(), GetParam() + 3) << "the firmware has set the ring up again";
}

TEST(Ring, NeedsMemory) {
  Memory memory;
  tlm_if::RingProducer<Entry> ring;
  EXPECT_FALSE(ring.open(memory, sizeof memory.words - WL_RING_ENTRIES, kEntries));
  EXPECT_FALSE(ring.is_open());
}

TEST(Ring, SizesArePowersOfTwo) {
  for (const std::uint32_t size : {1u, 2u, 64u, 0x80000000u}) EXPECT_TRUE(tlm_if::is_ring_size(size)) << size;
  for (const std::uint32_t size : {0u, 3u, 6u, 0xffffffffu}) EXPECT_FALSE(tlm_if::is_ring_size(size)) << size;
}

}  // namespace
}  // namespace wordline::testing::ring_test
