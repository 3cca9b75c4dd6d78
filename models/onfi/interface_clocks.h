// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/config/channel_clocks.h"
#include "models/onfi/commands.h"
#include "models/onfi/timing.h"
#include "models/units/quantity.h"

namespace wordline::onfi {

/// One use of the wires, as the flash interface in gates is asked for it.
struct InterfaceSegment {
  SegmentKind kind = SegmentKind::kCommand;
  std::uint8_t chip = 0;  // chip enable
  std::uint8_t die = 0;   // whose R/B_n and waits count
  Cycles cycles;
  std::uint32_t bytes = 0;  // bytes of page data
  FeatureParameters parameters{};
};

/// When the flash interface in gates (rtl/flash_interface) does what: the first clock in which a segment may start,
/// and the one after its last. The specification of the gates, clock by clock:
///
///   A segment starts in the first clock, not before the one in which it is offered, in which the wires are free (chip
///   enable was high for chip_high clocks), its die is ready (but for status and RESET) and its waits are over. Its
///   length is that of BusTiming.
///   After a command that makes a die busy nothing goes to it for tWB, and kSyncStages clocks more, which R/B_n takes
///   to come through. tADL, tCCS, tWHR and tRR hold data only; of two waits of a die the longer one counts. tRR counts
///   from the clock in which the rise has come through. tRHW holds everything but output, to the same chip.
///
/// Clock n begins at n periods. An edge of R/B_n at a time between two clocks is seen by the later one.
class InterfaceClocks {
 public:
  static constexpr std::int64_t kSyncStages = 2;

  InterfaceClocks(const config::Channels& channels, unsigned dies, unsigned chips);

  [[nodiscard]] const config::ChannelClocks& times() const { return times_; }
  /// The first clock that begins at `at` or later.
  [[nodiscard]] std::int64_t clock_at(Picoseconds at) const {
    return (at.count() + times_.period.count() - 1) / times_.period.count();
  }
  [[nodiscard]] Picoseconds time_of(std::int64_t clock) const { return times_.period * clock; }

  /// An edge of R/B_n in clock `clock`. Edges of a die come in order; one may lie ahead, when a segment depends on it.
  void ready_busy(unsigned die, bool ready, std::int64_t clock);

  struct Span {
    std::int64_t start = 0, end = 0;
  };
  /// The segment takes place. Throws std::logic_error when its die is busy and no rise is known.
  Span segment(const InterfaceSegment& segment, std::int64_t offered);

 private:
  struct Edge {
    std::int64_t clock;
    bool ready;
  };
  struct Die {
    std::int64_t wait = 0;  // nothing that waits before this clock
    std::int64_t all = 0;   // the wait is for everything before this clock
    bool ready = true;      // ready as seen
    std::int64_t rise_seen = -1;
    std::deque<Edge> edges;  // not seen yet
  };

  void see(Die& die, std::int64_t clock) const;
  void end(const InterfaceSegment& segment, std::int64_t clock);

  const config::ChannelClocks times_;
  const BusTiming timing_;
  std::vector<Die> dies_;
  std::vector<std::int64_t> turnaround_;  // turnaround by chip: nothing but output before this clock
  std::int64_t free_ = 0;
};

}  // namespace wordline::onfi
