// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbenches/tlm/device/flash/reference_config.h"

namespace wordline::testing {

/// The drive of reference_config.h with pages of 32 KiB, and three blocks of 12 pages of 4 KiB behind the eight of each
/// plane (8 to 10). Its times hold at 16 KiB: tPROG 660 x 1.1 and 660 / 1.21 us, tBERS 4 x 1.1 and 4 / 1.21 ms.
[[nodiscard]] inline config::Config two_page_sizes() {
  using namespace wordline::literals;
  config::Config c = reference_config();
  c.nand.geometry.page = 32_KiB;
  c.nand.geometry.spare = Bytes(4416);
  c.nand.region = {4_KiB, 3, 12};
  c.nand.timing.page = 16_KiB;
  return c;
}
inline constexpr Picoseconds kLargeProgram{726'000'000}, kSmallProgram{545'454'545};
inline constexpr Picoseconds kLargeErase{4'400'000'000}, kSmallErase{3'305'785'124};
inline constexpr std::uint32_t kLargeBlock = 6, kSmallBlock = 9;
inline constexpr std::uint32_t kSmallPages = 12;

}  // namespace wordline::testing
