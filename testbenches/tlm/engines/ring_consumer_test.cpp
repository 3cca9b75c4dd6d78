// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/engines/ring_consumer.h"

#include <gtest/gtest.h>

#include <vector>

namespace wordline::testing {
namespace {

constexpr std::uint32_t kEntries = 4;
using Ring = engines::RingConsumer<std::uint32_t>;

/// A ring and its producer.
struct Memory {
  alignas(wl_ring) std::byte bytes[Ring::bytes(kEntries)]{};
  Ring ring;
  Memory() { ring.attach(bytes, kEntries); }
  wl_ring& head() { return *reinterpret_cast<wl_ring*>(bytes); }
  void post(std::uint32_t entry) {
    std::memcpy(bytes + WL_RING_ENTRIES + head().produced % kEntries * sizeof entry, &entry, sizeof entry);
    head().produced = head().produced + 1;
  }
  /// All that is due at `now`.
  std::vector<std::uint32_t> take(Picoseconds now) {
    std::vector<std::uint32_t> out;
    while (const auto doorbell = ring.take(now)) {
      while (const auto entry = ring.pop(*doorbell)) out.push_back(*entry);
    }
    return out;
  }
};

TEST(RingConsumer, ReadsUpToADoorbellThatIsDue) {
  Memory m;
  for (std::uint32_t i = 0; i < 3; ++i) m.post(100 + i);
  EXPECT_EQ(m.ring.next(), engines::kNever);
  m.ring.ring(3, 20_ns);  // a core that runs ahead; another one is behind
  m.ring.ring(1, 10_ns);
  EXPECT_EQ(m.ring.next(), 10_ns);
  EXPECT_TRUE(m.take(10_ns - 1_ps).empty());
  EXPECT_EQ(m.take(10_ns), std::vector<std::uint32_t>{100});
  EXPECT_EQ(m.ring.consumed(), 1U);
  EXPECT_EQ(m.ring.next(), 20_ns);
  EXPECT_EQ(m.take(30_ns), (std::vector<std::uint32_t>{101, 102}));
  EXPECT_EQ(m.ring.next(), engines::kNever);
}

TEST(RingConsumer, GoesRoundAndItsCountersWrap) {
  Memory m;
  m.head().produced = m.head().consumed = ~0U - 2;
  for (std::uint32_t i = 0; i < 20; ++i) {
    m.post(i);
    m.ring.ring(m.head().produced, 1_ns);
    ASSERT_EQ(m.take(1_ns), std::vector<std::uint32_t>{i});
  }
}

TEST(RingConsumer, TellsADoorbellBeyondItsSize) {
  Memory m;
  m.ring.ring(kEntries, 1_ns);
  m.ring.ring(kEntries + 1, 2_ns);
  EXPECT_FALSE(m.ring.overflows(*m.ring.take(1_ns)));
  EXPECT_TRUE(m.ring.overflows(*m.ring.take(2_ns)));
}

TEST(RingConsumer, SizesArePowersOfTwo) {
  for (const std::uint32_t good : {1U, 2U, 64U}) EXPECT_TRUE(Ring::is_size(good)) << good;
  for (const std::uint32_t bad : {0U, 3U, 12U}) EXPECT_FALSE(Ring::is_size(bad)) << bad;
}

}  // namespace
}  // namespace wordline::testing
