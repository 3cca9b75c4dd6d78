// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/firmware_levels.h"

#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/notebook.h"

namespace wordline::testing::firmware_levels_test {
namespace {

using namespace wordline::literals;
using Changes = std::map<Picoseconds, std::string>;

/// By hand: accepted, less what was written anew in the buffer, less what has been programmed of it.
TEST(FirmwareLevels, AreWhatTheCountersSayWhenTheCoreLooks) {
  struct wl_firmware_statistics counters {};
  Notebook notebook;
  cpu::FirmwareLevels levels(reinterpret_cast<const std::byte*>(&counters), notebook);
  counters.free_superblocks = 9;
  levels.look(1_us);
  counters.host_lpages_written = 30;
  counters.rewritten_lpages = 4;
  levels.look(2_us);
  counters.data_lpages = 24;
  counters.kept_lpages = 2;
  counters.free_superblocks = 8;
  levels.look(3_us);
  EXPECT_EQ(notebook.notes["ssd.firmware.write_buffer_level"], (Changes{{1_us, "0"}, {2_us, "26"}, {3_us, "4"}}));
  EXPECT_EQ(notebook.notes["ssd.firmware.free_superblocks"], (Changes{{1_us, "9"}, {2_us, "9"}, {3_us, "8"}}));
}

}  // namespace
}  // namespace wordline::testing::firmware_levels_test
