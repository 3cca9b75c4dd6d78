// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace wordline::host::nvme {

inline constexpr std::uint32_t kMaxIoQueues = 63;  // the admin queue and these: one bit of 64 each

/// QPRIO of Create I/O Submission Queue (Base 5.5).
enum class QueuePriority : std::uint8_t { kUrgent, kHigh, kMedium, kLow };

/// From which I/O submission queue commands are fetched next (Base 3.4.4), of those that have entries: round robin, or
/// with CC.AMS = 001b weighted round robin with an urgent class. A turn is at most the arbitration burst of Set
/// Features 01h; with weights, each of the classes high, medium and low has as many commands as its weight says until
/// all that wait have had theirs, and they take turns. Within a class, queues go round robin.
///
/// Accuracy: what it decides shows where commands wait in the queues: when the controller has no tag left (nvme.tags).
/// A controller with a tag for each command of the host takes all of them at once, whatever the weights.
class Arbiter {
 public:
  struct Turn {
    std::uint32_t qid;
    std::uint32_t commands;  // at most
  };

  /// CC.AMS, when the controller is enabled.
  void use_weights(bool weighted) { weighted_ = weighted; }
  /// Dword 11 of Features 01h: burst as a power of two (7: no limit), weights of low, medium and high, counted from 0.
  void set_feature(std::uint32_t value);
  [[nodiscard]] std::uint32_t feature() const { return feature_; }
  /// Queue `qid` is created.
  void set_priority(std::uint32_t qid, QueuePriority priority);
  /// Queue `qid` has entries to fetch, or none.
  void set_pending(std::uint32_t qid, bool entries) { pending_ = entries ? pending_ | bit(qid) : pending_ & ~bit(qid); }
  [[nodiscard]] bool any_pending() const { return pending_ != 0; }
  /// Whose turn it is; a queue has entries.
  [[nodiscard]] Turn next();
  /// So many commands of queue `qid` have been fetched in its turn: at least one.
  void served(std::uint32_t qid, std::uint32_t commands);
  /// Controller reset: no queue exists, features are as at power on.
  void reset() { *this = Arbiter(); }

 private:
  static constexpr std::uint32_t kNoLimit = 7;
  static constexpr std::uint32_t kAny = UINT32_MAX;
  struct Class {
    std::uint64_t queues = 0;      // of this priority, as bits
    std::uint32_t next_queue = 1;  // round robin
    std::uint32_t weight = 1;      // commands between two replenishments
    std::uint32_t left = 1;
  };

  [[nodiscard]] static constexpr std::uint64_t bit(std::uint32_t qid) { return std::uint64_t{1} << qid; }
  [[nodiscard]] static std::uint32_t first_from(std::uint64_t queues, std::uint32_t from);
  [[nodiscard]] Class& class_of(QueuePriority priority) { return classes_[static_cast<std::size_t>(priority)]; }
  [[nodiscard]] bool waits(std::size_t c) const { return (classes_[c].queues & pending_) != 0; }
  [[nodiscard]] std::size_t class_on_turn();

  bool weighted_ = false;
  std::uint32_t feature_ = kNoLimit;
  std::uint32_t burst_ = kAny;
  std::uint64_t pending_ = 0;
  std::uint32_t next_queue_ = 1;  // round robin without weights
  std::array<Class, 4> classes_{};
  std::size_t turn_ = 1;  // class that comes first among those with weights
};

}  // namespace wordline::host::nvme
