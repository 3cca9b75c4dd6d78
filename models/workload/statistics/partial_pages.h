// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// What writes mean to a drive with pages of 2, 4 ... 64 KiB: how many pages they touch, how many of these are there
/// already, how many are written in part. One pass for all sizes: the address space in extents of 64 KiB, a bit for
/// each 2 KiB.
class PartialPages {
 public:
  void take(const Access& access);
  void report(StatisticList& list) const;

 private:
  static constexpr std::size_t kSizes = 6;  // 2 KiB << 0..5
  struct Extent {
    std::uint32_t written = 0;
    std::uint32_t touched = 0;
  };
  struct Counts {
    std::uint64_t written = 0;            // pages, each as often as it is written
    std::uint64_t written_before = 0;     // pages, of these, that the workload wrote before
    std::uint64_t touched_before = 0;     // pages, of these, that the workload wrote or read before
    std::uint64_t partly = 0;             // pages, of these, that are written in part
    std::uint64_t partly_and_before = 0;  // ... in part, and written before
  };

  void count_partly_written(const Access& access);
  void count_extent(Extent extent, std::uint32_t bits);
  [[nodiscard]] bool written_before(std::uint64_t page, std::size_t size) const;
  void report_density(StatisticList& list) const;

  std::unordered_map<std::uint64_t, Extent> extents_;
  std::array<Counts, kSizes> counts_{};
};

}  // namespace wordline::workload
