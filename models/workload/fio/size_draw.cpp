// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/size_draw.h"

#include <algorithm>

#include "models/units/index.h"
#include "models/units/keyed_random.h"

namespace wordline::workload::fio {

SizeDraw::SizeDraw(const BlockSizes& sizes, std::uint64_t key)
    : min_(sizes.min / kLbaBytes), max_(sizes.max / kLbaBytes), key_(key) {
  double up_to = 0;
  for (const BlockSizes::Share& share : sizes.split) {
    if (share.percent == 0) continue;
    up_to += share.percent / 100;
    shares_.push_back({share.bytes / kLbaBytes, up_to});
  }
}

std::uint32_t SizeDraw::draw(double u) const {
  if (!shares_.empty()) {
    for (const Share& share : shares_) {
      if (u < share.up_to) return share.nlb;
    }
    return shares_.back().nlb;  // shares that add up to less: the last one has the rest, as in fio
  }
  const double nlb = min_ + static_cast<double>(max_) * u;
  const auto whole = static_cast<std::uint64_t>(nlb);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(max_, whole - whole % min_));
}

std::uint32_t SizeDraw::operator()(std::uint64_t number, std::uint64_t limit) const {
  if (limit < min_) return 0;
  if (fixed()) return min_;
  constexpr std::uint64_t kTries = 64;
  for (std::uint64_t i = 0; i < kTries; ++i) {
    const std::uint32_t nlb = draw(unit_interval(keyed_hash(key_, number, i)));
    if (nlb <= limit) return nlb;
  }
  return min_;
}

}  // namespace wordline::workload::fio
