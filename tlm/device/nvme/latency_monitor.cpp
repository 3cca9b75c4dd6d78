// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/latency_monitor.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tlm/device/nvme/fields.h"

namespace wordline::host::nvme {
namespace {

namespace latency_log {  // its bytes
constexpr std::size_t kStatus = 0, kTimer = 2, kTimerThreshold = 4, kThresholds = 6, kLatches = 10, kWindow = 12;
constexpr std::size_t kActiveCounters = 32, kActiveStamps = 96, kActiveLatencies = 192;
constexpr std::size_t kStaticCounters = 240, kStaticStamps = 304, kStaticLatencies = 400;
constexpr std::size_t kDebugStamp = 452, kLayout = 494, kGuid = 496;
constexpr std::uint16_t kLayoutVersion = 1;
constexpr std::uint64_t kNoStamp = ~std::uint64_t{0};
constexpr std::uint8_t kName[16] = {0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c,
                                    0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4, 0x85};

}  // namespace latency_log

/// Read, write, deallocation: 0 to 2.
std::optional<std::size_t> operation_of(const HostCommand& command) {
  if (command.way != DataWay::kHost) return std::nullopt;
  switch (command.op) {
    case Operation::kRead:
      return 0;
    case Operation::kWrite:
      return 1;
    case Operation::kDeallocate:
      return 2;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::array<Picoseconds, LatencyMonitor::kBuckets> LatencyMonitor::limits_of(const Settings& settings) {
  std::array<Picoseconds, kBuckets> limits{};
  for (std::size_t i = 0; i < kBuckets; ++i)
    limits[i] = Picoseconds(kThresholdUnit.count() * (settings.thresholds[i] + 1));
  return limits;
}

Status LatencyMonitor::set(const std::byte* data, Picoseconds now) {
  Settings settings;
  std::memcpy(&settings, data, sizeof settings);
  bool rises = true;
  for (std::size_t i = 1; i < kBuckets; ++i) rises &= settings.thresholds[i] > settings.thresholds[i - 1];
  // There is no debug log to be triggered; one to be discarded is discarded.
  if (!rises || settings.debug_triggers != 0 || settings.discard_debug_log > 1 ||
      settings.status > (kEnabled | kLargest | kMeasured)) {
    return kInvalidField;
  }
  settings.discard_debug_log = 0;
  settings_ = settings;
  on_ = (settings.status & kEnabled) != 0;
  limits_ = limits_of(settings);
  since_ = now;
  active_ = static_ = {};
  return kSuccess;
}

void LatencyMonitor::fill_feature(std::byte* page) const { std::memcpy(page, &settings_, sizeof settings_); }

// What the timer would have done since the last time that somebody looked.
void LatencyMonitor::roll(Picoseconds now) {
  const Picoseconds period(kTimerUnit.count() * settings_.timer_threshold);
  if (period == Picoseconds(0) || now - since_ < period) return;
  const std::int64_t periods = (now - since_).count() / period.count();
  static_ = periods == 1 ? active_ : Counts{};
  active_ = {};
  since_ = since_ + Picoseconds(periods * period.count());
}

void LatencyMonitor::count(const HostCommand& command, Picoseconds leaves) {
  const std::optional<std::size_t> operation = operation_of(command);
  if (!operation) return;
  roll(leaves);
  const Picoseconds latency = leaves - command.taken;
  std::size_t bucket = 0;
  while (bucket + 1 < kBuckets && latency >= limits_[bucket + 1]) ++bucket;
  ++active_.commands[bucket][*operation];
  if ((settings_.latches >> (bucket * kOperations + *operation) & 1U) == 0) return;
  Latched& latched = active_.latched[bucket][*operation];
  const bool in_window = latched.any && leaves - latched.at < Picoseconds(kWindowUnit.count() * settings_.window);
  const bool smaller = (settings_.status & kLargest) != 0 && latched.any && latency <= latched.latency;
  if (!in_window && !smaller) latched = {true, latency, leaves};
}

/// Counters: an unused word, deallocations, writes, reads. The others: in that order, the last bucket first.
void LatencyMonitor::fill_counts(std::byte* page, const Counts& counts, std::size_t counters, std::size_t stamps,
                                 std::size_t latencies) {
  using latency_log::kNoStamp;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (std::size_t operation = 0; operation < kOperations; ++operation) {
      const std::size_t behind = kOperations - 1 - operation;
      const std::size_t place = (kBuckets - 1 - bucket) * kOperations + behind;
      const Latched& latched = counts.latched[bucket][operation];
      store_field(page, counters + (bucket * kBuckets + behind + 1) * 4, counts.commands[bucket][operation]);
      store_field(page, stamps + place * 8,
                  latched.any ? static_cast<std::uint64_t>(latched.at.count() / kMillisecond.count()) : kNoStamp);
      store_field(page, latencies + place * 2,
                  static_cast<std::uint16_t>(
                      std::min<std::int64_t>(latched.latency.count() / kMillisecond.count(), UINT16_MAX)));
    }
  }
}

void LatencyMonitor::fill_log(std::byte* page, Picoseconds now) {
  using namespace latency_log;
  roll(now);
  store_field(page, kStatus, settings_.status);
  store_field(page, kTimer, static_cast<std::uint16_t>((now - since_).count() / kTimerUnit.count()));
  store_field(page, kTimerThreshold, settings_.timer_threshold);
  std::memcpy(page + kThresholds, settings_.thresholds, sizeof settings_.thresholds);
  store_field(page, kLatches, settings_.latches);
  store_field(page, kWindow, settings_.window);
  fill_counts(page, active_, kActiveCounters, kActiveStamps, kActiveLatencies);
  fill_counts(page, static_, kStaticCounters, kStaticStamps, kStaticLatencies);
  store_field(page, kDebugStamp, kNoStamp);
  store_field(page, kLayout, kLayoutVersion);
  std::memcpy(page + kGuid, kName, sizeof kName);
}

}  // namespace wordline::host::nvme
