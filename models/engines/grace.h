// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace wordline::engines {

/// Counts users of something that may be taken away, in two groups: those that came before the last grace period began,
/// and the others. A period ends when the first group is empty, however many come meanwhile. The hardware is two
/// counters and a bit.
class Grace {
 public:
  using Group = unsigned;

  /// A user comes; it leaves with what this returns.
  Group enter() {
    ++count_[now_];
    return now_;
  }
  /// True: this was the last one that a grace period waited for.
  bool leave(Group group) { return --count_[group] == 0 && waiting_ && group != now_; }

  /// Begins a grace period, none must be running. True: no member is left, the period has ended already. Else ended()
  /// follows the leave() that returns true.
  bool begin() {
    now_ = 1 - now_;
    waiting_ = count_[1 - now_] != 0;
    return !waiting_;
  }
  void ended() { waiting_ = false; }

  [[nodiscard]] bool running() const { return waiting_; }
  [[nodiscard]] std::uint32_t users() const { return count_[0] + count_[1]; }

 private:
  std::array<std::uint32_t, 2> count_{};
  Group now_ = 0;
  bool waiting_ = false;
};

}  // namespace wordline::engines
