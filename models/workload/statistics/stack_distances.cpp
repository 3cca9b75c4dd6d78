// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/stack_distances.h"

#include <algorithm>
#include <numeric>

namespace wordline::workload {
namespace {

constexpr std::size_t kSmallest = 1024;

}  // namespace

void StackDistances::access(std::uint32_t key) {
  if (next_ + 1 >= tree_.size()) renumber();
  ++accesses_;
  if (key == position_.size()) {
    position_.push_back(0);
    hits_.push_back(0);
  } else {
    const auto later = static_cast<std::uint32_t>(position_.size()) - up_to(position_[key]);
    ++hits_[later];
    change(position_[key], -1);
  }
  position_[key] = next_;
  change(next_, 1);
  ++next_;
}

void StackDistances::renumber() {
  std::vector<std::uint32_t> by_age(position_.size());
  std::iota(by_age.begin(), by_age.end(), 0U);
  std::sort(by_age.begin(), by_age.end(),
            [this](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
  tree_.assign(std::max(kSmallest, 4 * by_age.size()), 0);
  next_ = 0;
  for (const std::uint32_t key : by_age) {
    position_[key] = next_;
    change(next_, 1);
    ++next_;
  }
}

void StackDistances::change(std::uint32_t position, std::int32_t by) {
  for (std::size_t i = position + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += static_cast<std::uint32_t>(by);
}

std::uint32_t StackDistances::up_to(std::uint32_t position) const {
  std::uint32_t sum = 0;
  for (std::size_t i = position + 1; i != 0; i &= i - 1) sum += tree_[i];
  return sum;
}

std::uint64_t StackDistances::misses(std::uint64_t entries) const {
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(entries, hits_.size()));
  return accesses_ - std::accumulate(hits_.begin(), hits_.begin() + count, std::uint64_t{0});
}

}  // namespace wordline::workload
