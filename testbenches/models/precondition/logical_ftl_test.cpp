// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "models/precondition/logical_ftl.h"

namespace wordline::precondition::logical_ftl_test {
namespace {

/// A drive whose closed superblocks, without the free ones and the two that are open, have spare capacity `op`.
LogicalFtl::Shape shape_of(double op, std::uint32_t lpages, std::uint32_t superblocks,
                           Victims victims = Victims::kGreedy) {
  LogicalFtl::Shape shape;
  shape.superblock_lpages = lpages;
  shape.reserve = 1;
  shape.superblocks = superblocks + 3;
  shape.user_lpages = static_cast<std::uint32_t>(std::llround(static_cast<double>(superblocks) * lpages / (1 + op)));
  shape.victims = victims;
  return shape;
}

/// Write amplification of uniform random writes, once the state of the fill is forgotten.
double waf_of(const LogicalFtl::Shape& shape, std::uint32_t warm) {
  LogicalFtl ftl(shape);
  ftl.fill_in_order();
  ftl.overwrite(std::uint64_t{warm} * shape.user_lpages, 1);
  const std::uint64_t written = ftl.written(), copied = ftl.copied();
  ftl.overwrite(2 * std::uint64_t{shape.user_lpages}, 2);
  return ftl.waf_since(written, copied);
}

// What is in the write buffer is stale on flash: as on a drive that exports so much less.
TEST(LogicalFtl, AFullWriteBufferIsRoom) {
  LogicalFtl::Shape buffered = shape_of(0.1, 256, 200), smaller = buffered;
  const double without = waf_of(buffered, 10);
  buffered.buffer = 8 * 256;
  smaller.user_lpages -= buffered.buffer;
  // A page that is written twice in the meantime takes two places in it.
  EXPECT_NEAR(waf_of(buffered, 10) / waf_of(smaller, 10), 1, 0.05);
  EXPECT_LT(waf_of(buffered, 10), 0.8 * without);
}

// Greedy GC in the limit of many superblocks: the form of Bux and Iliadis at 256 logical pages (peva 2010).
TEST(LogicalFtl, GreedyCollectionFollowsItsClosedForm) {
  EXPECT_NEAR(waf_of(shape_of(0.07, 256, 1500), 12) / 7.597, 1, 0.05);
  EXPECT_NEAR(waf_of(shape_of(0.127, 256, 1500), 10) / 4.542, 1, 0.05);
  EXPECT_NEAR(waf_of(shape_of(0.28, 256, 1500), 8) / 2.461, 1, 0.05);
}

// Of ten random choices in superblocks of 32 logical pages: the mean field of Van Houdt (SIGMETRICS 2013). First in,
// first out, whatever the size: 1 / (1 - p) with p from rho = (p - 1) / ln p.
TEST(LogicalFtl, OtherVictimsFollowTheirs) {
  EXPECT_NEAR(waf_of(shape_of(0.07, 32, 4000, Victims::kDChoices), 12) / 6.768, 1, 0.05);
  EXPECT_NEAR(waf_of(shape_of(0.28, 32, 4000, Victims::kDChoices), 8) / 2.410, 1, 0.05);
  EXPECT_NEAR(waf_of(shape_of(0.127, 64, 600, Victims::kFifo), 10) / 4.617, 1, 0.05);
  EXPECT_NEAR(waf_of(shape_of(0.28, 64, 600, Victims::kFifo), 8) / 2.481, 1, 0.05);
}

// Uniform writes miss a cache of the map by what it lacks; each miss writes the changed page that leaves. No GC yet.
TEST(LogicalFtl, MapPagesAreWrittenAsOftenAsTheCacheMisses) {
  for (const std::uint32_t frames : {10U, 50U, 90U}) {
    LogicalFtl::Shape shape = shape_of(9, 256, 400);
    shape.map = {100, (shape.user_lpages + 99) / 100, frames};
    LogicalFtl ftl(shape);
    ftl.fill_in_order();
    const std::uint64_t written = ftl.written(), before = ftl.copied();
    ftl.overwrite(5 * std::uint64_t{shape.user_lpages}, 1);
    const double share = static_cast<double>(ftl.copied() - before) / static_cast<double>(ftl.written() - written);
    EXPECT_NEAR(share, 1 - frames / 100.0, 0.01) << frames;
  }
}

// With GC: all data and all map pages are valid once, whatever is copied.
TEST(LogicalFtl, AStateHasEveryMapPageOnce) {
  for (const std::uint32_t program_unit : {0U, 8U}) {
    LogicalFtl::Shape shape = shape_of(0.3, 256, 60);
    shape.reserve = 3;
    shape.room = 6;
    shape.superblocks += 4;
    shape.buffer = 512;
    shape.program_unit = program_unit;
    shape.map = {(shape.user_lpages + 63) / 64, 64, 20};
    LogicalFtl ftl(shape);
    ftl.fill_in_order();
    ftl.overwrite(4 * std::uint64_t{shape.user_lpages}, 3);
    EXPECT_GT(ftl.waf_since(0, 0), 2);
    ftl.flush();
    if (program_unit != 0) ftl.go_on_to_the_middle(1);
    DriveState state;
    state.geometry = {1, 1, shape.superblocks, 64, 4, 2, shape.user_lpages, 4096, shape.map.pages};
    ftl.finish(state);
    EXPECT_EQ(state.problem(), "");
    EXPECT_TRUE(is_full(state));
  }
}

}  // namespace
}  // namespace wordline::precondition::logical_ftl_test
