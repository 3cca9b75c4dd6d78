// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/results/histogram.h"
#include "models/results/log_file.h"
#include "models/results/request_observer.h"
#include "models/workload/source.h"

namespace wordline::results {

/// fio's logs of a job file's jobs (write_lat_log, write_bw_log, write_iops_log, write_hist_log), in fio's format and
/// with its names, so that programs that draw fio's logs draw these: NAME_lat.N.log, NAME_clat.N.log and
/// NAME_slat.N.log of job N, NAME_bw.N.log, NAME_iops.N.log, NAME_clat_hist.N.log; without the number with
/// per_job_logs=0. A line is
///
///   time in ms, value, direction (0 read, 1 write, 2 trim), block size[, offset], priority
///
/// with latencies in ns, bandwidth in KiB/s, of a single request in kB/s as fio's. With log_avg_msec a line is a window
/// and direction, and block size and offset are 0. A line of a histogram is time, direction, the block size of the
/// request that ended its window, and how many requests of the window fell into each of fio's bins, or into
/// 2^log_hist_coarseness of them together; what ends after the last whole log_hist_msec is in none.
///
/// Accuracy: as fio 3.33, of a drive: submission takes no time, so slat is 0 and clat is lat. Time is from the
/// submission of the job's request that completed first. Windows of bandwidth and IOPS end at multiples of log_avg_msec
/// to the picosecond, where fio's end when a thread of it wakes up; the last one may be shorter. FLUSHes are in no log.
class FioLogs final : public RequestObserver {
 public:
  /// Files go to `folder`, whatever folder the job file names. Throws std::runtime_error when one cannot be written.
  FioLogs(const workload::Source& source, const std::string& folder);

  /// Whether a job asks for one.
  [[nodiscard]] static bool wanted(const workload::Source& source);

  void finished(const FinishedRequest& request) override;
  void begin_anew() override;
  /// The files are complete. Throws std::runtime_error when a write has failed.
  void close();

 private:
  static constexpr std::size_t kDirections = 3;  // read, write, trim, as Op
  /// Latencies of one direction since the last line.
  struct Mean {
    std::uint64_t sum = 0, count = 0, greatest = 0;  // ns
    std::int64_t last_ms = 0;
  };
  static constexpr std::size_t kBins = std::size_t{29} << Histogram::kBits;  // of fio: up to 17 s
  /// Requests of one direction since the last line of the histogram; empty: none yet in this log.
  struct Window {
    std::vector<std::uint64_t> bins;
    std::int64_t begin_ms = 0;
  };
  struct Rates {
    std::array<std::uint64_t, kDirections> requests{}, bytes{};
  };
  struct Job {
    workload::LogChoice choice;
    LogFile *lat = nullptr, *clat = nullptr, *slat = nullptr, *bandwidth = nullptr, *iops = nullptr;  // null: none
    LogFile* histogram = nullptr;
    std::array<Window, kDirections> histograms{};
    Picoseconds begin{-1}, end{};
    std::array<Mean, kDirections> means{};
    std::int64_t window = 0;  // of the rates
    Rates rates;
  };

  LogFile* open(const std::string& folder, const std::string& name, const char* kind, unsigned job, bool per_job);
  static void line(LogFile* file, const Job& job, std::int64_t ms, std::uint64_t value, std::size_t direction,
                   std::uint64_t bytes, std::uint64_t offset);
  static void each_request(const Job& job, const FinishedRequest& request, std::int64_t ms);
  static void latency_window(Job& job, std::size_t direction, std::int64_t ms);
  static void histogram(Job& job, const FinishedRequest& request, std::int64_t ms);
  static void rate_window(Job& job, Picoseconds length);
  static void window_to(Job& job, Picoseconds since_begin);

  std::map<std::string, std::unique_ptr<LogFile>> files_;  // by path
  std::vector<Job> jobs_;
};

}  // namespace wordline::results
