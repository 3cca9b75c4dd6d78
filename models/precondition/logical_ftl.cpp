// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/logical_ftl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "models/units/keyed_random.h"

namespace wordline::precondition {
namespace {

constexpr std::uint32_t kLeastFree = 2;  // that only GC takes: one for what it moves, one for map pages
constexpr std::uint64_t kPurposeOverwrite = 0x6f76657277, kPurposeOrder = 0x6f72646572, kPurposeMiddle = 0x6d6964646c65;

/// A random number below `n`.
std::uint32_t below(std::uint64_t hash, std::uint32_t n) { return static_cast<std::uint32_t>((hash >> 32) * n >> 32); }

/// As page_d_choices of the firmware draws ("lowbias32" of C. Wellons).
std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

}  // namespace

Victims victims_of(std::string_view policy) {
  if (policy.find("cost_benefit") != std::string_view::npos) return Victims::kCostBenefit;
  if (policy.find("d_choices") != std::string_view::npos) return Victims::kDChoices;
  if (policy.find("fifo") != std::string_view::npos) return Victims::kFifo;
  return Victims::kGreedy;
}

LogicalFtl::LogicalFtl(const Shape& shape)
    : shape_(shape),
      ppas_(static_cast<std::size_t>(shape.superblocks) * shape.superblock_lpages),
      map_(std::size_t{shape.user_lpages} + shape.map.pages, kNone),
      table_(shape.superblocks),
      head_(kBuckets + 1, kNone),
      tail_(kBuckets + 1, kNone),
      map_cache_(shape.map) {
  if (shape_.room == 0) shape_.room = shape_.reserve + 1;
  while (shape_.superblock_lpages >> bucket_shift_ > kBuckets) ++bucket_shift_;
  for (std::uint32_t number = 0; number < shape_.superblocks; ++number) free(number);
}

void LogicalFtl::write(std::uint32_t lpn) {
  ++written_;
  entry_changes(lpn);
  if (shape_.buffer == 0) {
    place_host(lpn);
    return;
  }
  if (map_[lpn] != kNone) {
    drop(map_[lpn]);
    map_[lpn] = kNone;
  }
  if (buffer_.size() != shape_.buffer) {
    buffer_.push_back(lpn);
    return;
  }
  std::swap(buffer_[oldest_buffered_], lpn);
  if (++oldest_buffered_ == buffer_.size()) oldest_buffered_ = 0;
  place_host(lpn);
}

void LogicalFtl::flush() {
  std::rotate(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(oldest_buffered_), buffer_.end());
  for (const std::uint32_t lpn : buffer_) place_host(lpn);
  buffer_.clear();
  oldest_buffered_ = 0;
  shape_.buffer = 0;
}

/// A page that was written again while it was in the buffer makes the older copy stale when it is placed: it is
/// programmed all the same.
void LogicalFtl::place_host(std::uint32_t lpn) {
  if (host_ == kNone) {
    while (free_ <= shape_.reserve && copy()) {
    }
    host_ = take_free();
  }
  if (map_[lpn] != kNone) drop(map_[lpn]);
  place(lpn, host_);
  for (credit_ += owed(); credit_ >= 1; --credit_) {
    if (!copy()) credit_ = 0;
  }
  write_changed_map_pages();
}

void LogicalFtl::entry_changes(std::uint32_t lpn) {
  if (map_cache_.pages() == 0 || lpn >= shape_.user_lpages) return;
  map_cache_.change(lpn);
}

void LogicalFtl::write_map_page(std::uint32_t page) {
  const std::uint32_t lpn = shape_.user_lpages + page;
  while (map_open_ == kNone && free_ <= kLeastFree && copy()) {
  }
  if (map_[lpn] != kNone) drop(map_[lpn]);
  place(lpn, map_open_);
  ++copied_;
}

/// Not within a copy: what is written may itself need one.
void LogicalFtl::write_changed_map_pages() {
  while (const auto page = map_cache_.take_changed()) write_map_page(*page);
}

void LogicalFtl::overwrite(std::uint64_t count, std::uint64_t seed) {
  // The map is far larger than any cache: what is needed soon is asked for ahead.
  constexpr std::size_t kAhead = 32;
  const std::uint64_t key = keyed_hash(seed, kPurposeOverwrite);
  std::array<std::uint32_t, kAhead> lpns{};
  for (std::uint64_t done = 0; done < count;) {
    const auto batch = static_cast<std::size_t>(std::min<std::uint64_t>(kAhead, count - done));
    for (std::size_t i = 0; i < batch; ++i) {
      lpns[i] = below(mix64(key + done + i), shape_.user_lpages);
      __builtin_prefetch(&map_[lpns[i]], 1);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      if (map_[lpns[i]] != kNone) __builtin_prefetch(&ppas_[map_[lpns[i]]], 1);
    }
    for (std::size_t i = 0; i < batch; ++i) write(lpns[i]);
    done += batch;
  }
}

void LogicalFtl::fill_in_order() {
  for (std::uint32_t lpn = 0; lpn < shape_.user_lpages; ++lpn) write(lpn);
  for (std::uint32_t page = 0; page < map_cache_.pages(); ++page) write_map_page(page);
}

void LogicalFtl::fill_at_random(std::uint64_t seed) {
  const std::uint64_t key = keyed_hash(seed, kPurposeOrder);
  std::vector<std::uint32_t> order(shape_.user_lpages);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t n = shape_.user_lpages; n > 1; --n) std::swap(order[n - 1], order[below(mix64(key + n), n)]);
  for (const std::uint32_t lpn : order) write(lpn);
  for (std::uint32_t page = 0; page < map_cache_.pages(); ++page) write_map_page(page);
}

double LogicalFtl::waf_since(std::uint64_t written, std::uint64_t copied) const {
  const auto host = static_cast<double>(written_ - written);
  return (host + static_cast<double>(copied_ - copied)) / host;
}

/// The next PPA of an open superblock, which is opened when there is none and closed when it is full.
void LogicalFtl::place(std::uint32_t lpn, std::uint32_t& open) {
  if (open == kNone) open = take_free();
  Entry& entry = table_[open];
  const std::uint32_t at = open * shape_.superblock_lpages + entry.filled;
  ppas_[at] = Content::of(lpn, true);
  map_[lpn] = at;
  ++entry.valid;
  entry_changes(lpn);
  if (++entry.filled != shape_.superblock_lpages) return;
  close(open);
  open = kNone;
}

void LogicalFtl::drop(std::uint32_t ppa) {
  ppas_[ppa].invalidate();
  const std::uint32_t number = ppa / shape_.superblock_lpages;
  Entry& entry = table_[number];
  const std::uint32_t before = bucket_of(entry.valid--);
  if (entry.state != State::kClosed || bucket_of(entry.valid) == before) return;
  remove(number, before);
  insert(number);
}

std::uint32_t LogicalFtl::take_free() {
  const std::uint32_t number = free_head_;
  if (number == kNone) throw std::logic_error("logical FTL: no free superblock");
  Entry& entry = table_[number];
  free_head_ = entry.next;
  --free_;
  entry.state = State::kOpen;
  entry.filled = 0;
  return number;
}

void LogicalFtl::free(std::uint32_t number) {
  table_[number].state = State::kFree;
  table_[number].next = kNone;
  (free_head_ == kNone ? free_head_ : table_[free_tail_].next) = number;
  free_tail_ = number;
  ++free_;
}

void LogicalFtl::close(std::uint32_t number) {
  table_[number].state = State::kClosed;
  table_[number].closed_at = closings_++;
  insert(number);
}

/// Copies one logical page. False: no victim would win anything.
bool LogicalFtl::copy() {
  if (victim_ == kNone && !take_victim()) return false;
  Entry& entry = table_[victim_];
  const std::size_t base = static_cast<std::size_t>(victim_) * shape_.superblock_lpages;
  while (entry.valid != 0 && !ppas_[base + scan_].valid()) ++scan_;
  if (entry.valid != 0) {
    Content& from = ppas_[base + scan_++];
    from.invalidate();
    --entry.valid;
    ++copied_;
    place(from.lpn(), from.lpn() < shape_.user_lpages ? gc_ : map_open_);
  }
  if (entry.valid != 0) return true;
  std::fill_n(ppas_.begin() + static_cast<std::ptrdiff_t>(base), entry.filled, Content());
  ++entry.erases;
  free(victim_);
  victim_ = kNone;
  return true;
}

bool LogicalFtl::take_victim() {
  const std::uint32_t number = choose();
  if (number == kNone || table_[number].valid == shape_.superblock_lpages) return false;
  remove(number, bucket_of(table_[number].valid));
  table_[number].state = State::kVictim;
  victim_ = number;
  victim_valid_ = table_[number].valid;
  scan_ = 0;
  ++taken_;
  return true;
}

/// Copies that a write pays for, as the firmware reckons them (models/firmware/space/pace.c).
double LogicalFtl::owed() const {
  constexpr double kGain = 0.5, kMost = 8;
  const auto size = static_cast<double>(shape_.superblock_lpages);
  const auto rest = [&](std::uint32_t open) { return open == kNone ? 0.0 : size - table_[open].filled; };
  const double room = free_ + (rest(host_) + rest(gc_) + (victim_ == kNone ? 0 : scan_)) / size;
  const double factor = 1 + kGain * (shape_.room - room);
  return factor <= 0 ? 0 : std::min(factor, kMost) * victim_valid_ / (size - victim_valid_);
}

std::uint32_t LogicalFtl::choose() {
  switch (shape_.victims) {
    case Victims::kCostBenefit:
      return best_benefit();
    case Victims::kDChoices:
      return best_of_draws();
    case Victims::kFifo:
      return oldest();
    case Victims::kGreedy:
      break;
  }
  return emptiest();
}

std::uint32_t LogicalFtl::emptiest() const {
  for (const std::uint32_t number : head_) {
    if (number != kNone) return number;
  }
  return kNone;
}

/// age * (1 - u) / 2u, of each bucket the superblock that has been in it longest.
std::uint32_t LogicalFtl::best_benefit() const {
  const auto benefit = [this](const Entry& entry) {
    return std::uint64_t{std::min(closings_ - entry.closed_at, 0x3ffffU)} * (shape_.superblock_lpages - entry.valid);
  };
  std::uint32_t best = kNone;
  for (const std::uint32_t number : head_) {
    if (number == kNone) continue;
    const Entry& entry = table_[number];
    if (best == kNone || benefit(entry) * table_[best].valid > benefit(table_[best]) * entry.valid) best = number;
  }
  return best;
}

std::uint32_t LogicalFtl::best_of_draws() {
  constexpr std::uint32_t kD = 10, kMaxDraws = 80;
  const std::uint32_t key = mix32(taken_);
  std::uint32_t best = kNone;
  for (std::uint32_t draw = 0, closed = 0; draw != kMaxDraws && closed != kD; ++draw) {
    const auto number = static_cast<std::uint32_t>(std::uint64_t{mix32(key + draw)} * shape_.superblocks >> 32);
    if (table_[number].state != State::kClosed) continue;
    ++closed;
    if (best == kNone || table_[number].valid < table_[best].valid) best = number;
  }
  return best == kNone || table_[best].valid == shape_.superblock_lpages ? emptiest() : best;
}

std::uint32_t LogicalFtl::oldest() const {
  std::uint32_t best = kNone;
  for (std::uint32_t number = 0; number < shape_.superblocks; ++number) {
    const Entry& entry = table_[number];
    if (entry.state != State::kClosed || entry.valid == shape_.superblock_lpages) continue;
    if (best == kNone || entry.closed_at < table_[best].closed_at) best = number;
  }
  return best;
}

void LogicalFtl::insert(std::uint32_t number) {
  Entry& entry = table_[number];
  const std::uint32_t bucket = bucket_of(entry.valid);
  entry.next = kNone;
  entry.prev = tail_[bucket];
  (entry.prev == kNone ? head_[bucket] : table_[entry.prev].next) = number;
  tail_[bucket] = number;
}

void LogicalFtl::remove(std::uint32_t number, std::uint32_t bucket) {
  const Entry& entry = table_[number];
  (entry.prev == kNone ? head_[bucket] : table_[entry.prev].next) = entry.next;
  (entry.next == kNone ? tail_[bucket] : table_[entry.next].prev) = entry.prev;
}

void LogicalFtl::go_on_to_the_middle(std::uint64_t seed) {
  const std::uint64_t key = keyed_hash(seed, kPurposeMiddle);
  const std::uint32_t middle = std::max(shape_.superblock_lpages / 2 / std::max(shape_.program_unit, 1U), 1U) *
                               std::max(shape_.program_unit, 1U);
  // Three superblocks are enough to come by the middle of one.
  for (std::uint64_t i = 0; i < 3ULL * shape_.superblock_lpages; ++i) {
    if (host_ != kNone && table_[host_].filled == middle) return;
    write(below(mix64(key + i), shape_.user_lpages));
  }
}

bool LogicalFtl::in_whole_units(std::uint32_t open) const {
  return open == kNone || table_[open].filled % shape_.program_unit == 0;
}

/// The rest of what is open is given up; that must not take the firmware's reserve.
void LogicalFtl::close_all() {
  while (free_ < std::max(shape_.reserve + 2, shape_.room) && copy()) {
  }
  for (std::uint32_t* open : {&gc_, &host_}) {
    if (*open != kNone) close(*open);
    *open = kNone;
  }
}

void LogicalFtl::finish(DriveState& state) {
  bool stays_open = shape_.program_unit != 0;
  while (stays_open && victim_ != kNone) stays_open = copy();  // what is half copied would be room no more
  while (stays_open && !in_whole_units(gc_)) stays_open = copy();
  if (!stays_open || !in_whole_units(host_)) close_all();
  if (map_open_ != kNone) close(map_open_);
  map_open_ = kNone;
  // What is not copied yet stays where it is.
  if (victim_ != kNone) table_[victim_].state = State::kClosed;
  state.superblocks.clear();
  for (std::uint32_t number = free_head_; number != kNone; number = table_[number].next) {
    state.superblocks.push_back({number, 0, table_[number].erases, SuperblockState::kFree, false});
  }
  const std::size_t first = state.superblocks.size();
  for (std::uint32_t number = 0; number < shape_.superblocks; ++number) {
    const Entry& entry = table_[number];
    if (entry.state == State::kFree) continue;
    const SuperblockState is = number == host_ ? SuperblockState::kOpenForHost
                               : number == gc_ ? SuperblockState::kOpenForGc
                                               : SuperblockState::kClosed;
    state.superblocks.push_back({number, entry.valid, entry.erases, is, false});
  }
  std::sort(state.superblocks.begin() + static_cast<std::ptrdiff_t>(first), state.superblocks.end(),
            [this](const Superblock& a, const Superblock& b) {
              return table_[a.number].closed_at < table_[b.number].closed_at;
            });
  state.ppas = std::move(ppas_);
}

}  // namespace wordline::precondition
