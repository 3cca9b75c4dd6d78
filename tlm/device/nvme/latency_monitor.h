// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/units/quantity.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Latency monitor (OCP Datacenter NVMe SSD 2.0: log page C3h, Features C5h): counts reads, writes and deallocations of
/// the host by latency, in four buckets between thresholds of 5 ms and more, and latches one latency of each bucket and
/// its time. What was counted goes from the active buckets to the static ones when the active bucket timer ends.
///
/// Latency: from the instant at which the controller takes the entry from its queue until the completion leaves, in
/// simulated time. Verify, Compare, Copy, Write Zeroes and commands that failed are not counted.
///
/// Accuracy: layout and defaults are those that nvme-cli 2.9 gives; that a latched latency is replaced by a larger one
/// (Active Latency Mode 1) or by the next one (0), and not within the minimum window, is a reading of it. Known gaps:
/// no debug log; stamps count from power on; nothing outlives power.
class LatencyMonitor {
 public:
  static constexpr std::size_t kFeatureBytes = kPageBytes, kLogBytes = 512;

  /// The command has ended at `now`, and its completion leaves at `leaves`.
  void ended(const HostCommand& command, bool good, Picoseconds leaves) {
    if (!good || !on_ || leaves - command.taken < limits_[0]) return;
    count(command, leaves);
  }

  /// Features C5h: kFeatureBytes of the host. What was counted is forgotten.
  Status set(const std::byte* data, Picoseconds now);
  void fill_feature(std::byte* page) const;
  /// Log page C3h, kLogBytes.
  void fill_log(std::byte* page, Picoseconds now);

 private:
  static constexpr std::size_t kBuckets = 4, kOperations = 3;  // read, write, deallocation
  static constexpr Picoseconds kTimerUnit{300'000'000'000'000}, kWindowUnit{100'000'000'000};
  static constexpr Picoseconds kThresholdUnit{5'000'000'000}, kMillisecond{1'000'000'000};
  struct Settings {
    std::uint16_t timer_threshold;
    std::uint8_t thresholds[kBuckets];
    std::uint16_t latches;  // a bit for each operation of each bucket
    std::uint8_t window;
    std::uint16_t debug_triggers;
    std::uint8_t discard_debug_log;
    std::uint8_t status;
  } __attribute__((packed));
  static_assert(sizeof(Settings) == 13);
  struct Latched {
    bool any = false;
    Picoseconds latency{}, at{};
  };
  struct Counts {
    std::array<std::array<std::uint32_t, kOperations>, kBuckets> commands{};
    std::array<std::array<Latched, kOperations>, kBuckets> latched{};
  };

  static std::array<Picoseconds, kBuckets> limits_of(const Settings& settings);
  void count(const HostCommand& command, Picoseconds leaves);
  void roll(Picoseconds now);
  static void fill_counts(std::byte* page, const Counts& counts, std::size_t counters, std::size_t stamps,
                          std::size_t latencies);

  Settings settings_{0x7e0, {0x05, 0x13, 0x1e, 0x2e}, 0xfff, 0x0a, 0, 0, kEnabled | kLargest | kMeasured};
  static constexpr std::uint8_t kEnabled = 1U << 0, kLargest = 1U << 1, kMeasured = 1U << 2;
  bool on_ = true;
  std::array<Picoseconds, kBuckets> limits_ = limits_of(settings_);
  Picoseconds since_{};  // the active bucket timer began
  Counts active_, static_;
};

}  // namespace wordline::host::nvme
