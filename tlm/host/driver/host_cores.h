// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/results/resources.h"
#include "models/units/quantity.h"

namespace wordline::host {

/// The cores of the host: what each spends on requests and completions, one thing after the other in the order in which
/// it comes up, and which queue pair it uses. Job j runs on core j modulo their number, core c uses queue pair c modulo
/// the number of pairs, and pair p completes in queue p modulo the number of completion queues.
///
/// Accuracy: host.submission_cost for a request, host.interrupt_cost for an interrupt, host.completion_cost for each
/// completion entry that it finds; no caches, no scheduler, and an interrupt waits until what the core does has ended.
/// A core that polls is never idle; busy here are requests and entries, not looks that find nothing.
class HostCores {
 public:
  explicit HostCores(const config::Host& config) : config_(config), pairs_(pairs_of(config)), cores_(config.cores) {}

  /// Queue pairs of the drive that the host uses.
  [[nodiscard]] static std::uint32_t pairs_of(const config::Host& config) {
    return config.queue_pairs == 0 ? config.cores : config.queue_pairs;
  }
  /// Completion queues that the pairs share, or one for each.
  [[nodiscard]] static std::uint32_t completion_queues_of(const config::Host& config) {
    return config.completion_queues == 0 ? pairs_of(config) : config.completion_queues;
  }
  [[nodiscard]] std::uint32_t completion_queues() const { return completion_queues_of(config_); }
  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }
  [[nodiscard]] std::uint32_t pairs() const { return pairs_; }
  [[nodiscard]] std::uint32_t pair_of(std::uint32_t core) const { return core % pairs_; }

  /// Completions cost time: they are taken one after the other, and several by one interrupt.
  [[nodiscard]] bool completions_cost() const {
    return config_.interrupt_cost > Picoseconds(0) || config_.completion_cost > Picoseconds(0);
  }
  /// When a request that comes up at `at` is submitted.
  Picoseconds submit(std::uint32_t core, Picoseconds at) { return work(core, at, config_.submission_cost); }
  /// When the handler of an interrupt that comes at `at` looks for entries.
  Picoseconds interrupt(std::uint32_t core, Picoseconds at) { return work(core, at, config_.interrupt_cost); }
  /// When a core that polls looks for the entry that is there from `at` on: every host.polling_period, or when it has
  /// done what there is.
  [[nodiscard]] Picoseconds look(std::uint32_t core, Picoseconds at) const {
    const std::int64_t period = config_.polling_period.count();
    return std::max(Picoseconds((at.count() + period - 1) / period * period), cores_[core].free);
  }
  /// When the completion entry that is found at `at` has been dealt with.
  Picoseconds complete(std::uint32_t core, Picoseconds at) { return work(core, at, config_.completion_cost); }

  /// Nothing, where they cost nothing.
  void register_resources(results::Resources& resources) const;

 private:
  struct Core {
    Picoseconds free{}, busy{};
  };
  Picoseconds work(std::uint32_t core, Picoseconds at, Picoseconds cost) {
    if (cost == Picoseconds(0)) return at;
    Core& of = cores_[core];
    of.free = std::max(of.free, at) + cost;
    of.busy += cost;
    return of.free;
  }

  const config::Host config_;
  const std::uint32_t pairs_;
  std::vector<Core> cores_;
};

}  // namespace wordline::host
