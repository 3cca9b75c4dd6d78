// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "models/results/histogram.h"
#include "models/results/request_statistics.h"
#include "tlm/device/drive.h"
#include "tlm/serve/live_socket.h"

namespace wordline::platform {

/// What a served drive does at present, for those who watch it (`wordline serve --live`, `wordline top`): twice a
/// second of wall time, what has happened since the last time. Rates are per second of the drive's own time. Nothing of
/// it changes what is simulated.
class LiveReport {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kEvery{500};

  struct Watched {
    std::string name;            // of the drive
    const device::Drive& drive;  // outlives the report
    std::function<const results::Histogram&(results::Op)> latency;
    std::function<std::uint64_t()> clients;  // connected
  };

  /// Binds the socket at `path`. Throws std::runtime_error.
  LiveReport(const std::string& path, Watched watched);

  /// Called often: makes a frame when it is time for one, and somebody watches.
  void look();

 private:
  struct Counts {
    std::uint64_t reads = 0, writes = 0, lbas_read = 0, lbas_written = 0, errors = 0;
    std::uint64_t host_blocks = 0, programmed = 0, copied = 0;  // blocks of 512 bytes; logical pages
    Picoseconds simulated{};
  };
  struct Latencies {
    double p50 = 0, p99 = 0, most = 0;  // us; of one that a bucket of the histogram stands for
  };

  [[nodiscard]] Counts counts() const;
  /// Of requests that have ended since the last frame.
  Latencies latencies(results::Op op);

  const Watched watched_;
  serve::LiveSocket socket_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
  Counts before_;
  std::array<results::Histogram, 2> seen_;  // of reads and writes, at the last frame
};

}  // namespace wordline::platform
