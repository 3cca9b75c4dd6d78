// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/rate_series.h"

#include <algorithm>

namespace wordline::results {

void RateSeries::enter(Picoseconds at) {
  const auto index = [&] { return static_cast<std::size_t>((at - begin_) / width_); };
  while (index() >= kMost) halve();
  present_ = index();
  if (present_ >= windows_.size()) windows_.resize(present_ + 1);
  from_ = begin_ + static_cast<std::int64_t>(present_) * width_;
  to_ = from_ + width_;
}

void RateSeries::halve() {
  width_ = width_ + width_;
  std::vector<Window> wider((windows_.size() + 1) / 2);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    for (std::size_t op = 0; op < kOpCount; ++op) wider[i / 2][op] += windows_[i][op];
  }
  windows_ = std::move(wider);
}

std::vector<std::uint64_t> RateSeries::completed(Op op) const {
  std::vector<std::uint64_t> counts;
  counts.reserve(windows_.size());
  for (const Window& window : windows_) counts.push_back(window[static_cast<std::size_t>(op)]);
  return counts;
}

}  // namespace wordline::results
