// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/queue_results.h"

#include <utility>

namespace wordline::results {

void QueueResults::open(std::uint32_t pairs, Read read) {
  if (pairs < 2) return;
  pairs_.resize(pairs);
  read_ = std::move(read);
}

void QueueResults::begin(Picoseconds at) {
  if (pairs_.empty()) return;
  measuring_ = true;
  begin_ = at;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].latency = Histogram();
    pairs_[i].before = pairs_[i].after = read_(i);
  }
}

void QueueResults::end(Picoseconds at) {
  if (!measuring_) return;
  measuring_ = false;
  end_ = at;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) pairs_[i].after = read_(i);
}

double QueueResults::per_time(double amount) const {
  return end_ <= begin_ ? 0.0 : amount / static_cast<double>((end_ - begin_).count());
}

void QueueResults::register_statistics(Registry& registry) const {
  if (pairs_.empty()) return;
  const auto add = [&](const char* path, const char* unit, const char* text, auto value) {
    using T = decltype(value(Pair()));
    registry.add(path, unit, text, [this, value]() -> Value {
      std::vector<T> list;
      for (const Pair& pair : pairs_) list.push_back(value(pair));
      return list;
    });
  };
  add("queues[].commands", "commands",
      "Commands completed. A request that the host driver splits is several of them, and one that ended with an error "
      "counts.",
      [](const Pair& pair) { return pair.latency.count(); });
  add("queues[].iops", "commands/s", "These over the length of the measurement: rates of several queues add up.",
      [this](const Pair& pair) { return per_time(static_cast<double>(pair.latency.count()) * 1e12); });
  add("queues[].lat_ps.mean", "ps",
      "Mean latency of the commands, from the submission queue until the host has taken the completion. What a request "
      "waits in the host before is not in it.",
      [](const Pair& pair) { return pair.latency.mean(); });
  add("queues[].lat_ps.p99", "ps", "Latency that 99 % of them do not exceed.",
      [](const Pair& pair) { return pair.latency.percentile(99); });
  add("queues[].depth", "commands", "Commands of the pair that were outstanding in the mean, by Little's law.",
      [this](const Pair& pair) { return per_time(static_cast<double>(pair.latency.sum())); });
  add("queues[].fetched", "commands",
      "Commands that the drive took out of the submission queue: those whose turn arbitration had found.",
      [](const Pair& pair) { return pair.after.fetched - pair.before.fetched; });
  add("queues[].completion_queue", "number", "Identifier of the pair's completion queue, from 1 on.",
      [](const Pair& pair) { return std::uint64_t{pair.after.completion_queue}; });
  add("queues[].interrupts", "interrupts",
      "Interrupts of this completion queue that reached the host: the same number for all pairs that share it, 0 with "
      "`host.completion` = polling.",
      [](const Pair& pair) { return pair.after.interrupts - pair.before.interrupts; });
}

}  // namespace wordline::results
