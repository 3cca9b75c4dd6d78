// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// The last 32 requests.
class RecentRequests {
 public:
  void push(const Access& access);
  /// One of them ended at `block` and had this direction.
  [[nodiscard]] bool ended_at(std::uint64_t block, bool write) const;
  /// `block` is more than 128 KiB away from the ends (starts) of all of them. True of the first request.
  [[nodiscard]] bool far_from_ends(std::uint64_t block) const;
  [[nodiscard]] bool far_from_starts(std::uint64_t block) const;

 private:
  static constexpr std::size_t kKept = 32;
  std::array<Access, kKept> requests_{};
  std::size_t used_ = 0;
  std::size_t next_ = 0;
};

/// How the start of a request lies to those before it: far from all of them, at the end of one, in a run.
class Sequences {
 public:
  void take(const Access& access);
  void report(StatisticList& list) const;

 private:
  /// Chains of requests of one direction, each starting where the one before it ended.
  struct Runs {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t continued = 0;      // requests that are not the first of their run
    std::uint64_t end = 0;            // where the next request of the run would start
    bool write = false;               // direction of the run
    std::uint64_t run_bytes = 0;      // bytes of the run that may go on
    std::uint64_t bytes_in_long = 0;  // bytes in long in ended runs of at least 64 KiB

    void take(const Access& access);
    [[nodiscard]] std::uint64_t long_bytes() const;
  };
  struct Counts {
    std::uint64_t far = 0;        // far from the ends of the last requests
    std::uint64_t following = 0;  // following at the end of one of the last requests, of its direction
    Runs runs;
  };

  void report(StatisticList& list, Part part) const;

  ByPart<Counts> counts_;
  std::uint64_t far_from_starts_ = 0;
  std::uint64_t writes_far_from_writes_ = 0;
  RecentRequests recent_, recent_writes_;
};

}  // namespace wordline::workload
