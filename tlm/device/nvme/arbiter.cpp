// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/arbiter.h"

#include <algorithm>

namespace wordline::host::nvme {

void Arbiter::set_feature(std::uint32_t value) {
  feature_ = value & 0xffffff07U;
  const std::uint32_t burst = feature_ & 7U;
  burst_ = burst == kNoLimit ? kAny : 1U << burst;
  const auto set_weight = [&](QueuePriority priority, unsigned shift) {
    Class& of = class_of(priority);
    of.weight = of.left = (feature_ >> shift & 0xffU) + 1;
  };
  set_weight(QueuePriority::kLow, 8);
  set_weight(QueuePriority::kMedium, 16);
  set_weight(QueuePriority::kHigh, 24);
}

void Arbiter::set_priority(std::uint32_t qid, QueuePriority priority) {
  for (Class& of : classes_) of.queues &= ~bit(qid);
  class_of(priority).queues |= bit(qid);
}

/// The first of the queues from `from` on, or of all.
std::uint32_t Arbiter::first_from(std::uint64_t queues, std::uint32_t from) {
  const std::uint64_t behind = from > kMaxIoQueues ? 0 : queues >> from << from;
  return static_cast<std::uint32_t>(__builtin_ctzll(behind != 0 ? behind : queues));
}

/// The urgent class before all others; of these one that has commands left, from `turn_` on. When none of those that
/// wait has, all get theirs again.
std::size_t Arbiter::class_on_turn() {
  if (waits(0)) return 0;
  for (;;) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t c = (turn_ - 1 + i) % 3 + 1;
      if (waits(c) && classes_[c].left != 0) return c;
    }
    for (Class& of : classes_) of.left = of.weight;
  }
}

Arbiter::Turn Arbiter::next() {
  if (!weighted_) return {first_from(pending_, next_queue_), burst_};
  const std::size_t c = class_on_turn();
  const Class& of = classes_[c];
  return {first_from(of.queues & pending_, of.next_queue), c == 0 ? burst_ : std::min(burst_, of.left)};
}

void Arbiter::served(std::uint32_t qid, std::uint32_t commands) {
  if (!weighted_) {
    next_queue_ = qid + 1;
    return;
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    Class& of = classes_[c];
    if ((of.queues & bit(qid)) == 0) continue;
    of.next_queue = qid + 1;
    if (c == 0) return;
    of.left -= std::min(of.left, commands);
    turn_ = c % 3 + 1;
  }
}

}  // namespace wordline::host::nvme
