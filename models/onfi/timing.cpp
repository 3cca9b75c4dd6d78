// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/timing.h"

#include <algorithm>
#include <stdexcept>

namespace wordline::onfi {

namespace {

constexpr std::uint64_t kBytesPerStrobe = 2;  // both edges of one DQS cycle
// Bytes that are not page data are sent twice, once per edge.
constexpr std::uint64_t kStatusTransfers = 2;
constexpr std::uint64_t kFeatureTransfers = 8;

}  // namespace

BusTiming::BusTiming(const config::Channels& channels)
    : setup_(std::max(channels.t_cs, channels.t_cals)),
      t_wc_(channels.t_wc),
      t_whr_(channels.t_whr),
      t_adl_(channels.t_adl),
      in_overhead_(channels.t_wpre + channels.t_wpst + channels.t_wpsth),
      out_overhead_(channels.t_rpre + channels.t_dqsre + channels.t_rpst),
      rate_(channels.rate.count()) {
  if (rate_.count() == 0) throw std::invalid_argument("channels.rate: must be above 0 MT/s");
}

Picoseconds BusTiming::transfers(std::uint64_t bytes) const {
  return transfer_time((bytes + kBytesPerStrobe - 1) / kBytesPerStrobe * kBytesPerStrobe, rate_);
}

Picoseconds BusTiming::command(unsigned cycles) const { return setup_ + t_wc_ * static_cast<std::int64_t>(cycles); }

Picoseconds BusTiming::data_in(std::uint64_t bytes) const { return in_overhead_ + transfers(bytes); }

Picoseconds BusTiming::data_out(std::uint64_t bytes) const { return out_overhead_ + transfers(bytes); }

Picoseconds BusTiming::status_sample(unsigned cycles) const { return command(cycles) + t_whr_; }

Picoseconds BusTiming::status(unsigned cycles) const { return status_sample(cycles) + data_out(kStatusTransfers); }

Picoseconds BusTiming::segment(SegmentKind kind, const Cycles& cycles, std::uint64_t bytes) const {
  switch (kind) {
    case SegmentKind::kDataIn:
      return data_in(bytes);
    case SegmentKind::kDataOut:
      return data_out(bytes);
    case SegmentKind::kStatus:
      return status(cycles.count());
    case SegmentKind::kSetFeatures:
      return command(cycles.count()) + t_adl_ + data_in(kFeatureTransfers);
    case SegmentKind::kFeatureOut:
      return data_out(kFeatureTransfers);
    case SegmentKind::kCommand:
    case SegmentKind::kGetFeatures:
    case SegmentKind::kReset:
      break;
  }
  return command(cycles.count());
}

}  // namespace wordline::onfi
