// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/fio_json.h"
#include "models/results/histogram.h"
#include "models/results/job_results.h"
#include "models/results/rate_series.h"
#include "models/results/registry.h"
#include "models/results/request_observer.h"
#include "models/results/slowest.h"
#include "models/results/stage_sums.h"
#include "models/results/steady/steady_meter.h"
#include "models/results/waits.h"

namespace wordline::results {

struct StageName {
  std::string name;
  bool is_wait = false;  // waiting for a resource, or being served
};

/// Collects finished requests: latency by operation and the mean time in each stage, rates by window and by job, the
/// slowest requests. O(1) per request, nothing is allocated for one.
///
/// The measurement is everything, or what completes from measure_from() on (ramp time).
/// Accuracy: sums are integer picoseconds, so the stage means add up to the mean latency exactly.
class RequestStatistics {
 public:
  static constexpr std::size_t kMaxStages = StageSums::kMost;

  /// `stages` = number of stages in the array given to record(); at most kMaxStages.
  explicit RequestStatistics(std::size_t stages);

  /// Gives every request of the measurement to `report`, too.
  void report_to(FioReport& report) { fio_ = &report; }
  /// Reports to `observer` every request of the measurement, too.
  void observe(RequestObserver& observer) { observers_.push_back(&observer); }
  /// Shows every request of the measurement to `meter`, too, which may begin the measurement anew; `anew` is called
  /// then, and when the measurement has all that it needs.
  void judge(SteadyMeter& meter, std::function<void()> anew) {
    meter_ = &meter;
    anew_ = std::move(anew);
  }
  /// The meter has all that it needs: what completes from now on is not counted.
  [[nodiscard]] bool enough() const { return enough_; }
  /// The workload begins at `start`; what completes before `measured` is left out of the measurement. Before the first
  /// request.
  void begin(Picoseconds start, Picoseconds measured);
  /// Throws std::logic_error when the request's stages do not sum to its latency: a stage clock that loses time is a
  /// bug.
  void record(const FinishedRequest& request);

  [[nodiscard]] const Histogram& latency(Op op) const { return latency_[index(op)]; }
  [[nodiscard]] std::uint64_t count(Op op) const { return latency_[index(op)].count(); }
  [[nodiscard]] std::uint64_t bytes(Op op) const { return bytes_[index(op)]; }
  [[nodiscard]] std::uint64_t requests() const;
  [[nodiscard]] const JobResults& jobs() const { return jobs_; }
  /// Completed so far, those before the measurement included.
  [[nodiscard]] std::uint64_t completed() const { return completed_; }
  /// The bytes of all completed writes, those before the measurement included.
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }
  [[nodiscard]] std::size_t stages() const { return stages_; }

  /// The measurement: from the first submission of a request that is counted, or the end of the ramp time when that is
  /// later, to the last completion, over all operations. IOPS are counted over it, so that the IOPS of reads and writes
  /// of a mixed run add up.
  [[nodiscard]] Picoseconds measured_from() const;
  [[nodiscard]] Picoseconds measured_to() const;
  [[nodiscard]] Picoseconds span() const;
  /// How far the numbers can be trusted; with a meter.
  [[nodiscard]] SteadyAnswer steady() const;
  [[nodiscard]] const RateSeries& series() const { return series_; }
  [[nodiscard]] const SlowestByOperation& slowest() const { return slowest_; }
  [[nodiscard]] double iops(Op op) const;
  [[nodiscard]] double bytes_per_second(Op op) const;

  /// Time of a stage, summed over all requests; the sums of all stages add up to latency(op).sum(). At most 2^64 - 1 ps
  /// each (213 days of waiting, all requests together).
  [[nodiscard]] std::uint64_t stage_total(Op op, std::size_t stage) const;
  /// Mean time of every stage; the sum equals latency(op).mean().
  [[nodiscard]] std::vector<Picoseconds> stage_means(Op op) const;

  /// Registers window.*, ios.*, steady.*, jobs[].*, series.*, stages.*, waits.*, slowest[].*, slowest_of.*
  /// and flash.host_bytes_written;
  /// `stages` in the order of the recorded stages, `jobs` by number. Throws std::invalid_argument when the number of
  /// stages is another.
  void register_statistics(Registry& registry, const std::vector<StageName>& stages,
                           const std::vector<std::string>& jobs) const;

 private:
  static constexpr std::size_t index(Op op) { return static_cast<std::size_t>(op); }
  [[nodiscard]] double per_second(std::uint64_t amount) const;
  void begin_anew(Picoseconds at);
  void register_window(Registry& registry) const;
  void register_rates(Registry& registry, Op op) const;
  void register_latency(Registry& registry, Op op) const;
  void register_stages(Registry& registry, Op op, const std::vector<StageName>& stages) const;

  std::size_t stages_;
  std::array<Histogram, kOpCount> latency_;
  std::array<std::uint64_t, kOpCount> bytes_{};
  std::array<StageSums, kOpCount> stage_sums_;
  RateSeries series_;
  JobResults jobs_;
  SlowestByOperation slowest_;
  WaitSums waits_;
  SteadyMeter* meter_ = nullptr;  // null: none
  std::function<void()> anew_;
  bool enough_ = false;
  FioReport* fio_ = nullptr;  // null: none
  std::vector<RequestObserver*> observers_;
  std::uint64_t completed_ = 0, bytes_written_ = 0;  // those before the measurement included
  Picoseconds measured_{};                           // not before
  Picoseconds first_{INT64_MAX};
  Picoseconds last_{INT64_MIN};
};

}  // namespace wordline::results
