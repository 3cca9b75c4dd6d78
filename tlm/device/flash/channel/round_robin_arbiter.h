// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/flash/channel/bus_arbiter.h"
#include "tlm/device/flash/channel/ready_map.h"

namespace wordline::flash {

/// Round robin over packages and their LUNs within each class. Classes in this order:
///   1. data out whose column was selected (06h): so that a package is not held longer than tCCS;
///   2. short segments: read and erase commands, status, SET FEATURES: they keep all dies at work;
///   3. data out of finished reads, or its column selection when the page is not in front of the wires: planes of a
///      multi-plane read, LUNs when another of the package was addressed since. The die whose turn it is goes first:
///      the one that has begun, until all its planes are out;
///   4. data in of programs, units that have begun before new ones: dies do not wait for each other's last page; after
///      `starvation_bound` segments of class 3 it goes before them.
/// A segment may be announced up to max(tRR, tRHW) ahead when nothing else can use the bus. A program's unit begins in
/// the gaps of another (tDBSY) only when two wait.
///
/// Dies that end together sense together, and the bus is idle meanwhile. Two rules keep them apart; both weigh the data
/// at hand (pages sensed or being sensed, as bus time) against the time that a die works before it brings a page:
///   - data wait for a command that is due soon (tRHW; tWB + tDBSY between the planes of a read) when the idle time
///     that follows if the command comes after them is longer, by more than that wait, than if it comes before them;
///   - another die streams in the gaps (tRHW, tCCS) of the one whose turn it is only while so many pages are left
///     after it that they fill the bus for the longest read.
///
/// Every decision is O(1) in the number of dies, but for requests that lie ahead: O(log n).
class RoundRobinArbiter final : public BusArbiterIf {
 public:
  /// `longest_read`: from a die's first command to its data, at most. Throws std::invalid_argument for more than 64
  /// packages of 64 LUNs.
  RoundRobinArbiter(const config::Channels& channels, Picoseconds longest_read);

  void request(std::uint32_t die, const BusRequest& request, Picoseconds at) override;
  void withdraw(std::uint32_t die) override;
  void lock(std::uint32_t die) override { locked_ |= std::uint64_t{1} << package(die); }
  void unlock(std::uint32_t die) override { locked_ &= ~(std::uint64_t{1} << package(die)); }
  void stream(std::uint32_t die, bool more) override;
  void load_begins() override { ++loading_; }
  void load_ends() override { --loading_; }
  void senses(std::uint32_t die, std::uint32_t pages) override;
  void page_is_out(std::uint32_t die) override;
  void data_took(Picoseconds length) override { burst_ = length; }
  [[nodiscard]] std::optional<Grant> next(Picoseconds now) override;
  [[nodiscard]] std::optional<Picoseconds> wake(Picoseconds now, Picoseconds bus_free) const override;

 private:
  static constexpr std::uint32_t kNoDie = 0xffffffff;
  static constexpr unsigned kSelectCycles = 8;  // 06h, at most six address cycles, E0h

  struct Asked {
    ReadyMap::Place place{};
    std::optional<BusRequest> request;
    std::optional<BusClass> ready;  // ready in the map of its class
    Picoseconds timer{-1};          // time of its entry in the timers; -1: none
  };
  struct Timer {
    Picoseconds at;
    std::uint32_t die;
    friend bool operator<(const Timer& a, const Timer& b) {  // the heap's top is the earliest
      return a.at != b.at ? b.at < a.at : b.die < a.die;
    }
  };

  [[nodiscard]] unsigned package(std::uint32_t die) const { return asked_[die].place.package; }
  [[nodiscard]] ReadyMap& ready(BusClass c) { return ready_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] const ReadyMap& ready(BusClass c) const { return ready_[static_cast<std::size_t>(c)]; }
  void set_class(std::uint32_t die, std::optional<BusClass> bus_class);
  void set_timer(std::uint32_t die, Picoseconds at);
  void expire_timers(Picoseconds until);
  [[nodiscard]] bool any_eligible() const;
  [[nodiscard]] bool turn_is_ready() const;
  [[nodiscard]] bool any_out() const;
  [[nodiscard]] bool any_in() const;
  [[nodiscard]] bool command_is_near(Picoseconds now) const;
  [[nodiscard]] Picoseconds data_at_hand() const;
  [[nodiscard]] Picoseconds next_burst() const { return burst_ + command_; }
  [[nodiscard]] bool data_is_scarce() const;
  [[nodiscard]] bool shares_turn() const;
  [[nodiscard]] std::uint32_t pick();

  const std::uint32_t packages_;
  const std::uint32_t starvation_bound_;
  const Picoseconds turnaround_, dummy_busy_;  // WorthWaiting
  const Picoseconds selection_, command_;      // lengths of a column selection and of a read command
  const Picoseconds longest_read_;
  std::vector<ReadyMap> ready_;       // ready by bus class
  std::vector<Asked> asked_;          // by die
  std::vector<Timer> timers_;         // heap; a die may have stale entries
  std::uint64_t locked_ = 0;          // packages between 06h and their data
  std::vector<std::uint32_t> pages_;  // pages by die: sensed or being sensed, not on the bus yet
  std::uint32_t all_pages_ = 0;       // their sum
  std::uint32_t loading_ = 0;         // dies with a unit loaded in part
  std::uint32_t turn_ = kNoDie;       // die that streams and has more to stream
  Picoseconds burst_{};               // length of the last data
  std::uint32_t data_in_passed_ = 0;
};

}  // namespace wordline::flash
