// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/rate_series.h"

#include <algorithm>

namespace wordline::results {

void RateSeries::add(const FinishedRequest& request) {
  if (request.completed < begin_) return;
  const auto index = [&] { return static_cast<std::size_t>((request.completed - begin_).count() / width_.count()); };
  while (index() >= kMost) halve();
  if (index() >= windows_.size()) windows_.resize(index() + 1);
  Window& window = windows_[index()];
  const auto op = static_cast<std::size_t>(request.op);
  ++window.requests[op];
  window.bytes[op] += request.bytes;
}

void RateSeries::halve() {
  width_ = width_ + width_;
  std::vector<Window> wider((windows_.size() + 1) / 2);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    for (std::size_t op = 0; op < kOpCount; ++op) {
      wider[i / 2].requests[op] += windows_[i].requests[op];
      wider[i / 2].bytes[op] += windows_[i].bytes[op];
    }
  }
  windows_ = std::move(wider);
}

std::vector<std::uint64_t> RateSeries::completed(Op op) const {
  std::vector<std::uint64_t> counts;
  counts.reserve(windows_.size());
  for (const Window& window : windows_) counts.push_back(window.requests[static_cast<std::size_t>(op)]);
  return counts;
}

}  // namespace wordline::results
