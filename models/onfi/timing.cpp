// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/timing.h"

#include <algorithm>
#include <stdexcept>

namespace wordline::onfi {

namespace {

constexpr std::uint64_t kBytesPerStrobe = 2;  // both edges of one DQS cycle
// Bytes that are not page data are sent twice, once per edge; SDR sends them once.
constexpr std::uint64_t kStatusBytes = 1;
constexpr std::uint64_t kEdges = 2;

}  // namespace

BusTiming::BusTiming(const config::Channels& channels)
    : sdr_(channels.mode.interface == config::BusInterface::kSdr),
      warm_up_(std::uint64_t{channels.warmup_cycles} * kBytesPerStrobe),
      setup_(std::max(channels.t_cs, channels.t_cals)),
      t_wc_(channels.t_wc),
      t_rc_(channels.t_rc),
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

Picoseconds BusTiming::strobes_in(std::uint64_t count) const { return in_overhead_ + transfers(count); }

Picoseconds BusTiming::strobes_out(std::uint64_t count) const { return out_overhead_ + transfers(count); }

Picoseconds BusTiming::command(unsigned cycles) const { return setup_ + t_wc_ * static_cast<std::int64_t>(cycles); }

Picoseconds BusTiming::data_in(std::uint64_t bytes) const {
  return sdr_ ? setup_ + t_wc_ * static_cast<std::int64_t>(bytes) : strobes_in(warm_up_ + bytes);
}

Picoseconds BusTiming::data_out(std::uint64_t bytes) const {
  return sdr_ ? setup_ + t_rc_ * static_cast<std::int64_t>(bytes) : strobes_out(warm_up_ + bytes);
}

Picoseconds BusTiming::status_sample(unsigned cycles) const { return command(cycles) + t_whr_; }

Picoseconds BusTiming::status(unsigned cycles) const {
  return status_sample(cycles) + (sdr_ ? t_rc_ : strobes_out(kStatusBytes * kEdges));
}

Picoseconds BusTiming::segment(SegmentKind kind, const Cycles& cycles, std::uint64_t bytes) const {
  switch (kind) {
    case SegmentKind::kDataIn:
      return data_in(bytes);
    case SegmentKind::kDataOut:
      return data_out(bytes);
    case SegmentKind::kStatus:
      return status(cycles.count());
    case SegmentKind::kSetFeatures:
      return command(cycles.count()) + t_adl_ +
             (sdr_ ? t_wc_ * static_cast<std::int64_t>(kFeatureBytes) : strobes_in(kFeatureBytes * kEdges));
    case SegmentKind::kFeatureOut:
      return sdr_ ? data_out(kFeatureBytes) : strobes_out(kFeatureBytes * kEdges);
    case SegmentKind::kCommand:
    case SegmentKind::kGetFeatures:
    case SegmentKind::kReset:
      break;
  }
  return command(cycles.count());
}

}  // namespace wordline::onfi
