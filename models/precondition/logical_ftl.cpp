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

constexpr std::uint64_t kPurposeOverwrite = 0x6f76657277, kPurposeOrder = 0x6f72646572;

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
      places_(static_cast<std::size_t>(shape.lines) * shape.line_sectors),
      map_(shape.user_sectors, kNone),
      lines_(shape.lines),
      head_(kBuckets + 1, kNone),
      tail_(kBuckets + 1, kNone) {
  while (shape_.line_sectors >> bucket_shift_ > kBuckets) ++bucket_shift_;
  for (std::uint32_t line = 0; line < shape_.lines; ++line) free(line);
}

void LogicalFtl::write(std::uint32_t lpn) {
  if (host_ == kNone) {
    while (free_ <= shape_.reserve && copy()) {
    }
    host_ = take_free();
    pay();
  }
  if (map_[lpn] != kNone) drop(map_[lpn]);
  place(lpn, host_);
  ++written_;
  if (free_ > shape_.reserve) return;
  for (credit_ += rate_; credit_ >= 1; --credit_) {
    if (!copy()) credit_ = 0;
  }
}

void LogicalFtl::overwrite(std::uint64_t count, std::uint64_t seed) {
  // The map is far larger than any cache: what is needed soon is asked for ahead.
  constexpr std::size_t kAhead = 32;
  const std::uint64_t key = keyed_hash(seed, kPurposeOverwrite);
  std::array<std::uint32_t, kAhead> lpns{};
  for (std::uint64_t done = 0; done < count;) {
    const auto batch = static_cast<std::size_t>(std::min<std::uint64_t>(kAhead, count - done));
    for (std::size_t i = 0; i < batch; ++i) {
      lpns[i] = below(mix64(key + done + i), shape_.user_sectors);
      __builtin_prefetch(&map_[lpns[i]], 1);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      if (map_[lpns[i]] != kNone) __builtin_prefetch(&places_[map_[lpns[i]]], 1);
    }
    for (std::size_t i = 0; i < batch; ++i) write(lpns[i]);
    done += batch;
  }
}

void LogicalFtl::fill_in_order() {
  for (std::uint32_t lpn = 0; lpn < shape_.user_sectors; ++lpn) write(lpn);
}

void LogicalFtl::fill_at_random(std::uint64_t seed) {
  const std::uint64_t key = keyed_hash(seed, kPurposeOrder);
  std::vector<std::uint32_t> order(shape_.user_sectors);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t n = shape_.user_sectors; n > 1; --n) std::swap(order[n - 1], order[below(mix64(key + n), n)]);
  for (const std::uint32_t lpn : order) write(lpn);
}

double LogicalFtl::waf_since(std::uint64_t written, std::uint64_t copied) const {
  const auto host = static_cast<double>(written_ - written);
  return (host + static_cast<double>(copied_ - copied)) / host;
}

/// The next place of an open superblock, which is opened when there is none and closed when it is full.
void LogicalFtl::place(std::uint32_t lpn, std::uint32_t& open) {
  if (open == kNone) open = take_free();
  Line& line = lines_[open];
  const std::uint32_t at = open * shape_.line_sectors + line.filled;
  places_[at] = Content::of(lpn, true);
  map_[lpn] = at;
  ++line.valid;
  if (++line.filled != shape_.line_sectors) return;
  close(open);
  open = kNone;
}

void LogicalFtl::drop(std::uint32_t at) {
  places_[at].invalidate();
  const std::uint32_t number = at / shape_.line_sectors;
  Line& line = lines_[number];
  const std::uint32_t before = bucket_of(line.valid--);
  if (line.state != State::kClosed || bucket_of(line.valid) == before) return;
  remove(number, before);
  insert(number);
}

std::uint32_t LogicalFtl::take_free() {
  const std::uint32_t number = free_head_;
  if (number == kNone) throw std::logic_error("logical FTL: no free superblock");
  Line& line = lines_[number];
  free_head_ = line.next;
  --free_;
  line.state = State::kOpen;
  line.filled = 0;
  return number;
}

void LogicalFtl::free(std::uint32_t number) {
  lines_[number].state = State::kFree;
  lines_[number].next = kNone;
  (free_head_ == kNone ? free_head_ : lines_[free_tail_].next) = number;
  free_tail_ = number;
  ++free_;
}

void LogicalFtl::close(std::uint32_t number) {
  lines_[number].state = State::kClosed;
  lines_[number].closed_at = closings_++;
  insert(number);
}

/// Copies one sector. False: no victim would win anything.
bool LogicalFtl::copy() {
  if (victim_ == kNone && !take_victim()) return false;
  Line& line = lines_[victim_];
  const std::size_t base = static_cast<std::size_t>(victim_) * shape_.line_sectors;
  while (line.valid != 0 && !places_[base + scan_].valid()) ++scan_;
  if (line.valid != 0) {
    Content& from = places_[base + scan_++];
    from.invalidate();
    --line.valid;
    ++copied_;
    place(from.lpn(), collector_);
  }
  if (line.valid != 0) return true;
  std::fill_n(places_.begin() + static_cast<std::ptrdiff_t>(base), line.filled, Content());
  ++line.erases;
  free(victim_);
  victim_ = kNone;
  pay();
  return true;
}

bool LogicalFtl::take_victim() {
  const std::uint32_t number = choose();
  if (number == kNone || lines_[number].valid == shape_.line_sectors) return false;
  remove(number, bucket_of(lines_[number].valid));
  lines_[number].state = State::kVictim;
  victim_ = number;
  victim_valid_ = lines_[number].valid;
  scan_ = 0;
  ++taken_;
  pay();
  return true;
}

/// How many copies a write pays for, so that the next superblock is free when the host's open one is full: as the
/// firmware reckons it (models/firmware/space/pace.c).
void LogicalFtl::pay() {
  const auto size = static_cast<double>(shape_.line_sectors);
  const double leaving = victim_ == kNone ? 0 : lines_[victim_].valid;
  const double missing = static_cast<double>(shape_.reserve) + 1 - free_ - (victim_ == kNone ? 0 : 1);
  const double rest = collector_ == kNone ? 0 : size - lines_[collector_].filled;
  const double won = size - victim_valid_;
  const double victims = std::max({0.0, missing, std::ceil((missing * size + leaving - rest) / won)});
  const double room = host_ == kNone ? 1 : size - lines_[host_].filled;
  rate_ = (leaving + victims * victim_valid_) / std::max(room, 1.0);
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
  for (const std::uint32_t line : head_) {
    if (line != kNone) return line;
  }
  return kNone;
}

/// age * (1 - u) / 2u, of each bucket the superblock that has been in it longest.
std::uint32_t LogicalFtl::best_benefit() const {
  const auto benefit = [this](const Line& line) {
    return std::uint64_t{std::min(closings_ - line.closed_at, 0x3ffffU)} * (shape_.line_sectors - line.valid);
  };
  std::uint32_t best = kNone;
  for (const std::uint32_t number : head_) {
    if (number == kNone) continue;
    const Line& line = lines_[number];
    if (best == kNone || benefit(line) * lines_[best].valid > benefit(lines_[best]) * line.valid) best = number;
  }
  return best;
}

std::uint32_t LogicalFtl::best_of_draws() {
  constexpr std::uint32_t kD = 10, kMaxDraws = 80;
  const std::uint32_t key = mix32(taken_);
  std::uint32_t best = kNone;
  for (std::uint32_t draw = 0, closed = 0; draw != kMaxDraws && closed != kD; ++draw) {
    const auto number = static_cast<std::uint32_t>(std::uint64_t{mix32(key + draw)} * shape_.lines >> 32);
    if (lines_[number].state != State::kClosed) continue;
    ++closed;
    if (best == kNone || lines_[number].valid < lines_[best].valid) best = number;
  }
  return best == kNone || lines_[best].valid == shape_.line_sectors ? emptiest() : best;
}

std::uint32_t LogicalFtl::oldest() const {
  std::uint32_t best = kNone;
  for (std::uint32_t number = 0; number < shape_.lines; ++number) {
    const Line& line = lines_[number];
    if (line.state != State::kClosed || line.valid == shape_.line_sectors) continue;
    if (best == kNone || line.closed_at < lines_[best].closed_at) best = number;
  }
  return best;
}

void LogicalFtl::insert(std::uint32_t number) {
  Line& line = lines_[number];
  const std::uint32_t bucket = bucket_of(line.valid);
  line.next = kNone;
  line.prev = tail_[bucket];
  (line.prev == kNone ? head_[bucket] : lines_[line.prev].next) = number;
  tail_[bucket] = number;
}

void LogicalFtl::remove(std::uint32_t number, std::uint32_t bucket) {
  const Line& line = lines_[number];
  (line.prev == kNone ? head_[bucket] : lines_[line.prev].next) = line.next;
  (line.next == kNone ? tail_[bucket] : lines_[line.next].prev) = line.prev;
}

void LogicalFtl::finish(DriveState& state) {
  // The rest of what is open is given up; that must not take the firmware's reserve.
  while (free_ < shape_.reserve + 2 && copy()) {
  }
  for (std::uint32_t* open : {&collector_, &host_}) {
    if (*open != kNone) close(*open);
    *open = kNone;
  }
  // What is not copied yet stays where it is.
  if (victim_ != kNone) lines_[victim_].state = State::kClosed;
  state.superblocks.clear();
  for (std::uint32_t number = free_head_; number != kNone; number = lines_[number].next) {
    state.superblocks.push_back({number, 0, lines_[number].erases, SuperblockState::kFree, false});
  }
  const std::size_t first = state.superblocks.size();
  for (std::uint32_t number = 0; number < shape_.lines; ++number) {
    const Line& line = lines_[number];
    if (line.state != State::kClosed) continue;
    state.superblocks.push_back({number, line.valid, line.erases, SuperblockState::kClosed, false});
  }
  std::sort(
      state.superblocks.begin() + static_cast<std::ptrdiff_t>(first), state.superblocks.end(),
      [this](const Superblock& a, const Superblock& b) { return lines_[a.line].closed_at < lines_[b.line].closed_at; });
  state.places = std::move(places_);
}

}  // namespace wordline::precondition
