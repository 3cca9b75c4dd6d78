// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Who gets the bus of a channel: the interface between the dies' sequencers, which ask, and an arbiter, which decides.
// An arbiter sees classes, times and packages; neither jobs nor commands reach it. RoundRobinArbiter is the one in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/units/quantity.h"

namespace wordline::flash {

/// What a die wants the bus for. kMoreOut: data out of a die that has begun to stream; kSelectedOut: whose column was
/// selected (06h). kNewIn: the first page of a program unit; kIn: those that follow.
enum class BusClass : std::uint8_t { kSelectedOut, kShort, kMoreOut, kOut, kIn, kNewIn };
inline constexpr std::size_t kBusClasses = 6;

/// How long the bus may stay idle, at most, for a request that is not due yet. Whether it does, the arbiter weighs.
enum class WorthWaiting : std::uint8_t {
  kNo,
  kTurnaround,  // max(tRR, tRHW)
  kDummyBusy,   // the same, or tWB + tDBSY when that is longer
};

/// Cycles of a read command, to estimate by: 00h, five address cycles, 30h.
inline constexpr unsigned kReadCycles = 7;

struct BusRequest {
  BusClass bus_class;
  Picoseconds from;  // the die can use the bus from then on
  WorthWaiting worth = WorthWaiting::kNo;
  Picoseconds until_data{};  // until data from a command to the data it makes ready; 0: as long as the longest read
};

class BusArbiterIf {
 public:
  struct Grant {
    std::uint32_t die;
    Picoseconds at;  // not before the present: a segment may be announced ahead
  };

  virtual ~BusArbiterIf() = default;

  /// Replaces the request of `die`. `at`: the time to which the die's state belongs, the present or a grant ahead of
  /// it.
  virtual void request(std::uint32_t die, const BusRequest& request, Picoseconds at) = 0;
  /// The die wants nothing.
  virtual void withdraw(std::uint32_t die) = 0;

  /// The column of `die`'s data was selected: no other die of its package may be addressed until unlock().
  virtual void lock(std::uint32_t die) = 0;
  virtual void unlock(std::uint32_t die) = 0;
  /// `die` streams, and has `more` planes to stream after this one.
  virtual void stream(std::uint32_t die, bool more) = 0;
  /// A die begins to be loaded with a program unit; its last page is in.
  virtual void load_begins() = 0;
  virtual void load_ends() = 0;
  /// The array of `die` begins to read `pages` pages, each of which will want the bus.
  virtual void senses(std::uint32_t die, std::uint32_t pages) = 0;
  /// All that was wanted of one of them is on its way.
  virtual void page_is_out(std::uint32_t die) = 0;
  /// Length of the data segment sent last: what others are expected to take.
  virtual void data_took(Picoseconds length) = 0;

  /// The bus is free at `now`: the die that uses it next, if any. The request is withdrawn.
  [[nodiscard]] virtual std::optional<Grant> next(Picoseconds now) = 0;
  /// When next() is to be called, for a bus that is free from `bus_free` on; nothing: after another request.
  [[nodiscard]] virtual std::optional<Picoseconds> wake(Picoseconds now, Picoseconds bus_free) const = 0;
};

}  // namespace wordline::flash
