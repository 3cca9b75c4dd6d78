// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The XOR unit against XOR in C++: rows of units, source and sink that wait, its rate, a sum of another length.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "models/units/keyed_random.h"
#include "rtl/verilated/parity_xor.h"
#include "rtl/verilated/simulation_stopped.h"

namespace wordline::testing::parity_xor_test {
namespace {

using rtl::ParityXor;
using Unit = std::vector<ParityXor::Beat>;

constexpr std::uint64_t kSeed = 0x786f'72;

Unit random_unit(unsigned beats, std::uint64_t number) {
  Unit unit(beats);
  for (unsigned i = 0; i < beats; ++i) {
    for (unsigned w = 0; w < ParityXor::kWords; ++w) {
      unit[i].word[w] = static_cast<std::uint32_t>(keyed_hash(kSeed, number, i, w));
    }
    unit[i].last = i + 1 == beats;
  }
  return unit;
}

Unit operator^(Unit a, const Unit& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (unsigned w = 0; w < ParityXor::kWords; ++w) a[i].word[w] ^= b[i].word[w];
  }
  return a;
}

bool same(const Unit& a, const Unit& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) equal = a[i].word == b[i].word && a[i].last == b[i].last;
  return equal;
}

/// How often, in 1/256, each side is there in a clock.
struct Rates {
  unsigned unit, sum, sink;
};

/// Adds `unit` to `sum`; an empty sum: the first of its row. `clocks`: from the first offer to the last beat.
Unit add(ParityXor& block, const Unit& unit, const Unit& sum, const Rates& rates, std::uint64_t& clocks) {
  block.set_first(sum.empty());
  Unit out;
  std::size_t units = 0, sums = 0;
  bool offers_unit = false, offers_sum = false;
  for (clocks = 0; out.size() < unit.size(); ++clocks) {
    if (clocks > unit.size() * 1000) throw std::runtime_error("the XOR unit hangs");
    const auto there = [&](unsigned side, unsigned rate) { return (keyed_hash(kSeed, side, clocks) & 255) < rate; };
    if (!offers_unit && units < unit.size() && there(1, rates.unit)) {
      block.offer_unit(unit[units]);
      offers_unit = true;
    }
    if (!offers_sum && sums < sum.size() && there(2, rates.sum)) {
      block.offer_sum(sum[sums]);
      offers_sum = true;
    }
    const bool takes = there(3, rates.sink);
    block.set_output_ready(takes);
    const bool moved_unit = offers_unit && block.unit_ready();
    const bool moved_sum = offers_sum && block.sum_ready();
    if (takes && block.output_valid()) out.push_back(block.output());
    block.clock();
    if (moved_unit) {
      ++units;
      offers_unit = false;
      block.no_unit();
    }
    if (moved_sum) {
      ++sums;
      offers_sum = false;
      block.no_sum();
    }
  }
  block.set_output_ready(false);
  return out;
}

/// The parity of a row, then each of its units out of the others.
TEST(RtlParityXor, BringsBackEachUnitOfARow) {
  for (const Rates rates :
       {Rates{256, 256, 256}, Rates{100, 256, 256}, Rates{256, 60, 256}, Rates{256, 256, 80}, Rates{120, 90, 110}}) {
    ParityXor block;
    std::uint64_t clocks = 0;
    for (unsigned beats : {1U, 2U, 37U}) {
      std::vector<Unit> row;
      Unit parity;
      Unit expected;
      for (unsigned i = 0; i < 5; ++i) {
        row.push_back(random_unit(beats, beats * 10 + i));
        expected = i == 0 ? row[0] : expected ^ row[i];
        parity = add(block, row[i], parity, rates, clocks);
        ASSERT_TRUE(same(parity, expected)) << beats << " beats, unit " << i;
      }
      for (std::size_t lost = 0; lost < row.size(); ++lost) {
        Unit rebuilt = parity;
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (i != lost) rebuilt = add(block, row[i], rebuilt, rates, clocks);
        }
        ASSERT_TRUE(same(rebuilt, row[lost])) << lost;
      }
    }
  }
}

/// With all sides there it is never the one that waits.
TEST(RtlParityXor, TakesABeatAClock) {
  ParityXor block;
  const Unit unit = random_unit(1000, 1);
  std::uint64_t clocks = 0;
  EXPECT_TRUE(same(add(block, unit, {}, {256, 256, 256}, clocks), unit));
  EXPECT_EQ(clocks, 1002U);
  EXPECT_TRUE(same(add(block, unit, random_unit(1000, 2), {256, 256, 256}, clocks), unit ^ random_unit(1000, 2)));
  EXPECT_EQ(clocks, 1002U);
}

TEST(RtlParityXor, ASumOfAnotherLengthStopsIt) {
  for (const unsigned beats : {6U, 9U}) {
    ParityXor block;
    Unit sum = random_unit(beats, 2);
    sum.resize(9);
    std::uint64_t clocks = 0;
    EXPECT_THROW(add(block, random_unit(8, 1), sum, {256, 256, 256}, clocks), rtl::SimulationStopped) << beats;
  }
}

}  // namespace
}  // namespace wordline::testing::parity_xor_test
