// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace wordline::testing {

/// What a read of a 512-byte block may return: the content of a write (or trim) v, unless another was submitted after v
/// was acknowledged and was itself acknowledged before the read was submitted. Time is a step count.
class BlockOracle {
 public:
  BlockOracle(std::uint64_t blocks, bool preconditioned) : blocks_(blocks) {
    for (std::uint64_t lba = 0; lba < blocks; ++lba)
      blocks_.at(lba).push_back({preconditioned ? lba << 32 | 1 : 0, 0, 0, kNever});
  }
  void start_with(std::uint64_t lba, std::uint64_t content) { blocks_.at(lba) = {{content, 0, 0, kNever}}; }
  void start_with_zeros(std::uint64_t lba) { start_with(lba, 0); }
  void begin(std::uint64_t lba, std::uint64_t content, std::uint64_t now) {
    blocks_.at(lba).push_back({content, now, kNever, kNever});
  }
  /// The write submitted at `submitted` is acknowledged. `oldest_read`: submission of the oldest read in flight.
  void end(std::uint64_t lba, std::uint64_t submitted, std::uint64_t now, std::uint64_t oldest_read) {
    auto& entries = blocks_.at(lba);
    for (Entry& e : entries) {
      if (e.submitted == submitted) e.acknowledged = now;
      if (e.acknowledged < submitted && e.dead == kNever) e.dead = now;
    }
    std::size_t kept = 0;
    for (const Entry& e : entries)
      if (e.dead >= oldest_read) entries[kept++] = e;
    entries.resize(kept);
  }
  /// The write submitted at `submitted` has failed: it may have happened, or, without `possible`, has not.
  void fail(std::uint64_t lba, std::uint64_t submitted, std::uint64_t now, bool possible) {
    auto& entries = blocks_.at(lba);
    for (Entry& e : entries)
      if (e.submitted == submitted) e.acknowledged = now;
    if (possible) return;
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [submitted](const Entry& e) { return e.submitted == submitted; }),
                  entries.end());
  }
  [[nodiscard]] bool legal(std::uint64_t lba, std::uint64_t content, std::uint64_t submitted) const {
    for (const Entry& e : blocks_.at(lba))
      if (e.content == content && e.dead >= submitted) return true;
    return false;
  }
  /// Whether what a read may return has been the same since before `time`.
  [[nodiscard]] bool at_rest_since(std::uint64_t lba, std::uint64_t time) const {
    for (const Entry& e : blocks_.at(lba))
      if (e.submitted >= time || e.acknowledged >= time) return false;
    return true;
  }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  struct Entry {
    std::uint64_t content, submitted, acknowledged, dead;
  };
  std::vector<std::vector<Entry>> blocks_;
};

}  // namespace wordline::testing
