// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The XOR unit of a channel: sums, how long they take, and its gates beside the model. A difference between these is a
// SystemC report, which fails the test.
#include <gtest/gtest.h>

#include "models/checks/load.h"
#include "models/units/keyed_random.h"
#include "tlm/device/flash/channel/xor_unit.h"

namespace wordline::testing::xor_unit_test {
namespace {

using flash::XorUnit;
using namespace wordline::literals;

config::Config config_of(const char* page, bool gates) {
  std::vector<std::string> sets{"ftl.parity=dies", "channels.count=4", std::string("nand.page=") + page};
  if (gates) sets.insert(sets.end(), {"engines.model=rtl", "engines.gates=parity"});
  return config::load("", sets).config;
}

/// A unit of the channel, which adds logical pages by chance.
class Unit {
 public:
  Unit(const char* page, bool gates)
      : config_(config_of(page, gates)), unit_(config_, config::layout_of(config_), "channel0") {}

  XorUnit* operator->() { return &unit_; }
  XorUnit::Lpages random(std::size_t count) {
    XorUnit::Lpages lpages;
    for (std::size_t i = 0; i < count; ++i) {
      const auto word = [this] { return static_cast<std::uint32_t>(keyed_hash(0x786f, number_++)); };
      lpages.push_back({data::LpageToken::uniform(Lpn(word()), word()), word(), word()});
    }
    return lpages;
  }

 private:
  const config::Config config_;
  XorUnit unit_;
  std::uint64_t number_ = 0;
};

XorUnit::Lpages clear(std::size_t count) { return XorUnit::Lpages(count, nand::StoredLpage{{}, 0, 0}); }

// Each unit of a row is the sum of the others; what is added twice is gone.
TEST(XorUnit, BringsBackWhatWasAdded) {
  for (const char* page : {"16KiB", "2KiB"}) {
    for (const bool gates : {false, true}) {
      Unit unit(page, gates);
      for (const std::size_t count : {1U, 2U, 24U}) {
        XorUnit::Lpages sum = clear(count);
        std::vector<XorUnit::Lpages> row;
        for (int i = 0; i < 5; ++i) {
          row.push_back(unit.random(count));
          unit->add(sum, row.back());
        }
        for (int i = 1; i < 5; ++i) unit->add(sum, row[static_cast<std::size_t>(i)]);
        EXPECT_EQ(sum, row[0]);
        unit->add(sum, row[0]);
        EXPECT_EQ(sum, clear(count));
      }
    }
  }
}

// What is the first of its row is not told by content alone: any bit that is left in a sum counts.
TEST(XorUnit, AddsToSumsOfOneBit) {
  Unit unit("16KiB", true);
  for (const nand::StoredLpage& rest : {nand::StoredLpage{{}, 1, 0}, nand::StoredLpage{{}, 0, 1U << 31},
                                        nand::StoredLpage{data::LpageToken::mixed(0), 0, 0}}) {
    XorUnit::Lpages sum = clear(3);
    sum[2] = rest;
    const XorUnit::Lpages added = unit.random(3);
    unit->add(sum, added);
    EXPECT_EQ(sum[1], added[1]);
    EXPECT_EQ(sum[2].lpn, added[2].lpn ^ rest.lpn);
    EXPECT_EQ(sum[2].record, added[2].record ^ rest.record);
    EXPECT_EQ(sum[2].token, added[2].token ^ rest.token);
  }
}

// 128 bits a clock, and the record: 257 beats of 4 KiB, 129 of 2 KiB; two clocks more until the last beat is through.
// An addition waits for the one before. The gates take as long.
TEST(XorUnit, TakesABeatAClock) {
  for (const bool gates : {false, true}) {
    Unit unit("16KiB", gates), small("2KiB", gates);
    const auto add = [](Unit& to, std::size_t count, Picoseconds from) {
      XorUnit::Lpages sum = to.random(count);
      to->add(sum, to.random(count));
      return to->time(from, count);
    };
    EXPECT_EQ(add(unit, 24, 1_us), 1_us + 2_ns * (24 * 257 + 2));
    EXPECT_EQ(add(unit, 1, 2_us), 1_us + 2_ns * (25 * 257 + 4));
    EXPECT_EQ(add(unit, 2, 1_ms), 1_ms + 2_ns * (2 * 257 + 2));
    EXPECT_EQ(add(small, 3, 0_us), 2_ns * (3 * 129 + 2));
    results::Registry registry;
    unit->register_statistics(registry);
    EXPECT_EQ(registry.get<std::uint64_t>("parity.xor_additions"), gates ? 3U : 0U);
    EXPECT_EQ(registry.get<std::uint64_t>("parity.xor_clocks"), gates ? 27U * 257 + 6 : 0U);
  }
}

}  // namespace
}  // namespace wordline::testing::xor_unit_test
