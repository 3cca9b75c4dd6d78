// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/config/channel_clocks.h"
#include "models/onfi/commands.h"

namespace wordline::onfi {

/// The pins of a channel in one clock, as the controller drives them; DQS and DQ of the die are not among them.
struct ChannelPins {
  std::uint8_t ce_n = 0xff;  // a bit for each chip
  bool cle = false, ale = false, we_n = true, re_n = true;
  bool dq_driven = false, dqs_driven = false, dqs = false;
  std::uint8_t dq = 0;

  friend bool operator==(const ChannelPins& a, const ChannelPins& b) {
    return a.ce_n == b.ce_n && a.cle == b.cle && a.ale == b.ale && a.we_n == b.we_n && a.re_n == b.re_n &&
           a.dq_driven == b.dq_driven && a.dqs_driven == b.dqs_driven && a.dqs == b.dqs &&
           (!a.dq_driven || a.dq == b.dq);
  }
  friend bool operator!=(const ChannelPins& a, const ChannelPins& b) { return !(a == b); }
};

/// What the die drives, where the controller does not.
struct DiePins {
  std::uint8_t dq = 0;
  bool dqs = false;
};

/// Reads a segment back from the pins, knowing nothing of what was asked for: what a die would latch, and when. A
/// command or address cycle is what DQ holds when WE_n rises with CLE or ALE; a byte in, what it holds at an edge of
/// DQS (SDR: when WE_n rises without both); a byte out is asked for by an edge of RE_n that is not the preamble's (SDR:
/// when it falls). A segment is what happens while a chip enable is low.
class PinReader {
 public:
  struct Cycle {
    bool command;
    std::uint8_t byte;
  };
  struct Segment {
    unsigned chip = 0;
    std::int64_t start = 0, end = 0;  // clocks; chip enable is low in [start, end)
    std::vector<Cycle> cycles;
    std::int64_t cycles_end = 0;         // the clock after the last one: CLE and ALE are low
    std::int64_t data = -1;              // DQS driven, or RE_n low for the first time (SDR: the first byte); -1: none
    std::vector<std::uint8_t> in;        // with warm-up and padding
    std::uint32_t out = 0;               // bytes asked for, with those
    std::int64_t first = -1, last = -1;  // clocks of the first and the last byte, in or out
    bool uneven = false;                 // two bytes are not one clock (SDR: one cycle) apart
    bool early = false;                  // two bytes are less than that apart
    std::int64_t setup = -1;             // clocks to the first low of WE_n or RE_n, or DQS driven; -1: none
    std::int64_t shortest_cycle = -1;    // clocks between two falls of WE_n in command and address cycles; -1: one fall
    std::string fault;                   // what no die would understand, "" if nothing
  };

  explicit PinReader(const config::ChannelClocks& times) : times_(times) {}

  /// The pins in clock `clock`; clocks in which nothing changes may be left out while every chip enable is high.
  /// True: a segment has ended, and is in segment() until the next one begins.
  bool clock(std::int64_t clock, const ChannelPins& pins);
  [[nodiscard]] const Segment& segment() const { return segment_; }
  /// A chip enable was low in the last clock.
  [[nodiscard]] bool active() const { return active_; }
  /// A byte out was asked for in the last clock.
  [[nodiscard]] bool asks() const { return asks_; }

 private:
  void begin(std::int64_t clock, const ChannelPins& pins);
  void write(std::int64_t clock, const ChannelPins& pins);
  void read(std::int64_t clock, const ChannelPins& pins);
  void byte(std::int64_t clock, std::int64_t apart);

  const config::ChannelClocks times_;
  ChannelPins before_;
  bool active_ = false;
  bool preamble_ = false;
  bool asks_ = false;
  std::int64_t fell_ = -1;  // WE_n, in the last cycle
  Segment segment_;
};

/// How the times within a segment are compared with those asked for.
enum class Lengths : std::uint8_t { kExact, kAtLeast };

/// The segment of `read`, "" when it is `asked`; else the difference. The times within the segment are checked too:
/// `kind` alone does not say where its preamble lies. kAtLeast: each of them may be longer. Known gap: how long WE_n is
/// low within its cycle.
[[nodiscard]] std::string difference(const PinReader::Segment& read, SegmentKind kind, const Cycles& cycles,
                                     std::uint32_t bytes, const config::ChannelClocks& times,
                                     Lengths lengths = Lengths::kExact);

}  // namespace wordline::onfi
