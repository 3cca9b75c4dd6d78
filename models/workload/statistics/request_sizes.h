// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "models/workload/statistics/statistic.h"

namespace wordline::workload {

/// A size of requests and how many have it, as a share.
struct SizeShare {
  std::uint64_t bytes = 0;
  double share = 0;
};

/// How many requests, how large, how aligned to pages of 4 KiB.
class RequestSizes {
 public:
  void take(const Access& access);
  void report(StatisticList& list) const;
  /// The most frequent sizes, at most `most`; of equally frequent ones the smaller first.
  [[nodiscard]] std::vector<SizeShare> modes(Part part, std::size_t most) const;
  [[nodiscard]] std::uint64_t requests(Part part) const { return counts_[part].requests; }

 private:
  static constexpr std::uint64_t kLbasPerPage = 8;
  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t misaligned_start = 0;
    std::uint64_t misaligned_any = 0;
    std::uint64_t several_pages = 0;
    std::map<std::uint64_t, std::uint64_t> nlb_counts;
  };

  void count(Counts& counts, const Access& access);
  void report(StatisticList& list, Part part) const;

  ByPart<Counts> counts_;
  std::array<std::uint64_t, kLbasPerPage> starts_{};  // starts by place in a page
};

}  // namespace wordline::workload
