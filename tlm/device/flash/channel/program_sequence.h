// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/device/flash/channel/job_check.h"
#include "tlm/device/flash/channel/program_features.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// The program under way: every page of every plane (80h ADDR, tADL, data, 11h/1Ah/10h) in one use of the bus each,
/// then tPROG. Pages are fetched from DRAM one ahead of the bus, the first one while the die still works. CACHE PROGRAM
/// (channels.cache_program): when a program is next while one is loaded, the loaded one ends with 15h, and the next one
/// comes in while the array programs. A status read after each 15h has the result of the program unit before (FAILC).
/// The last one ends with 10h, and its status has the results of both.
///
/// A program with parameters of its own, or after one that had some, begins with the SET FEATURES that differ; one with
/// a report ends with GET FEATURES (ProgramFeatures). Neither may happen between 15h and the status that ends its
/// sequence, so a program unit that wants a report, or is followed by one with other parameters, ends with 10h.
///
/// A program with WL_PROGRAM_MODIFY begins with COPYBACK READ of its source (00h ADDR 35h); then 85h ADDR with the
/// column of the first logical page that changes, tADL, these logical pages, 10h. It has no part in CACHE PROGRAM: 35h
/// is for a die whose array rests.
///
/// A program in SLC mode is the first page of the word line, in all planes; the channel keeps in which mode a block is.
///
/// Where the drive has parity over dies, a program that has succeeded is added to the sum of its row: slots and sum
/// over the DRAM port and through the XOR unit, at once and before the completion.
///
/// Status reads, suspend and the order of jobs are not decided here.
class ProgramSequence {
 public:
  /// `queue`: of the same die.
  ProgramSequence(const SequenceContext& context, DieQueue& queue)
      : context_(context), queue_(queue), features_(context, context.tables) {}

  /// `alone`: no other program is loaded while it is under way, since the die holds a suspended erase.
  void start(JobIndex job, bool alone) {
    job_ = job;
    alone_ = alone;
    position_ = 0;
    source_read_ = false;
    const wl_flash_job& program = context_.jobs[job].job;
    if (in_slc_mode(program)) context_.bus.set_slc_mode(context_.die, program.block, true);
  }
  /// kNoJob: none.
  [[nodiscard]] JobIndex job() const { return job_; }
  /// Units are in CACHE PROGRAM.
  [[nodiscard]] bool cached() const { return in_array_ != kNoJob; }
  /// Whether `next`, which is not under way, needs features that the die does not have.
  [[nodiscard]] bool needs_features(const QueuedJob& next) const { return features_.differs(next.parameters); }
  /// The program has just been started: the step that it begins with.
  [[nodiscard]] Step first_step();
  /// What its next use of the bus is, in the steps kParameters, kDataIn and kReport.
  [[nodiscard]] BusClass next_class() const {
    if (features_.awaits_bytes()) return BusClass::kSelectedOut;
    if (features_.due() || features_.reading() || awaits_source()) return BusClass::kShort;
    return position_ == 0 ? BusClass::kNewIn : BusClass::kIn;
  }
  /// The next use of the bus: a feature, a page of a plane, a segment of the report.
  Next segment(Picoseconds at) {
    if (features_.reading()) return report(at);
    if (features_.due()) return set_feature(at);
    return awaits_source() ? read_source(at) : data_in(at);
  }
  /// The page that it begins as is in the die's register.
  Next source_ready(Picoseconds at) {
    source_read_ = true;
    return {Step::kDataIn, std::max(at, context_.jobs[job_].fetched)};
  }

  /// Fetches the first page of the program that is next, when it is one, once.
  void prefetch(Picoseconds earliest);
  /// What a status within CACHE PROGRAM says: the program unit before the one in the array has ended. The die may be
  /// addressed again at `from`.
  Next cache_status(const PlaneFailures& failed, Picoseconds from);
  /// The status after the last program unit.
  Next status(const PlaneFailures& failed, Picoseconds from);

 private:
  [[nodiscard]] bool caches_next() const;
  [[nodiscard]] Picoseconds fetch(Picoseconds earliest, std::uint32_t lpages) {
    return context_.slots.transfer(earliest, lpages);
  }
  /// Logical pages of a page that cross the bus.
  [[nodiscard]] std::uint32_t lpages_of(const wl_flash_job& job) const {
    return modifies(job) ? job.count : context_.rules.lpages_of(job);
  }
  [[nodiscard]] bool awaits_source() const { return modifies(context_.jobs[job_].job) && !source_read_; }
  Next set_feature(Picoseconds at);
  Next read_source(Picoseconds at);
  Next data_in(Picoseconds at);
  Next report(Picoseconds at);
  void load(const wl_flash_job& job);
  [[nodiscard]] bool wants_report() const { return (context_.jobs[job_].job.control & WL_PROGRAM_MEASURES) != 0; }
  void finish(JobIndex index, std::uint32_t failed);
  /// Of parity: the program of a sum (contract/flash_ring.h), and what one adds to it; returns when it is there.
  [[nodiscard]] static bool is_sum(const wl_flash_job& job) { return job.sum == job.slot + 1 && !modifies(job); }
  Picoseconds add(const wl_flash_job& job, Picoseconds from);

  const SequenceContext& context_;
  DieQueue& queue_;
  ProgramFeatures features_;
  JobIndex job_ = kNoJob;
  // CACHE PROGRAM: the unit before `job_`, and the one before that until its status has been read.
  JobIndex in_array_ = kNoJob;
  JobIndex before_ = kNoJob;
  std::uint32_t position_ = 0;  // page of the unit times planes plus plane
  bool source_read_ = false;
  bool alone_ = false;
};

}  // namespace wordline::flash
