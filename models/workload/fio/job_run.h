// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/workload/fio/address_stream.h"
#include "models/workload/fio/clone.h"
#include "models/workload/fio/pacing.h"
#include "models/workload/fio/written.h"
#include "models/workload/source.h"

namespace wordline::workload::fio {

/// Jobs of one flow_id: each may have issued its weight's share of what all of them have.
struct Flow {
  std::uint64_t issued = 0;
  std::uint64_t weight = 0;
};

/// One clone at work: from its turn in the order of jobs to its last completion.
///
/// A loop is the job's amount of requests, then a FLUSH (end_fsync, fsync_on_close), then the read-back of what was
/// written (verify); each waits for the completions of the one before. The next loop begins from the begin.
/// A FLUSH inside of a loop (fsync, fdatasync) waits for nothing, but the job issues nothing until it has completed.
class JobRun {
 public:
  JobRun(const Clone& clone, std::uint64_t seed, Flow* flow);

  /// The turn of the job has come.
  void begin(Picoseconds at);
  /// The job issues nothing further, and is over with its last completion.
  void end() { ended_ = true; }

  /// As Source::next() and Source::resume().
  bool next(Picoseconds now, Request& out);
  [[nodiscard]] Picoseconds resume() const { return resume_; }
  void completed(const Request& request, Picoseconds at);

  [[nodiscard]] bool begun() const { return phase_ != Phase::kIdle; }
  [[nodiscard]] bool over() const { return phase_ == Phase::kOver; }
  /// The job has ended because it missed rate_min or rate_iops_min.
  [[nodiscard]] bool too_slow() const { return too_slow_; }

 private:
  enum class Phase : std::uint8_t { kIdle, kDelay, kIo, kDrain, kSync, kVerify, kLoop, kOver };
  enum class Step : std::uint8_t { kIssued, kWait, kDone };

  [[nodiscard]] bool time_over(Picoseconds now) const;
  [[nodiscard]] Picoseconds time_end() const;
  [[nodiscard]] Picoseconds ramp_end() const;
  void start(Picoseconds now);
  [[nodiscard]] Step io(Picoseconds now, Request& out);
  [[nodiscard]] bool must_wait(Picoseconds now);
  [[nodiscard]] bool pauses(Picoseconds now);
  [[nodiscard]] bool over_its_share(Picoseconds now);
  [[nodiscard]] bool amount_done() const;
  [[nodiscard]] bool flush_due() const;
  [[nodiscard]] bool verifies() const;
  [[nodiscard]] std::optional<Op> direction(Picoseconds now);
  [[nodiscard]] Step issue_next(Op op, Picoseconds now, Request& out);
  [[nodiscard]] bool overlaps(const AddressStream::Extent& extent) const;
  void issue(Op op, const AddressStream::Extent& extent, Picoseconds now, Request& out);
  [[nodiscard]] std::int16_t placement();
  void flush(Picoseconds now, Request& out);
  bool read_back(Picoseconds now, Request& out);
  void completed_data(const Request& request, Picoseconds at);
  void finish();
  [[nodiscard]] bool flush_at_end() const;
  [[nodiscard]] bool last_loop(Picoseconds now) const;
  [[nodiscard]] bool nothing_follows(Picoseconds now) const;
  [[nodiscard]] bool begin_loop(Picoseconds now);

  struct Progress {
    std::uint64_t sequence = 0;    // requests but FLUSHes and read-backs
    std::uint64_t issued = 0;      // the same, of trimwrite only the trims
    std::uint64_t loop_bytes = 0;  // bytes of the requests of this loop
    std::uint64_t loops = 0;       // done
    std::uint64_t writes = 0;
    std::uint64_t placed = 0;  // writes that have named a placement identifier
    bool flushed = true;       // nothing was written since the last FLUSH
  };

  const Job& job_;
  const Clone& clone_;
  const std::uint64_t seed_;
  Flow* flow_;  // null: none
  std::uint64_t flow_issued_ = 0;
  AddressStream addresses_;
  RateLimit rate_;
  ThinkTime think_;
  MinimumRate minimum_;
  Written written_;

  Phase phase_ = Phase::kIdle;
  Picoseconds resume_{};
  Picoseconds begin_{}, started_{}, idle_since_{}, share_at_{};
  bool ended_ = false, too_slow_ = false, refilling_ = true, flushing_ = false;
  std::uint32_t in_flight_ = 0;
  std::uint64_t read_backs_ = 0;                  // reads of a batch of verify_backlog that are still to come
  std::optional<AddressStream::Extent> rewrite_;  // trimwrite: what the last trim left to write
  std::vector<AddressStream::Extent> open_;       // open in flight, with serialize_overlap
  std::optional<std::pair<Op, AddressStream::Extent>> held_;
  Progress progress_;
};

}  // namespace wordline::workload::fio
