// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/profile/page_stream.h"

#include <algorithm>
#include <cmath>

#include "models/units/index.h"

namespace wordline::workload {
namespace {

// Purposes of keyed draws.
constexpr std::uint64_t kKind = 1;
constexpr std::uint64_t kSweep = 2;
constexpr std::uint64_t kGoesOn = 3;
constexpr std::uint64_t kRank = 4;
constexpr std::uint64_t kOrder = 5;
constexpr std::uint64_t kWithin = 6;
constexpr std::uint64_t kStretches = 7;

constexpr std::uint64_t kKindStrata = 1024;
constexpr double kHeadShare = 0.01;

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

std::uint64_t pages_up(std::uint64_t nlb) { return (nlb + kPageLbas - 1) / kPageLbas; }

/// Where a request goes that follows one which ended before `end`: at its end, or as near behind it as its alignment
/// lets it.
std::uint64_t behind(std::uint64_t end, std::uint32_t offset) {
  const std::uint64_t page = end / kPageLbas + (end % kPageLbas > offset ? 1 : 0);
  return page * kPageLbas + offset;
}

}  // namespace

PageStream::PageStream(const Parameters& parameters)
    : parameters_(parameters),
      extents_((parameters.region.pages + parameters.region.used - 1) / parameters.region.used),
      head_extents_(std::max<std::uint64_t>(1, whole(static_cast<double>(extents_) * kHeadShare))),
      // The sweep takes some requests less than expected, so that it has ended whichever way the draws fall.
      edition_(std::max<std::uint64_t>(1, whole(parameters.requests - 2 * std::sqrt(parameters.requests)))),
      sweep_pages_(whole(parameters.place.sweeps * static_cast<double>(parameters.region.pages))),
      kind_(kKindStrata, keyed_hash(parameters.key, kKind)),
      tail_(std::max<std::uint64_t>(1, whole(std::ceil(static_cast<double>(extents_) * parameters.place.warm))),
            parameters.place.theta),
      ranks_(std::max<std::uint64_t>(1, extents_), parameters.ranks),
      other_ranks_(std::max<std::uint64_t>(1, extents_), parameters.other_ranks),
      stretches_(std::max<std::uint64_t>(
                     1, whole(std::ceil(static_cast<double>(parameters.region.pages) / parameters.place.stretch))),
                 keyed_hash(parameters.key, kStretches)) {
  if (parameters.region.pages != 0) begin_stretch();
}

double PageStream::draw(std::uint64_t purpose) const {
  return unit_interval(keyed_hash(parameters_.key, purpose, count_));
}

void PageStream::begin_stretch() {
  const auto length = whole(parameters_.place.stretch);
  const std::uint64_t first = stretches_(stretch_ % stretches_.size(), stretch_ / stretches_.size()) * length;
  ++stretch_;
  sweep_page_ = first;
  sweep_end_ = first * kPageLbas;
  stretch_end_ = std::min(first + length, parameters_.region.pages);
}

std::uint64_t PageStream::place(std::uint32_t offset, std::uint32_t nlb) {
  if (count_ % edition_ == 0) swept_pages_ = sweep_requests_ = 0;
  std::uint64_t block = 0;
  if (sweeps(nlb)) {
    block = swept(offset, nlb);
  } else if (run_end_ != 0 && draw(kGoesOn) < 1 - 1 / parameters_.place.run) {
    block = inside(behind(run_end_, offset), nlb);
    run_end_ = block + nlb;
  } else {
    block = drawn(offset, nlb);
  }
  ++count_;
  return address(block);
}

/// The chance with which the rest of the sweep is done in the rest of the edition: it corrects itself.
bool PageStream::sweeps(std::uint32_t nlb) const {
  if (swept_pages_ >= sweep_pages_ || nlb * kLbaBytes < parameters_.place.drawn_below) return false;
  const double per_request =
      sweep_requests_ == 0 ? 1.0
                           : std::max(1.0, static_cast<double>(swept_pages_) / static_cast<double>(sweep_requests_));
  const double needed = static_cast<double>(sweep_pages_ - swept_pages_) / per_request;
  const double left = static_cast<double>(edition_ - count_ % edition_) * parameters_.sweeping;
  return draw(kSweep) * left < needed;
}

std::uint64_t PageStream::swept(std::uint32_t offset, std::uint64_t nlb) {
  if (sweep_page_ >= stretch_end_) begin_stretch();
  const std::uint64_t block = inside(behind(sweep_end_, offset), nlb);
  sweep_end_ = block + nlb;
  std::uint64_t reached = pages_up(sweep_end_);
  // A request longer than what an extent has in use goes on into what is not.
  const std::uint64_t used = parameters_.region.used;
  if (used < kExtentPages) reached = std::min(reached, (block / kPageLbas / used + 1) * used);
  reached = std::min(reached, parameters_.region.pages);
  if (reached > sweep_page_) {
    swept_pages_ += std::min(reached, stretch_end_) - sweep_page_;
    sweep_page_ = reached;
    if (used < kExtentPages) sweep_end_ = std::min(sweep_end_, reached * kPageLbas);
  }
  ++sweep_requests_;
  return block;
}

/// The extent of a draw that is not for the hottest place.
std::uint64_t PageStream::extent() {
  const double kind = kind_(count_) - parameters_.place.hottest;
  std::uint64_t rank = 0;
  if (kind < parameters_.place.head) {
    rank = static_cast<std::uint64_t>(draw(kRank) * static_cast<double>(head_extents_));
  } else {
    rank = tail_(draw(kRank));
  }
  const bool others = parameters_.other_share > 0 && draw(kOrder) < parameters_.other_share;
  return others ? other_ranks_(rank) : ranks_(rank);
}

std::uint64_t PageStream::drawn(std::uint32_t offset, std::uint64_t nlb) {
  const std::uint64_t used = parameters_.region.used;
  if (kind_(count_) < parameters_.place.hottest) {
    run_end_ = 0;
    return inside(ranks_(0) * used * kPageLbas + offset, nlb);
  }
  // Slots of the request's own length: who writes 16 KiB writes the same 16 KiB again.
  const std::uint64_t pages = pages_up(offset + nlb);
  const std::uint64_t slots = std::max<std::uint64_t>(1, used / std::max<std::uint64_t>(1, pages));
  const auto slot = static_cast<std::uint64_t>(draw(kWithin) * static_cast<double>(slots));
  const std::uint64_t block = inside((extent() * used + slot * pages) * kPageLbas + offset, nlb);
  run_end_ = block + nlb;
  return block;
}

/// Back into the region, and into the used part of its extent, if the request fits.
std::uint64_t PageStream::inside(std::uint64_t block, std::uint64_t nlb) const {
  const Region& region = parameters_.region;
  const std::uint64_t offset = block % kPageLbas;
  const std::uint64_t pages = pages_up(offset + nlb);
  std::uint64_t page = std::min(block / kPageLbas, region.pages - std::min(pages, region.pages));
  if (region.used < kExtentPages) {
    const std::uint64_t begin = page / region.used * region.used;
    page = std::min(page, begin + region.used - std::min(pages, region.used));
  }
  return page * kPageLbas + offset;
}

std::uint64_t PageStream::address(std::uint64_t block) const {
  const std::uint64_t used = parameters_.region.used * kPageLbas;
  return block / used * kExtentPages * kPageLbas + block % used;
}

}  // namespace wordline::workload
