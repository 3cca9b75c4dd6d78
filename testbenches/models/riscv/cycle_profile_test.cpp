// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/cycle_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/models/riscv/machine.h"

namespace wordline::testing::cycle_profile_test {
namespace {

using riscv::CycleProfile;
using riscv::StopReason;

const char* const kProgram = WORDLINE_RISCV_PROGRAMS "/selfcheck_imac_O2.elf";

/// selfcheck in slices of 997 cycles; between them the tag changes and time passes idle.
struct Sliced {
  explicit Sliced(bool with_profile, bool block_cache = true)
      : m([block_cache] {
          riscv::HartConfig config;
          config.block_cache = block_cache;
          return config;
        }()) {
    image.load([this](std::uint32_t address, std::uint32_t bytes) { return m.hart.host_pointer(address, bytes); });
    if (with_profile) m.hart.set_profile(&profile);
    m.hart.reset(image.entry());
    StopReason reason = StopReason::kBudget;
    for (std::uint32_t slice = 0; reason == StopReason::kBudget; ++slice) {
      reason = m.hart.run(997);
      stops.push_back(m.hart.pc());
      EXPECT_TRUE(m.hart.write_csr(Machine::kTagCsr, slice % 5));
      EXPECT_TRUE(m.hart.write_csr(Machine::kContextCsr, slice % 7));
      m.hart.skip_idle(slice % 3);
    }
    EXPECT_EQ(reason, StopReason::kEbreak);
    m.hart.flush_profile();
  }
  riscv::ElfFile image{kProgram};
  CycleProfile profile{image};
  std::vector<std::uint32_t> stops;
  Machine m;
};

class CycleProfileTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(BlockCache, CycleProfileTest, ::testing::Bool());

TEST_P(CycleProfileTest, SumsAreTheHartsCounters) {
  Sliced s(true, GetParam());
  std::array<std::uint64_t, riscv::kTags> cycles{};
  std::uint64_t instructions = 0, all = 0;
  for (const auto& entry : s.profile.entries()) {
    cycles[entry.tag] += entry.cycles;
    instructions += entry.instructions;
    all += entry.cycles;
    EXPECT_NE(s.profile.name(entry.function), "[no symbol]");
  }
  EXPECT_EQ(cycles, s.m.hart.tag_costs().cycles);
  std::array<std::uint64_t, riscv::kTags> shares{};
  std::uint64_t sixth = 0;
  for (const auto& share : s.profile.contexts()) {
    shares[share.tag] += share.cycles;
    if (share.context == 6) sixth += share.cycles;
  }
  EXPECT_EQ(shares, cycles);
  EXPECT_NEAR(static_cast<double>(sixth), static_cast<double>(s.m.hart.cycles()) / 7, 2000)
      << "a slice of 997 in seven";
  EXPECT_FALSE(s.m.hart.write_csr(Machine::kContextCsr, riscv::kContexts));
  EXPECT_EQ(instructions, s.m.hart.instructions());
  EXPECT_EQ(all, s.m.hart.cycles() - s.m.hart.idle_cycles());
  EXPECT_GT(s.m.hart.idle_cycles(), 0U);
  EXPECT_GT(cycles[3], 0U);
}

TEST_P(CycleProfileTest, ChangesNothing) {
  const Sliced with(true, GetParam()), without(false, GetParam());
  EXPECT_EQ(with.m.hart.cycles(), without.m.hart.cycles());
  EXPECT_EQ(with.m.hart.instructions(), without.m.hart.instructions());
  EXPECT_EQ(with.stops, without.stops) << "where the budget ends";
  EXPECT_EQ(with.m.hart.tag_costs().cycles, without.m.hart.tag_costs().cycles);
}

TEST(CycleProfileOfFunctions, MostCostlyFirstAndNoneTwice) {
  Sliced s(true);
  const auto entries = s.profile.entries();
  ASSERT_GT(entries.size(), 5U);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) {
      EXPECT_GE(entries[i - 1].cycles, entries[i].cycles);
    }
    seen.emplace_back(entries[i].function, entries[i].tag);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

/// "_start;main;check 3 120": functions, tag, cycles.
std::vector<std::string> lines(const CycleProfile& profile) {
  std::vector<std::string> out;
  for (const auto& stack : profile.stacks()) {
    std::string line;
    for (const std::uint32_t function : stack.functions) line += (line.empty() ? "" : ";") + profile.name(function);
    out.push_back(line + " " + std::to_string(stack.tag) + " " + std::to_string(stack.cycles));
  }
  return out;
}

TEST_P(CycleProfileTest, StacksAddUpToTheFunctionsAndBeginAtReset) {
  Sliced s(true, GetParam());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> leaves, functions;
  std::size_t deepest = 0;
  for (const auto& stack : s.profile.stacks()) {
    leaves[{stack.functions.back(), stack.tag}] += stack.cycles;
    EXPECT_EQ(s.profile.name(stack.functions.front()), "_start");
    deepest = std::max(deepest, stack.functions.size());
  }
  for (const auto& entry : s.profile.entries()) functions[{entry.function, entry.tag}] += entry.cycles;
  EXPECT_EQ(leaves, functions);
  EXPECT_GE(deepest, 3U);
  EXPECT_LT(deepest, 20U) << "returns are seen";
}

TEST_P(CycleProfileTest, CallsTailCallsTrapsAndJumpsOutOfFrames) {
  riscv::HartConfig config;
  config.block_cache = GetParam();
  Machine m(config);
  const riscv::ElfFile image(WORDLINE_RISCV_PROGRAMS "/calls.elf");
  CycleProfile profile(image);
  image.load([&m](std::uint32_t address, std::uint32_t bytes) { return m.hart.host_pointer(address, bytes); });
  m.hart.set_profile(&profile);
  m.hart.reset(image.entry());
  EXPECT_EQ(m.hart.run(10'000), StopReason::kEbreak);
  m.hart.flush_profile();
  // Cycles counted by hand in calls.S.
  const std::vector<std::string> expected{
      "_start 0 7",      "_start;outer 0 9",       "_start;outer;leaf 0 8", "_start;outer;middle 0 2",
      "_start;deep 0 3", "_start;deep;deeper 0 4", "_start;handler 0 11"};
  EXPECT_EQ(lines(profile), expected);
}

TEST(CycleProfileOfFunctions, EndlessRecursionStaysSmall) {
  const riscv::ElfFile image(kProgram);
  CycleProfile profile(image);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    profile.charge(image.entry(), 0, 0, 1, 1);
    profile.call(image.entry(), i);
  }
  EXPECT_EQ(profile.stacks().size(), CycleProfile::kMaxDepth);
  for (std::uint32_t i = 10'000; i-- > 0;) profile.leave(i);
  profile.charge(image.entry(), 1, 0, 1, 1);
  EXPECT_EQ(profile.stacks().size(), CycleProfile::kMaxDepth + 1) << "back at the outermost frame, with another tag";
}

TEST(CycleProfileOfFunctions, CodeWithoutSymbolsIsNotLost) {
  const riscv::ElfFile image(kProgram);
  CycleProfile profile(image);
  profile.charge(0x20000, 1, 0, 10, 4);
  profile.charge(image.entry(), 1, 0, 5, 2);
  profile.charge(0x20002, 1, 0, 1, 1);
  const auto entries = profile.entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(profile.name(entries[0].function), "[no symbol]");
  EXPECT_EQ(entries[0].cycles, 11U);
  EXPECT_EQ(entries[0].instructions, 5U);
  EXPECT_EQ(profile.name(entries[1].function), "_start");
}

}  // namespace
}  // namespace wordline::testing::cycle_profile_test
