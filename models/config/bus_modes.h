// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/config/config.h"

/// ONFI timing modes: what follows for the keys of [channels] from channels.mode.
///
/// SDR 0 to 5: times of Linux' nand_timings.c (all six modes; endpoints as ONFI 5.0). NV-DDR2 0 to 10, NV-DDR3 and
/// NV-LPDDR4 0 to 19: ONFI 5.0, tables 4-73..80, preambles and postambles of Micron L06B; the mode sets the data rate,
/// the read postamble tDQSRE + tRC / 2, and two warm-up cycles per burst above 800 MT/s.
/// Known gaps: NV-DDR (its own clock) is not offered; NV-LPDDR4 differs from NV-DDR3 in nothing that the model shows.
namespace wordline::config {

struct BusModeName {
  std::string_view name;  // "sdr-5", "nv-ddr2-10", "nv-ddr3-19"
  BusMode mode;
};
/// All modes; the position is the value of the key.
[[nodiscard]] const std::vector<BusModeName>& bus_modes();
/// Null when there is no such mode.
[[nodiscard]] const BusModeName* find_bus_mode(BusMode mode);

/// Keys whose value follows from the mode, with the value as a user writes it.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> bus_mode_values(BusMode mode);
/// `channels` after a switch to another mode at run time: what follows from the mode is that of its table; what does
/// not, and everything when it is the mode `channels` was configured with, stays.
[[nodiscard]] Channels switched_to(const Channels& channels, BusMode mode);

}  // namespace wordline::config
