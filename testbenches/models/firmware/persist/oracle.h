// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ftl.h"

namespace wordline::persist_model {

/// Ways in which a drive fails after a power cut, after Zheng et al., FAST 2013: shorn writes, bit corruption, order
/// that cannot be (stale), metadata lost (lost), dead device. `live`: without any cut.
enum class Failure { kNone, kLost, kStale, kShorn, kCorrupt, kDead, kLive };
[[nodiscard]] std::string_view name_of(Failure failure);

/// What each page may hold: all that has been accepted since what was promised last. Promised is what a FLUSH or FUA
/// has ended for, and what the host has seen after a mount.
class Oracle {
 public:
  void arrived(const MapUnit& content);
  /// A FLUSH of `sequence` begins; when it is durable, all that has arrived so far is promised.
  void flush(std::uint64_t sequence) { flushes_.push_back({sequence, std::nullopt, lengths()}); }
  void force_unit_access(const MapUnit& content);
  void power_lost() { flushes_.clear(); }
  void poll(const Ftl& ftl);
  /// Every page holds what was written last.
  [[nodiscard]] Failure check_live(const Ftl& ftl) const;
  /// Every page holds what it may; that is promised from now on, and what came after it has never been.
  [[nodiscard]] Failure check_mounted(const Ftl& ftl);

 private:
  using Halves = std::array<int, 2>;
  using Lengths = std::array<std::size_t, kLpns>;
  struct Flush {
    std::uint64_t sequence;
    std::optional<int> lpn;  // of this page alone
    Lengths lengths;
  };
  [[nodiscard]] Lengths lengths() const;
  Failure check(int lpn, const std::optional<Halves>& value);

  std::array<std::vector<Halves>, kLpns> history_ = filled();
  Lengths promised_{};  // index in the history
  std::vector<Flush> flushes_;
  static std::array<std::vector<Halves>, kLpns> filled() {
    std::array<std::vector<Halves>, kLpns> h;
    for (auto& v : h) v.push_back({});
    return h;
  }
};

}  // namespace wordline::persist_model
