// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/units/quantity.h"

namespace wordline::testing {

/// Bandwidth of one channel in closed form, from the configuration alone (docs/channel.md). A die repeats its cycle, a
/// job occupies the bus for its segments: N dies give N jobs per cycle until the bus is full.
struct ChannelForm {
  double bytes;      // host data per job
  double die_cycle;  // ps from job to job on one die while the bus is free whenever it is wanted
  double bus;        // ps of the bus per job
  double gaps;       // ps within a job in which its die leaves the bus to others
  double array;      // ps of a cycle in which the die does not need the bus
  double burst;      // ps of one page on the bus
  double scarce;     // ps of waiting data below which one die streams at a time; 0: dies always fill each other's gaps

  /// Jobs per picosecond, inverted.
  [[nodiscard]] double job_time(unsigned dies) const;
  [[nodiscard]] double bytes_per_second(unsigned dies) const { return bytes / job_time(dies) * 1e12; }
};

/// Reads of whole pages in order, of one plane or of all planes at once, with READ CACHE (31h) or without. Mean over the page types.
[[nodiscard]] ChannelForm read_form(const config::Config& config, bool multi_plane, bool cache = false);
/// Programs of whole units in order, all planes of the device at once, with CACHE PROGRAM (15h) or without.
[[nodiscard]] ChannelForm program_form(const config::Config& config, bool cache = false);

}  // namespace wordline::testing
