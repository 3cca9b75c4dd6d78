// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/workload/statistics/quantiles.h"
#include "models/workload/statistics/stack_distances.h"
#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// Numbers keys 0, 1, 2 ... by first use. Throws std::length_error beyond four billion keys.
class KeyNumbers {
 public:
  [[nodiscard]] std::uint32_t of(std::uint64_t key);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// What happens to pages of 4 KiB: footprint, skew, classes, reuse. Every page that a request touches is one access.
class Pages {
 public:
  void take(const Access& access);
  void report(StatisticList& list, bool with_times) const;

  static constexpr std::uint64_t kBlocks = 8;  // LBAs in a page

 private:
  struct Page {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    Picoseconds last_write{};

    [[nodiscard]] std::uint32_t accesses(Part part) const {
      return part == Part::kAll ? reads + writes : part == Part::kReads ? reads : writes;
    }
  };

  [[nodiscard]] std::uint64_t footprint(Part part) const;
  [[nodiscard]] std::uint64_t accesses(Part part) const;
  void report_footprint(StatisticList& list) const;
  void report_classes(StatisticList& list) const;
  void report_skew(StatisticList& list, Part part) const;
  void report_reuse(StatisticList& list) const;
  [[nodiscard]] double rank_correlation() const;

  ByPart<std::uint64_t> requests_;
  KeyNumbers page_numbers_, start_numbers_;
  std::vector<Page> pages_;
  StackDistances page_distances_, start_distances_;
  Quantiles rewrites_;  // picoseconds between two writes of a page
  double rewrite_seconds_ = 0;
  std::uint64_t first_page_ = UINT64_MAX, last_page_ = 0;
};

}  // namespace wordline::workload
