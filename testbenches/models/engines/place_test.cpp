// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/place.h"

#include <gtest/gtest.h>

#include "models/firmware/fill.h"

namespace wordline::testing {
namespace {

// The sequential fill puts sector n at place n, and has a definition of its own (fill.h).
TEST(Place, IsWhereTheFillPutsASector) {
  for (const wl_fill_geometry fill : {wl_fill_geometry{4, 8, 3, 24}, wl_fill_geometry{32, 4, 1, 192},
                                      wl_fill_geometry{6, 12, 4, 8}, wl_fill_geometry{1, 1, 1, 1}}) {
    const engines::PlaceGeometry geometry{fill.sectors_per_mpage, fill.pages_per_program,
                                          fill.dies * (fill.pages / fill.pages_per_program), fill.dies};
    const std::uint32_t line = geometry.line_units * geometry.unit_sectors();
    for (std::uint32_t n = 0; n < 4 * line + 3; ++n) {
      const wl_location expected = wl_fill_location(&fill, n);
      const engines::PlaceLocation at = engines::locate(geometry, n);
      ASSERT_EQ(at.die, expected.die) << n;
      ASSERT_EQ(at.block, expected.block) << n;
      ASSERT_EQ(at.page, expected.page) << n;
      ASSERT_EQ(at.sector, expected.sector) << n;
    }
  }
}

}  // namespace
}  // namespace wordline::testing
