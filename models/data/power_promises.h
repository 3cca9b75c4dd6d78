// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace wordline::data {

/// What each block of 512 bytes may hold after a power cut: what it held before, or any write that was submitted,
/// unless one that was promised to outlive the cut was submitted after it had ended. Promised is what ended before a
/// FLUSH was submitted that has ended, and a write with FUA that has ended. One that has failed may have happened or
/// not, and no FLUSH promises it. Content is the bits of a stamp (stamp.h); a deallocation is a write of zeros. Time
/// only grows.
class PowerPromises {
 public:
  /// `before`: what a block holds that nothing was written to, and that is promised.
  /// `completed_is_safe`: also what ended without a FLUSH (ftl.power_safe).
  explicit PowerPromises(std::function<std::uint64_t(std::uint64_t lba)> before, bool completed_is_safe = false)
      : before_(std::move(before)), completed_is_safe_(completed_is_safe) {}

  [[nodiscard]] bool completed_is_safe() const { return completed_is_safe_; }
  /// The host has no power any more: what ends from now on is promised to nobody.
  void host_is_gone() { host_gone_ = true; }

  /// `id`: of the write, no other to this block has it.
  void begin(std::uint64_t lba, std::uint64_t id, std::uint64_t content, std::uint64_t now) {
    auto [at, made] = blocks_.try_emplace(lba);
    if (made) at->second.push_back({0, before_(lba), 0, 0, true, false});
    at->second.push_back({id, content, now, kNever, false, false});
    unsettled_.insert(lba);
  }
  void end(std::uint64_t lba, std::uint64_t id, std::uint64_t now, bool promised) {
    if (host_gone_) return;
    std::vector<Entry>& entries = blocks_.at(lba);
    for (Entry& e : entries) {
      if (e.id != id || e.ended != kNever) continue;
      e.ended = now;
      e.promised = promised;
    }
    if (promised) forget(entries);
  }
  void fail(std::uint64_t lba, std::uint64_t id, std::uint64_t now) {
    if (host_gone_) return;
    for (Entry& e : blocks_.at(lba)) {
      if (e.id != id || e.ended != kNever) continue;
      e.ended = now;
      e.failed = true;
    }
  }
  /// A FLUSH has ended that was submitted at this time.
  void flushed(std::uint64_t submitted) {
    if (host_gone_) return;
    for (auto lba = unsettled_.begin(); lba != unsettled_.end();) {
      std::vector<Entry>& entries = blocks_.at(*lba);
      for (Entry& e : entries) e.promised |= !e.failed && e.ended < submitted;
      forget(entries);
      lba = entries.size() == 1 ? unsettled_.erase(lba) : std::next(lba);
    }
  }

  /// Ways in which a drive fails (Zheng et al., FAST 2013): metadata lost, a write that cannot be the last one, bits
  /// that nobody has written there.
  enum class Failure : std::uint8_t { kNone, kLost, kStale, kCorrupt };
  [[nodiscard]] Failure found(std::uint64_t lba, std::uint64_t content) const {
    const auto at = blocks_.find(lba);
    const bool legal = at == blocks_.end() ? content == before_(lba)
                                           : std::any_of(at->second.begin(), at->second.end(),
                                                         [content](const Entry& e) { return e.content == content; });
    if (legal) return Failure::kNone;
    return content == 0 ? Failure::kLost : content >> 32 == lba ? Failure::kStale : Failure::kCorrupt;
  }
  /// Blocks of which something was submitted, in any order.
  template <typename F>
  void for_each_block(F f) const {
    for (const auto& [lba, entries] : blocks_) f(lba);
  }
  /// A block that may hold more than one content.
  [[nodiscard]] std::size_t unsettled() const { return unsettled_.size(); }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  struct Entry {
    std::uint64_t id, content, submitted, ended;
    bool promised, failed;
  };
  /// What ended before something promised was submitted cannot be seen any more.
  static void forget(std::vector<Entry>& entries) {
    std::uint64_t newest = 0;
    for (const Entry& e : entries)
      if (e.promised) newest = std::max(newest, e.submitted);
    entries.erase(std::remove_if(entries.begin(), entries.end(), [newest](const Entry& e) { return e.ended < newest; }),
                  entries.end());
  }
  std::function<std::uint64_t(std::uint64_t lba)> before_;
  bool completed_is_safe_;
  bool host_gone_ = false;
  std::unordered_map<std::uint64_t, std::vector<Entry>> blocks_;
  std::unordered_set<std::uint64_t> unsettled_;
};

[[nodiscard]] constexpr std::string_view name_of(PowerPromises::Failure failure) {
  switch (failure) {
    case PowerPromises::Failure::kLost:
      return "lost";
    case PowerPromises::Failure::kStale:
      return "stale";
    case PowerPromises::Failure::kCorrupt:
      return "corrupt";
    case PowerPromises::Failure::kNone:
      break;
  }
  return "";
}

}  // namespace wordline::data
