// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/config/config.h"

namespace wordline::config {

/// The times of a channel as the flash interface in gates keeps them: whole clocks, each at least as long as the time
/// that it stands for. With DQS a clock is one transfer; of SDR it is the largest fourth (or less) of tWC and tRC that
/// divides both. The names are those of rtl/flash_interface.
struct ChannelClocks {
  Picoseconds period{};
  bool sdr = false;
  std::uint32_t setup = 0;  // the longer of tCS and tCALS
  std::uint32_t write_cycle = 0, write_low = 0, read_cycle = 0, read_low = 0;
  std::uint32_t adl = 0, ccs = 0, whr = 0, rhw = 0, wb = 0, rr = 0;
  std::uint32_t write_preamble = 0, write_postamble = 0;  // tWPST and tWPSTH
  std::uint32_t read_preamble = 0, read_latency = 0, read_postamble = 0;
  std::uint32_t warm_up = 0;    // transfers
  std::uint32_t chip_high = 0;  // chip enable between two segments
};

/// What its registers and counters hold.
inline constexpr std::uint32_t kMostChannelClocks = 4095;
inline constexpr std::uint32_t kMostGateDies = 8;

/// Why the gates cannot be the channel, "" when they can: a time that takes too many clocks, no common clock.
[[nodiscard]] std::string clocks_fault(const Channels& channels);
/// Clocks of channels that have passed the checks, as those of in_whole_clocks().
[[nodiscard]] ChannelClocks clocks_of(const Channels& channels);
/// The same channels with the times of the gates, to the picosecond: what follows from them (onfi::BusTiming, the
/// sequences, the timing checker) then holds for the gates. Times of the dies stay.
[[nodiscard]] Channels in_whole_clocks(const Channels& channels);

}  // namespace wordline::config
