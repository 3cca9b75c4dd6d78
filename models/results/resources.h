// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/results/registry.h"
#include "models/units/quantity.h"

namespace wordline::results {

/// What can be short in a drive. Servers work on one thing at a time and are busy; a pool has a number of
/// entries, and requests wait while none is free.
enum class ResourceKind { kServer, kPool };

/// A group of alike resources.
struct ResourceGroup {
  std::string key;     // "dies", as in the configuration and in bottleneck.resource
  std::string member;  // what one of them is called: "die"
  ResourceKind kind = ResourceKind::kServer;
  bool list = false;  // utilisation.KEY is a list by member, not the greatest share
  std::string text;   // text of utilisation.KEY, a sentence; empty: there is no such statistic
};

/// Shares of a group of alike resources in a stretch of time, by member, 0..1.
struct GroupShares {
  std::string key, member;
  ResourceKind kind = ResourceKind::kServer;
  std::vector<double> shares;

  [[nodiscard]] double greatest() const;
  [[nodiscard]] double mean() const;
};

/// Every resource of a drive, its busy time read by a function of its owner; busy shares over the measurement and over
/// windows of it. Nothing is counted here: an owner's counter is read at the borders of windows.
///
/// Accuracy: a share never exceeds 1, though an owner may count a transfer when it is reserved, a little ahead of the
/// time at which it is made.
class Resources {
 public:
  using Busy = std::function<Picoseconds()>;  // busy since power-on, busy or (of a pool) waited for
  /// Writes the busy times of many members where they had them when they were asked last, 0 at first. It may leave out
  /// those whose time has not changed.
  using ManyBusy = std::function<void(Picoseconds* busy)>;
  static constexpr std::size_t kMostWindows = 64;
  static constexpr Picoseconds kShortest{50'000'000};  // 50 us

  /// Another member of `group`, which is the same for all of its members.
  void add(const ResourceGroup& group, Busy busy);
  /// All members of `group`, so many.
  void add(const ResourceGroup& group, std::size_t members, ManyBusy busy);

  /// Something that is counted and read at the same borders; gives its number for counted().
  std::size_t count(std::function<std::uint64_t()> counter);

  /// The measurement begins at the present, `at`.
  void begin(Picoseconds at);
  /// A window ends at `at`, which is next_border().
  void window_ends(Picoseconds at);
  /// The measurement ends at `at`, which may lie before the last window's end; what comes later is not counted.
  void end(Picoseconds at);
  [[nodiscard]] bool measuring() const { return measuring_; }
  [[nodiscard]] Picoseconds next_border() const { return border_; }

  /// Over the measurement.
  [[nodiscard]] std::vector<GroupShares> shares() const;
  /// The shares of the group `key`, no shares when there is none.
  [[nodiscard]] GroupShares shares_of(const std::string& key) const;
  /// Over `parts` equal parts of it, as equal as windows allow; fewer when there are not enough windows.
  [[nodiscard]] std::vector<std::vector<GroupShares>> shares_by_part(std::size_t parts) const;

  /// Ends of the windows, from the begin of the measurement; all as long as each other but the first
  /// and the last.
  [[nodiscard]] std::vector<Picoseconds> window_ends() const;
  /// By window: what was counted, and the busy share of a group, the mean of its members; none of an unknown group.
  [[nodiscard]] std::vector<std::uint64_t> counted(std::size_t number) const;
  [[nodiscard]] std::vector<double> busy(const std::string& key) const;
  /// The keys of all groups, in the order of their registration.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// Registers utilisation.KEY of the groups with a text.
  void register_statistics(Registry& registry) const;

 private:
  struct Group {
    ResourceGroup what;
    std::size_t members = 0;
    std::vector<Busy> busy;
    ManyBusy many;  // or in place of it
  };
  struct Snapshot {
    Picoseconds at{};
    std::vector<Picoseconds> busy;  // busy of all members of all groups
    std::vector<std::uint64_t> counts;
  };
  [[nodiscard]] std::vector<const Snapshot*> all_borders() const;
  [[nodiscard]] Snapshot read(Picoseconds at);
  [[nodiscard]] std::vector<GroupShares> between(const Snapshot& from, const Snapshot& to) const;

  std::vector<Group> groups_;
  std::vector<std::function<std::uint64_t()>> counters_;
  std::vector<Picoseconds> busy_;  // as read last
  std::vector<Snapshot> borders_;  // borders of windows, the begin of the measurement first
  Snapshot end_;
  Picoseconds width_ = kShortest;
  Picoseconds border_{};
  bool measuring_ = false;
};

}  // namespace wordline::results
