// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace wordline::workload {

/// Misses of an LRU cache, for every size of the cache at once and in one pass: an access hits in all caches larger
/// than the number of different keys since the last access to its key (Mattson et al., IBM Systems Journal 1970).
/// That number comes from a Fenwick tree over the order of last accesses (Bennett, Kruskal, IBM JRD 1975), renumbered
/// when it is full: memory grows with the number of keys, not of accesses.
class StackDistances {
 public:
  /// Keys are numbered 0, 1, 2 ... by first access.
  void access(std::uint32_t key);

  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
  [[nodiscard]] std::uint64_t keys() const { return position_.size(); }
  /// Accesses that an LRU cache of `entries` keys, empty at first, does not find.
  [[nodiscard]] std::uint64_t misses(std::uint64_t entries) const;

 private:
  void renumber();
  void change(std::uint32_t position, std::int32_t by);
  [[nodiscard]] std::uint32_t up_to(std::uint32_t position) const;

  std::vector<std::uint32_t> position_;  // position by key: its last access, in the order of last accesses
  std::vector<std::uint32_t> tree_;      // Fenwick: keys by position
  std::vector<std::uint64_t> hits_;      // hits by the number of other keys accessed since
  std::uint32_t next_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace wordline::workload
