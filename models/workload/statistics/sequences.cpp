// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/statistics/sequences.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace wordline::workload {
namespace {

constexpr std::uint64_t kNearBlocks = 128 * 1024 / kLbaBytes;
constexpr std::uint64_t kLongRunBytes = 64 * 1024;

bool far(std::uint64_t a, std::uint64_t b) { return (a > b ? a - b : b - a) > kNearBlocks; }

}  // namespace

void RecentRequests::push(const Access& access) {
  requests_[next_] = access;
  next_ = (next_ + 1) % kKept;
  used_ = std::min(used_ + 1, kKept);
}

bool RecentRequests::ended_at(std::uint64_t block, bool write) const {
  return std::any_of(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(used_),
                     [block, write](const Access& a) { return a.end() == block && a.write == write; });
}

bool RecentRequests::far_from_ends(std::uint64_t block) const {
  return std::all_of(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(used_),
                     [block](const Access& a) { return far(a.end(), block); });
}

bool RecentRequests::far_from_starts(std::uint64_t block) const {
  return std::all_of(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(used_),
                     [block](const Access& a) { return far(a.start, block); });
}

void Sequences::Runs::take(const Access& access) {
  const bool continues = requests != 0 && access.start == end && access.write == write;
  if (continues) {
    ++continued;
  } else {
    bytes_in_long = long_bytes();
    run_bytes = 0;
  }
  ++requests;
  bytes += access.bytes();
  run_bytes += access.bytes();
  end = access.end();
  write = access.write;
}

std::uint64_t Sequences::Runs::long_bytes() const {
  return bytes_in_long + (run_bytes >= kLongRunBytes ? run_bytes : 0);
}

void Sequences::take(const Access& access) {
  const bool is_far = recent_.far_from_ends(access.start);
  const bool following = recent_.ended_at(access.start, access.write);
  for (const Part part : {Part::kAll, access.direction()}) {
    Counts& counts = counts_[part];
    counts.far += is_far ? 1 : 0;
    counts.following += following ? 1 : 0;
    counts.runs.take(access);
  }
  far_from_starts_ += recent_.far_from_starts(access.start) ? 1 : 0;
  recent_.push(access);
  if (!access.write) return;
  writes_far_from_writes_ += recent_writes_.far_from_ends(access.start) ? 1 : 0;
  recent_writes_.push(access);
}

void Sequences::report(StatisticList& list) const {
  const auto requests = static_cast<double>(counts_[Part::kAll].runs.requests);
  for (const Part part : kParts) report(list, part);
  list.add_ratio("random_share_startstart", static_cast<double>(far_from_starts_), requests, "share",
                 "as random_share, from the starts of the last 32");
  list.add_ratio("random_share_write_ownhistory", static_cast<double>(writes_far_from_writes_),
                 static_cast<double>(counts_[Part::kWrites].runs.requests), "share",
                 "as random_share_write, among the last 32 writes only");
}

void Sequences::report(StatisticList& list, Part part) const {
  const Counts& counts = counts_[part];
  const Runs& runs = counts.runs;
  if (runs.requests == 0) return;
  const auto requests = static_cast<double>(runs.requests);
  const auto number = static_cast<double>(runs.requests - runs.continued);
  const auto name = [part](const char* front) { return std::string(front) + suffix(part); };
  list.add(name("random_share"), static_cast<double>(counts.far) / requests, "share",
           "starts over 128 KiB from the ends of all last 32 requests");
  list.add(name("sequential_next_share"), static_cast<double>(runs.continued) / requests, "share",
           part == Part::kAll ? "starts at the end of the one before, same direction"
                              : "starts at the end of the one before of the direction");
  list.add(name("sequential_32_share"), static_cast<double>(counts.following) / requests, "share",
           "starts at the end of one of the last 32, same direction");
  list.add(name("run_requests_mean"), requests / number, "requests", "mean length of chains of such requests");
  list.add(name("run_KiB_mean"), static_cast<double>(runs.bytes) / number / 1024, "KiB", "mean length of such chains");
  list.add(name("bytes_in_runs_ge_64KiB"), static_cast<double>(runs.long_bytes()) / static_cast<double>(runs.bytes),
           "share", "bytes in such chains of at least 64 KiB");
}

}  // namespace wordline::workload
