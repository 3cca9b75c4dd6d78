// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "models/config/bus_modes.h"
#include "models/config/config.h"
#include "models/onfi/commands.h"

namespace wordline::onfi {

/// P1 to P4 of SET FEATURES and GET FEATURES.
inline constexpr std::uint64_t kFeatureBytes = 4;

/// Exact length of bus segments on an 8-bit bus, ONFI 5.0 clauses 4.16-4.20 (command, address, data cycles)
/// and tables 4-73..80 (times). A segment holds the wires for its whole length; the waits between segments (tWB, tRR,
/// tADL, tCCS, tRHW, tDBSY, tFEAT) do not: another die may use the bus meanwhile.
///
///   command and address    max(tCS, tCALS) + n * tWC     chip enable and latch enable set up in parallel, once
///   data in                tWPRE + n / rate + tWPST + tWPSTH
///   data out               tRPRE + tDQSRE + n / rate + tRPST
///   status                 command + tWHR + data out of 1 byte
///   SET FEATURES           command + tADL + data in of 4 bytes
///
/// SDR has no DQS: a byte in takes tWC and a byte out tRC, after the set-up of a command where it is a segment of its
/// own:
///
///   data in                max(tCS, tCALS) + n * tWC        SET FEATURES      command + tADL + 4 * tWC
///   data out               max(tCS, tCALS) + n * tRC        status            command + tWHR + tRC
///
/// A DQS cycle moves two bytes, so an odd count is rounded up. Status and feature bytes are sent on both edges of DQS:
/// each takes two transfers. Warm-up cycles come before page data, two transfers each. n / rate is rounded up to the
/// next picosecond. Known gaps: the chip enable access time of SDR is taken as the set-up; no ODT setup, no tCHZ
/// between targets, no pauses inside a burst.
class BusTiming {
 public:
  /// Throws std::invalid_argument when the rate is 0.
  explicit BusTiming(const config::Channels& channels);

  [[nodiscard]] Picoseconds command(unsigned cycles) const;
  [[nodiscard]] Picoseconds data_in(std::uint64_t bytes) const;
  [[nodiscard]] Picoseconds data_out(std::uint64_t bytes) const;
  [[nodiscard]] Picoseconds status(unsigned cycles) const;
  /// The time of `bytes` bytes of data; kinds that fix their own data ignore it.
  [[nodiscard]] Picoseconds segment(SegmentKind kind, const Cycles& cycles, std::uint64_t bytes) const;
  /// From the start of a status segment to the moment at which the die takes the status byte.
  [[nodiscard]] Picoseconds status_sample(unsigned cycles) const;

 private:
  [[nodiscard]] Picoseconds transfers(std::uint64_t bytes) const;
  [[nodiscard]] Picoseconds strobes_in(std::uint64_t count) const;
  [[nodiscard]] Picoseconds strobes_out(std::uint64_t count) const;

  bool sdr_;
  std::uint64_t warm_up_;  // transfers
  Picoseconds setup_, t_wc_, t_rc_, t_whr_, t_adl_;
  Picoseconds in_overhead_, out_overhead_;
  BytesPerSecond rate_;
};

/// Bus timing of one target, which follows the timing mode that it is in: that of the configuration after power-on,
/// another one after SET FEATURES 01h or RESET. Bus and die keep one each; the timing checker works it out for itself.
/// Copies share the times of the mode until one of them switches: a drive of a thousand dies has one set.
class TargetTiming {
 public:
  explicit TargetTiming(const config::Channels& channels)
      : first_(std::make_shared<const Times>(channels)), now_(first_), bus_(&now_->bus), t_wb_(channels.t_wb) {}

  /// For the segments that follow.
  void switch_to(config::BusMode mode) {
    now_ = mode == first_->channels.mode ? first_
                                         : std::make_shared<const Times>(config::switched_to(first_->channels, mode));
    bus_ = &now_->bus;
    t_wb_ = now_->channels.t_wb;
  }
  [[nodiscard]] config::BusMode mode() const { return now_->channels.mode; }
  [[nodiscard]] config::BusMode mode_after_power_on() const { return first_->channels.mode; }
  [[nodiscard]] const BusTiming& bus() const { return *bus_; }
  /// From the last cycle of a command to R/B_n low.
  [[nodiscard]] Picoseconds t_wb() const { return t_wb_; }

 private:
  struct Times {
    explicit Times(const config::Channels& of) : channels(of), bus(of) {}
    config::Channels channels;
    BusTiming bus;
  };
  std::shared_ptr<const Times> first_, now_;
  const BusTiming* bus_;  // bus of these times
  Picoseconds t_wb_;      // and theirs
};

}  // namespace wordline::onfi
