// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/firmware/core/hal.h"

namespace wordline::testing {

/// The controller's part of a Drive's host memory buffer: copies of map pages, which it moves in any order, and a host
/// that writes into them.
class DriveHostBuffer {
 public:
  DriveHostBuffer(const wl_hal& hal, std::function<std::uint64_t()> random) : hal_(hal), random_(std::move(random)) {}

  std::uint32_t spoils_one_in = 0;  // of the copies that are fetched; 0: the host keeps its hands off
  std::uint64_t stored = 0, fetched = 0, failed = 0;

  /// From now on the host lends so many pages; what lay in those before is gone.
  void lend(std::uint32_t pages) {
    pages_ = pages;
    copies_.clear();
  }
  /// True: the job is one of these.
  bool take(const wl_host_job& job) {
    if (job.op != WL_JOB_STORE_COPY && job.op != WL_JOB_FETCH_COPY) return false;
    if (moves_.size() == WL_HOST_BUFFER_MOVES) throw std::runtime_error("too many copies on their way");
    moves_.push_back(job);
    return true;
  }
  [[nodiscard]] bool at_rest() const { return moves_.empty(); }
  /// One of them ends; there is one.
  wl_host_event step() {
    const std::size_t pick = random_() % moves_.size();
    const wl_host_job job = moves_[pick];
    moves_.erase(moves_.begin() + static_cast<std::ptrdiff_t>(pick));
    wl_host_event event{};
    event.type = WL_EVENT_COPY;
    event.slot = job.slot;
    event.flags = job.op == WL_JOB_STORE_COPY ? store(job) : fetch(job);
    if ((event.flags & WL_EVENT_FAILED) != 0) ++failed;
    return event;
  }

 private:
  [[nodiscard]] std::vector<std::uint8_t> entries(const wl_host_job& job) const {
    const std::uint8_t* from = hal_.dram + (job.lpage - WL_DRAM_BASE);
    return {from, from + job.count * sizeof(std::uint32_t)};
  }
  std::uint8_t store(const wl_host_job& job) {
    if (job.slot >= pages_) return WL_EVENT_FAILED;
    ++stored;
    copies_[job.slot] = entries(job);
    return 0;
  }
  std::uint8_t fetch(const wl_host_job& job) {
    if (job.slot >= pages_ || (spoils_one_in != 0 && random_() % spoils_one_in == 0)) return WL_EVENT_FAILED;
    ++fetched;
    return copies_.at(job.slot) == entries(job) ? 0 : WL_EVENT_DIFFERS;
  }

  const wl_hal& hal_;
  std::function<std::uint64_t()> random_;
  std::uint32_t pages_ = 0;
  std::vector<wl_host_job> moves_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> copies_;
};

}  // namespace wordline::testing
