// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/quantity.h"
#include "tlm/protocol/calendar.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// The one engine that all logical pages pass between the decoders of all channels and the data buffer: it checks their
/// end-to-end protection and moves them. It works at one multi-plane read at a time and has a lane for each plane, so
/// that the n-th logical pages of all planes take the time of one.
///
/// Accuracy: first come, first served, by the time at which a logical page has been decoded; the lanes wait for nothing
/// but the engine, so a logical page of a later plane passes in the time that its neighbour has paid for.
class PageEngine {
 public:
  /// Lanes of one read: positions of logical pages in a flash page, as bits, whose time has been paid.
  struct Lanes {
    std::uint64_t paid = 0;
  };

  /// `time`: of a logical page; 0: there is no such engine.
  PageEngine(const tlm_if::SimulationContext& context, Picoseconds time) : context_(context), time_(time) {}
  [[nodiscard]] bool enabled() const { return time_ > Picoseconds(0); }

  /// `lpage`: in its page, decoded at `ready`. Returns when it has passed.
  [[nodiscard]] Picoseconds pass(Picoseconds ready, Lanes& lanes, std::uint32_t lpage) {
    const std::uint64_t bit = std::uint64_t{1} << lpage;
    if ((lanes.paid & bit) != 0) return ready + time_;
    lanes.paid |= bit;
    busy_.add(time_);
    return calendar_.reserve(context_.now(), ready, time_).from + time_;
  }
  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }

 private:
  const tlm_if::SimulationContext& context_;
  const Picoseconds time_;
  tlm_if::Calendar calendar_;
  tlm_if::BusyCounter busy_;
};

}  // namespace wordline::flash
