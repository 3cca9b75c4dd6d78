// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/address_stream.h"

#include <algorithm>
#include <numeric>

#include "models/units/index.h"
#include "models/units/keyed_random.h"

namespace wordline::workload::fio {
namespace {

// Purposes of keyed draws.
constexpr std::uint64_t kDrawOffset = 0x6f66667365740001;
constexpr std::uint64_t kDrawPermutation = 0x6f66667365740003;
constexpr std::uint64_t kDrawSize = 0x6f66667365740004;
constexpr std::uint64_t kDrawKind = 0x6f66667365740005;
constexpr std::uint64_t kDrawZone = 0x6f66667365740006;

}  // namespace

AddressStream::AddressStream(const Job& job, const Region& region, std::uint64_t seed, std::uint64_t number)
    : pattern_(job.pattern),
      region_(region),
      goes_around_(region.room == region.nlb || job.amount.io_size || job.amount.time_based),
      seed_(seed),
      number_(number) {
  for (const Op op : job.pattern.ops) {
    const auto i = static_cast<std::size_t>(op);
    Direction& direction = directions_[i];
    const std::uint64_t key = keyed_hash(seed, kDrawSize, number, i);
    const auto write = static_cast<std::size_t>(Op::kWrite);
    direction.sequential_size = SizeDraw(job.blocks[job.blocks_by_kind ? 0 : i], key);
    direction.random_size = SizeDraw(job.blocks[job.blocks_by_kind ? write : i], key);
    const std::uint32_t align = job.blocks[i].align;
    direction.align = align != 0 ? align / kLbaBytes : direction.random_size.min();
    if (region.nlb >= direction.random_size.min()) {
      direction.starts = (region.nlb - direction.random_size.min()) / direction.align + 1;
    }
    direction.zones = job.pattern.zones[i];
  }
  if (job.pattern.random) set_up_map();
}

void AddressStream::set_up_map() {
  const bool uniform = pattern_.distribution == Distribution::kRandom;
  const bool map = uniform && (!pattern_.norandommap || pattern_.lfsr);
  const Direction& first = directions_[static_cast<std::size_t>(pattern_.ops.front())];
  bool one_size = true;
  unit_ = 0;
  for (const Op op : pattern_.ops) {
    Direction& direction = directions_[static_cast<std::size_t>(op)];
    one_size = one_size && direction.random_size.fixed() && direction.align == direction.random_size.min() &&
               direction.align == first.align;
    unit_ = std::gcd(unit_, direction.align);
  }
  const bool zoned = std::any_of(pattern_.ops.begin(), pattern_.ops.end(),
                                 [this](Op op) { return !directions_[static_cast<std::size_t>(op)].zones.empty(); });
  if (map && !zoned) map_ = one_size ? Map::kOneSize : Map::kMarked;
  for (const Op op : pattern_.ops) {
    Direction& direction = directions_[static_cast<std::size_t>(op)];
    const std::uint64_t key =
        keyed_hash(seed_, kDrawPermutation, number_, one_size ? 0 : static_cast<std::uint64_t>(op));
    if (map_ == Map::kNone && direction.starts != 0) {
      direction.draw = BlockDraw(pattern_.distribution, pattern_.distribution_parameter, direction.starts, key,
                                 pattern_.distribution_center);
    }
  }
  const std::uint64_t key = keyed_hash(seed_, kDrawPermutation, number_, 0);
  if (map_ == Map::kOneSize) order_ = Permutation(first.starts, key);
  if (map_ == Map::kMarked) marked_ = RandomMap(region_.nlb / unit_, key);
}

void AddressStream::rewind(Op op) {
  directions_[static_cast<std::size_t>(op)].position = 0;
  zone_done_ = zone_first_ = 0;
}

void AddressStream::begin_pass() {
  for (const Op op : pattern_.ops) rewind(op);
  if (map_ == Map::kOneSize && next_ != 0) {
    next_ = 0;
    ++pass_;
  }
  if (map_ == Map::kMarked) marked_.begin_pass();
}

bool AddressStream::is_random(const Direction& direction, Op op, std::uint64_t number) const {
  if (!pattern_.random) return false;
  if (pattern_.every > 1 && number % pattern_.every != 0 && direction.began) return false;
  const std::uint32_t percent = pattern_.percent_random[static_cast<std::size_t>(op)];
  return percent == 100 || keyed_hash(seed_, kDrawKind, number_, number) % 100 < percent;
}

std::optional<AddressStream::Extent> AddressStream::next(Op op, std::uint64_t number) {
  Direction& direction = directions_[static_cast<std::size_t>(op)];
  std::optional<Extent> extent;
  if (is_random(direction, op, number)) {
    extent = random(direction, number);
  } else if (pattern_.random && pattern_.identical && pattern_.every > 1) {
    extent = Extent{direction.begin, direction.random_size(number, region_.nlb - direction.begin)};
  } else {
    extent = sequential(direction, number);
    // A random job that meets the region's end goes on elsewhere.
    if (!extent && pattern_.random) extent = random(direction, number);
  }
  if (!extent || extent->nlb == 0) return std::nullopt;
  direction.begin = extent->first;
  direction.position = extent->first + extent->nlb;
  direction.began = true;
  zone_done_ += extent->nlb;
  extent->first += region_.first;
  return extent;
}

AddressStream::Extent AddressStream::random(Direction& direction, std::uint64_t number) {
  if (map_ == Map::kMarked) return mapped(direction, number);
  std::uint64_t index = 0;
  if (map_ == Map::kOneSize) {
    if (next_ == order_.size()) {
      next_ = 0;
      ++pass_;
    }
    index = order_(next_++, pass_);
  } else {
    index = drawn(direction, number);
  }
  const std::uint64_t first = index * direction.align;
  return {first, direction.random_size(number, region_.nlb - first)};
}

AddressStream::Extent AddressStream::mapped(Direction& direction, std::uint64_t number) {
  const std::uint64_t unit = marked_.take();
  // Where directions differ in their alignment, a request begins at a multiple of its own.
  std::uint64_t first = unit * unit_ / direction.align * direction.align;
  if (region_.nlb - first < direction.random_size.min()) first = (direction.starts - 1) * direction.align;
  const std::uint32_t nlb = direction.random_size(number, region_.nlb - first);
  const std::uint64_t end = (first + nlb + unit_ - 1) / unit_;
  if (end <= unit) {
    // The taken unit lies in a rest of the region that no request reaches from its own multiple.
    marked_.cover(unit, 1);
    return {first, nlb};
  }
  const std::uint64_t covered = marked_.cover(unit, end - unit);
  if (direction.random_size.fixed()) {
    marked_.cover(first / unit_, end - first / unit_);
    return {first, nlb};
  }
  // The next units are covered: the request is shorter, by whole smallest sizes.
  const std::uint64_t fits = (unit + covered) * unit_ - first;
  const std::uint32_t least = direction.random_size.min();
  return {first, std::max(least, static_cast<std::uint32_t>(std::min<std::uint64_t>(nlb, fits - fits % least)))};
}

bool AddressStream::covered() const {
  if (map_ == Map::kOneSize) return next_ == order_.size();
  return map_ == Map::kMarked && marked_.all_covered();
}

std::uint64_t AddressStream::drawn(const Direction& direction, std::uint64_t number) const {
  const std::uint64_t hash = keyed_hash(seed_, kDrawOffset, number_, number);
  if (direction.zones.empty()) return direction.draw(hash);
  // A zone by its share of the accesses, the extents in it evenly.
  double u = unit_interval(keyed_hash(seed_, kDrawZone, number_, number)) * 100;
  std::uint64_t first = 0;
  for (const AccessZone& zone : direction.zones) {
    const std::uint64_t bytes = region_.nlb * kLbaBytes;
    const std::uint64_t size =
        zone.size.percent
            ? static_cast<std::uint64_t>(static_cast<unsigned __int128>(direction.starts) * *zone.size.percent / 100)
            : std::min(zone.size.bytes, bytes) / kLbaBytes / direction.align;
    const std::uint64_t end = std::min(direction.starts, first + std::max<std::uint64_t>(1, size));
    if (u < zone.access_percent || &zone == &direction.zones.back()) {
      if (first >= end) return direction.starts - 1;
      return first + static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * (end - first) >> 64U);
    }
    u -= zone.access_percent;
    first = end;
  }
  return direction.starts - 1;
}

std::optional<AddressStream::Extent> AddressStream::sequential(Direction& direction, std::uint64_t number) {
  if (pattern_.zone_size != 0) next_zone(direction);
  if (direction.position >= (pattern_.zone_size != 0 ? region_.room : region_.nlb)) return std::nullopt;
  const auto position = skipped(direction.position);
  if (!position) return std::nullopt;
  return Extent{*position, direction.sequential_size(number, region_.room - *position)};
}

/// fio's holes: forward they wrap to the begin, backward to the end.
std::optional<std::uint64_t> AddressStream::skipped(std::uint64_t position) const {
  if (pattern_.skip_bytes == 0 || position == 0) return position;
  const auto size = static_cast<std::int64_t>(region_.nlb);
  const std::int64_t skip = pattern_.skip_bytes / kLbaBytes;
  const std::int64_t next = static_cast<std::int64_t>(position) + skip;
  if (next >= 0 && next < size) return static_cast<std::uint64_t>(next);
  if (skip > 0) return goes_around_ ? std::optional<std::uint64_t>(0) : std::nullopt;
  if (size + skip < 0) return std::nullopt;
  return static_cast<std::uint64_t>(size + skip);
}

void AddressStream::next_zone(Direction& direction) {
  if (zone_done_ < pattern_.zone_size / kLbaBytes) return;
  zone_done_ = 0;
  const std::uint64_t range = pattern_.zone_range != 0 ? pattern_.zone_range : pattern_.zone_size;
  zone_first_ += (range + pattern_.zone_skip) / kLbaBytes;
  if (zone_first_ >= region_.room) zone_first_ = 0;
  for (Direction& each : directions_) each.position = zone_first_;
  direction.position = zone_first_;
}

}  // namespace wordline::workload::fio
