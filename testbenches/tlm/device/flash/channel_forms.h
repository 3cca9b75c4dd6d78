// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/config/config.h"
#include "models/units/quantity.h"

namespace wordline::testing {

/// Bandwidth of one channel in closed form, from the configuration alone (docs/channel.md). A die repeats its cycle, a
/// job occupies the bus for its segments: N dies give N jobs per cycle until the bus is full. Fastest and slowest are
/// the same for reads of one plane that all take one tR. Else they leave open
///   - which of the gaps within a job (tRHW, tCCS, tDBSY) other dies fill;
///   - whether dies read different page types at a time (fastest), or all the same (slowest).
struct ChannelForm {
  double bytes;                // host data per job
  std::vector<double> cycles;  // by page type: ps from job to job on one die, the bus free whenever it is wanted
  std::vector<double> away;    // ps of it in which the die has no data and does not want the bus
  double bus;                  // ps of the bus per job
  double gaps;                 // ps of a job in which its die leaves the bus to others
  bool one_gap;                // that before the next command only: filled as soon as there are dies enough

  [[nodiscard]] double fastest(unsigned dies) const;  // bytes per second
  [[nodiscard]] double slowest(unsigned dies) const;
  /// `measured` over the nearer of both, 1 between them.
  [[nodiscard]] double deviation(double measured, unsigned dies) const;
  /// ps of its one gap that stay idle: of a die that is away for `t` ps, with `dies` dies at work.
  [[nodiscard]] double gap_behind(double t, unsigned dies) const;
};

/// Reads of whole pages in order, of one plane or of all planes at once, with READ CACHE (31h) or without. `page`: each
/// read is of that page, of another block than the last.
[[nodiscard]] ChannelForm read_form(const config::Config& config, bool multi_plane, bool cache = false,
                                    std::optional<std::uint32_t> page = {});
/// Programs of whole units in order, all planes of the device at once, with CACHE PROGRAM (15h) or without.
[[nodiscard]] ChannelForm program_form(const config::Config& config, bool cache = false);

}  // namespace wordline::testing
