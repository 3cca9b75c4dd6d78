// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/parity_places.h"

#include <gtest/gtest.h>

#include "models/checks/load.h"
#include "models/config/config.h"
#include "models/firmware/contract/flash_ring.h"

namespace wordline::precondition::parity_places_test {
namespace {

// Of a row of five dies the first four hold logical pages that were written one after the other. Numbers, versions and
// sequences of four such are zero in sum, as those of data with their parity are.
TEST(ParityPlaces, DataThatAreZeroInSumByChanceAreNotParity) {
  const config::Config config =
      config::load("", {"channels.count=5", "channels.packages=1", "channels.dies_per_package=1", "nand.planes=1",
                        "nand.page=4KiB", "nand.spare=552B", "nand.cell=slc", "nand.timing.senses_per_page=[]",
                        "ftl.parity=dies", "ftl.recovery=scan", "ftl.power_safe=false", "precondition.fill=none",
                        "nand.blocks_per_plane=256"})
          .config;
  const config::Layout layout = config::layout_of(config);
  ASSERT_EQ(layout.lpages_per_program, 1U);
  const auto place = [&](std::uint64_t ppa) {
    const auto die = static_cast<std::uint32_t>(ppa % layout.dies);
    const std::uint32_t lpn = 15 + 16 * die, sequence = 0x1e02 + die;
    if (ppa >= layout.dies) return Place{};
    return Place{Place::Cells::kWritten, {data::LpageToken::uniform(Lpn(lpn), 742), lpn, sequence}};
  };
  for (const bool last_die_failed : {false, true}) {
    SCOPED_TRACE(last_die_failed);
    ParityPlaces parity(config, layout, last_die_failed, place);
    EXPECT_FALSE(parity.at(0));
    EXPECT_FALSE(parity.at(2));
    EXPECT_EQ(parity.at(3), last_die_failed) << "what stands in for the last die";
    EXPECT_TRUE(parity.at(4));
  }
}

}  // namespace
}  // namespace wordline::precondition::parity_places_test
