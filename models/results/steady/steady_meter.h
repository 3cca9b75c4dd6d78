// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/results/finished_request.h"
#include "models/results/steady/batches.h"
#include "models/results/steady/steady_answer.h"
#include "models/results/steady/stretch.h"

namespace wordline::results {

/// When a run has an answer (the keys run.until, run.until_percentile and run.until_requests).
struct SteadyGoal {
  enum class Rule { kNone, kInterval, kSnia };
  Rule rule = Rule::kNone;
  double width = 0;                 // width of intervals, as a share of their value; kInterval
  double percentile = 0;            // percentile that must be as narrow, too; 0: none
  std::uint64_t most_requests = 0;  // gives up after so many; 0: never
};

/// What of a drive and its load the meter must know.
struct SteadyDrive {
  std::uint64_t superblock_pages = 0;       // logical pages
  std::uint64_t buffer_pages = 0;           // buffer pages of the write buffer
  std::uint64_t superblocks_warm_up = 16;   // GC has emptied so many before a drive that writes is warm
  std::uint64_t superblocks_otherwise = 0;  // GC has emptied so many where write amplification is not that of the state
  double waf_of_state = 0;                  // write amplification with which the state at the begin was made; 0: none
  bool other_writes = false;                // than those that made the state, whatever write amplification says
  std::uint64_t pages_otherwise = 0;        // logical pages that the host has to write first, where that matters
  std::uint32_t gc_start = 0;               // GC begins with so few free superblocks
  bool open_loop = false;
  double offered = 0;                   // requests/s that a rate-limited load asks for; 0: as fast as it gets
  std::function<DriveCounts()> counts;  // at present
};

/// Decides when a drive has outlived its warm-up, and how sure the numbers are since then.
///
/// The end of the warm-up is found by the drive's own counts, since the rate of a drive that still fills its write
/// buffer, or its free superblocks, is flat for any length of time: the write buffer has been as full before, and so
/// many superblocks were collected. A drive whose writes are of another kind than those that made its state, which its
/// write amplification tells, is turned over as a whole first, or written anew by the host. Whenever one of these
/// changes the stretch begins anew. Only then do the tests on the rate itself follow: MSER on batches (White,
/// Simulation 69(6), 1997), a difference of halves, neighbours that agree. A run of writes that never collects a
/// superblock is in a phase that ends when GC begins, however long it is: kBeforeGc.
///
/// Everything follows from counts and simulated times, so a run that ends by itself is the begin of a longer one.
/// Cost: some 20 ns a request, at most 300 KiB. Accuracy: docs/steady.md.
class SteadyMeter {
 public:
  /// What the caller has to do after a request.
  enum class Step { kGoOn, kAnew, kEnough };

  SteadyMeter(SteadyGoal goal, SteadyDrive drive) : goal_(goal), drive_(std::move(drive)) {}

  /// The measurement begins at `at`, the present.
  void begin(Picoseconds at);
  /// kAnew: with a goal, the warm-up went on until here, and the measurement is to begin anew. kEnough: the goal is
  /// reached, or cannot be.
  [[nodiscard]] Step add(const FinishedRequest& request) {
    if (over_) return Step::kGoOn;
    ++seen_;
    return batches_.add(request.op, request.latency(), request.completed) ? end_batch(request.completed) : Step::kGoOn;
  }

  [[nodiscard]] const SteadyGoal& goal() const { return goal_; }
  /// Of the batches that lie in [from, to] as a whole: the time in which all jobs submit requests.
  [[nodiscard]] SteadyAnswer answer(Picoseconds from, Picoseconds to) const;

 private:
  Step end_batch(Picoseconds at);
  [[nodiscard]] bool still_warming(const DriveCounts& counts);
  [[nodiscard]] std::uint64_t warm_up() const;
  [[nodiscard]] bool fills(const DriveCounts& counts);
  [[nodiscard]] double waf_since_begin() const;
  [[nodiscard]] bool still_learning();
  [[nodiscard]] double learning_allowed() const;
  [[nodiscard]] double small_change() const;
  [[nodiscard]] Step check(Picoseconds at);
  [[nodiscard]] bool cannot_be_reached(const SteadyAnswer& answer) const;
  [[nodiscard]] Stretch stretch(Picoseconds from, Picoseconds to) const;
  [[nodiscard]] std::string not_warm(const SteadyAnswer& answer) const;
  void judge(const Stretch& stretch, bool writes, SteadyAnswer& found) const;

  SteadyGoal goal_;
  SteadyDrive drive_;
  Batches batches_;
  DriveCounts at_begin_, at_since_, at_last_;
  std::uint64_t seen_ = 0, since_ = 0;  // requests, and those of the warm-up
  std::uint64_t level_ = 0;             // fill of the write buffer that counts as reached
  bool fuller_ = false;                 // than `level_`, at the end of the last batch
  std::uint64_t collected_before_ = 0;  // superblocks, until the warm-up was over
  bool rewritten_ = false;              // rewritten as many pages as SteadyDrive::pages_otherwise
  bool good_before_ = false;            // the last check found all that is asked for
  bool over_ = false;
};

}  // namespace wordline::results
