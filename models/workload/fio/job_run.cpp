// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/job_run.h"

#include <algorithm>

#include "models/units/index.h"
#include "models/units/keyed_random.h"

namespace wordline::workload::fio {
namespace {

constexpr std::uint64_t kDrawDirection = 0x6f66667365740002;
constexpr std::uint64_t kDrawDelay = 0x6f66667365740008;
constexpr std::uint64_t kDrawPlacement = 0x6f66667365740010;

}  // namespace

JobRun::JobRun(const Clone& clone, std::uint64_t seed, Flow* flow)
    : job_(*clone.job),
      clone_(clone),
      seed_(keyed_hash(seed, clone.job->pattern.randseed)),
      flow_(flow),
      addresses_(job_, clone.region, seed_, clone.number),
      rate_(job_.pacing, seed_, clone.number),
      think_(job_.pacing),
      minimum_(job_.pacing, job_.pattern) {}

void JobRun::begin(Picoseconds at) {
  phase_ = Phase::kDelay;
  const auto& [least, most] = job_.order.start_delay;
  begin_ = at + least;
  if (most > least) {
    const std::uint64_t hash = keyed_hash(seed_, kDrawDelay, clone_.number);
    begin_ += Picoseconds(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>((most - least).count() + 1)));
  }
  if (flow_ != nullptr) flow_->weight += job_.pacing.flow;
}

Picoseconds JobRun::ramp_end() const {
  return job_.amount.ramp_time.count() == 0 ? Picoseconds(0) : started_ + job_.amount.ramp_time;
}

Picoseconds JobRun::time_end() const {
  return job_.amount.runtime ? started_ + job_.amount.ramp_time + *job_.amount.runtime : Picoseconds(INT64_MAX);
}

bool JobRun::time_over(Picoseconds now) const { return now >= time_end(); }

void JobRun::start(Picoseconds now) {
  started_ = now;
  rate_.begin(now);
  think_.begin(now);
  minimum_.begin(now + job_.amount.ramp_time);
  phase_ = job_.amount.create_only ? Phase::kLoop : Phase::kIo;
  if (job_.amount.create_only) ended_ = true;
}

bool JobRun::next(Picoseconds now, Request& out) {
  resume_ = Source::kOnCompletion;
  while (true) {
    switch (phase_) {
      case Phase::kIdle:
        // Another job that ends all may end this one before its turn.
        if (!ended_) return false;
        phase_ = Phase::kOver;
        break;
      case Phase::kDelay:
        if (now < begin_ && !ended_) {
          resume_ = begin_;
          return false;
        }
        start(now);
        break;
      case Phase::kIo: {
        const Step step = io(now, out);
        if (step != Step::kDone) return step == Step::kIssued;
        phase_ = Phase::kDrain;
        break;
      }
      case Phase::kDrain: {
        if (in_flight_ != 0) {
          if (nothing_follows(now)) resume_ = Source::kNever;
          return false;
        }
        phase_ = Phase::kSync;
        if (flush_at_end()) {
          flush(now, out);
          return true;
        }
        break;
      }
      case Phase::kSync:
        if (in_flight_ != 0) return false;
        phase_ = Phase::kVerify;
        break;
      case Phase::kVerify:
        if (verifies() && written_.size() != 0 && !ended_ && !time_over(now)) return read_back(now, out);
        if (in_flight_ != 0) return false;
        phase_ = Phase::kLoop;
        break;
      case Phase::kLoop:
        phase_ = Phase::kIo;
        if (!begin_loop(now)) finish();
        break;
      case Phase::kOver:
        resume_ = Source::kNever;
        return false;
    }
  }
}

bool JobRun::verifies() const { return job_.verify.on && job_.verify.after_writing && job_.pattern.uses(Op::kWrite); }

void JobRun::finish() {
  phase_ = Phase::kOver;
  if (flow_ == nullptr) return;
  flow_->weight -= job_.pacing.flow;
  flow_->issued -= flow_issued_;
}

bool JobRun::flush_at_end() const {
  return (job_.durability.end_fsync || job_.durability.fsync_on_close) && !progress_.flushed;
}

/// No loop comes after the one that is running or draining.
bool JobRun::last_loop(Picoseconds now) const {
  const bool again = job_.amount.time_based || progress_.loops + 1 < job_.amount.loops;
  return ended_ || !again || time_over(now) || progress_.issued >= clone_.number_ios;
}

/// The job is over with its last completion.
bool JobRun::nothing_follows(Picoseconds now) const { return !flush_at_end() && !verifies() && last_loop(now); }

/// False: there is none.
bool JobRun::begin_loop(Picoseconds now) {
  if (last_loop(now)) return false;
  ++progress_.loops;
  progress_.loop_bytes = 0;
  addresses_.begin_pass();
  return true;
}

bool JobRun::amount_done() const {
  if (progress_.issued >= clone_.number_ios) return true;
  // Without anything to do between its loops a job of limited time has one.
  if (job_.amount.time_based && !verifies()) return false;
  if (progress_.loop_bytes >= clone_.amount) return true;
  // A random map that is full ends a loop that does not go around, as the end of a sequence does.
  return clone_.amount <= clone_.region.nlb * kLbaBytes && addresses_.covered();
}

JobRun::Step JobRun::io(Picoseconds now, Request& out) {
  if (ended_ || time_over(now)) return Step::kDone;
  if (must_wait(now)) return Step::kWait;
  if (flush_due()) {
    flush(now, out);
    return Step::kIssued;
  }
  const Verify& verify = job_.verify;
  if (verifies() && verify.backlog != 0 && !held_ && !rewrite_) {
    if (read_backs_ == 0 && written_.size() >= verify.backlog) {
      if (in_flight_ != 0) return Step::kWait;
      read_backs_ = verify.batch != 0 ? verify.batch : verify.backlog;
    }
    if (read_backs_ != 0 && written_.size() != 0) {
      --read_backs_;
      return read_back(now, out) ? Step::kIssued : Step::kWait;
    }
    read_backs_ = 0;
  }
  if (!held_ && !rewrite_ && amount_done()) return Step::kDone;
  if (held_) {
    if (overlaps(held_->second)) return Step::kWait;
    const auto [op, extent] = *held_;
    held_.reset();
    issue(op, extent, now, out);
    return Step::kIssued;
  }
  const auto op = direction(now);
  if (!op) return Step::kWait;
  return issue_next(*op, now, out);
}

bool JobRun::must_wait(Picoseconds now) {
  if (flushing_) return true;
  if (pauses(now)) return true;
  const std::uint32_t depth = job_.depth();
  const std::uint32_t low = job_.iodepth_low == 0 ? depth : std::min(depth, job_.iodepth_low);
  const std::uint32_t least = std::min(depth, std::max(1U, job_.batch_complete));
  const std::uint32_t refill = std::min(low, depth - least);
  if (refill + 1 < depth) {
    if (in_flight_ >= depth) refilling_ = false;
    if (!refilling_ && in_flight_ > refill) return true;
    refilling_ = true;
  }
  return over_its_share(now);
}

bool JobRun::pauses(Picoseconds now) {
  if (!think_.due(now)) return false;
  if (in_flight_ != 0) return true;
  const Picoseconds until = think_.until(idle_since_);
  if (now < until) {
    resume_ = std::min(until, time_end());
    return true;
  }
  think_.done(now);
  if (job_.pacing.ignore_thinktime) rate_.pause(think_.length());
  return false;
}

bool JobRun::over_its_share(Picoseconds now) {
  if (flow_ == nullptr || flow_->issued == 0) return false;
  if (now < share_at_) {
    resume_ = share_at_;
    return true;
  }
  const auto mine = static_cast<unsigned __int128>(flow_issued_) * flow_->weight;
  if (mine <= static_cast<unsigned __int128>(flow_->issued) * job_.pacing.flow) return false;
  if (job_.pacing.flow_sleep.count() != 0) resume_ = share_at_ = std::min(now + job_.pacing.flow_sleep, time_end());
  return true;
}

bool JobRun::flush_due() const {
  if (progress_.flushed) return false;
  const auto due = [this](std::uint32_t every) { return every != 0 && progress_.writes % every == 0; };
  return !rewrite_ && !held_ && (due(job_.durability.fsync) || due(job_.durability.fdatasync));
}

/// The direction of the next request. Nothing: no direction may issue one yet.
std::optional<Op> JobRun::direction(Picoseconds now) {
  const Pattern& pattern = job_.pattern;
  Op op = pattern.ops.front();
  if (pattern.trim_write) {
    op = rewrite_ ? Op::kWrite : Op::kTrim;
  } else if (pattern.mixed()) {
    const std::uint64_t percent = keyed_hash(seed_, kDrawDirection, clone_.number, progress_.sequence) % 100;
    op = percent < pattern.read_percent ? Op::kRead : Op::kWrite;
  }
  if (!rate_.on()) return op;
  Picoseconds due = rate_.due(op);
  if (due > now && pattern.mixed() && !pattern.trim_write) {
    // The other direction goes first when it is due earlier, unless the mix leaves it out.
    const Op other = op == Op::kRead ? Op::kWrite : Op::kRead;
    const std::uint32_t share = other == Op::kRead ? pattern.read_percent : 100 - pattern.read_percent;
    if (share != 0 && rate_.due(other) < due) {
      op = other;
      due = rate_.due(other);
    }
  }
  if (due <= now) return op;
  resume_ = std::min(due, time_end());
  return std::nullopt;
}

JobRun::Step JobRun::issue_next(Op op, Picoseconds now, Request& out) {
  auto extent = rewrite_;
  if (!extent) extent = addresses_.next(op, progress_.sequence);
  if (!extent) {
    // The end of a sequence: it goes around when there is more to do than the region has.
    const bool around = job_.amount.time_based || clone_.amount > clone_.region.nlb * kLbaBytes;
    if (!around) return Step::kDone;
    addresses_.rewind(op);
    extent = addresses_.next(op, progress_.sequence);
    if (!extent) return Step::kDone;
  }
  const bool pair = rewrite_.has_value();
  rewrite_.reset();
  if (job_.pattern.trim_write && !pair) rewrite_ = extent;
  ++progress_.sequence;
  if (!pair) {
    ++progress_.issued;
    progress_.loop_bytes += std::uint64_t{extent->nlb} * kLbaBytes;
  }
  if (flow_ != nullptr) {
    ++flow_->issued;
    ++flow_issued_;
  }
  rate_.issued(op, std::uint64_t{extent->nlb} * kLbaBytes);
  if (op == Op::kWrite) {
    ++progress_.writes;
    progress_.flushed = false;
  }
  if (job_.serialize_overlap && overlaps(*extent)) {
    held_ = {op, *extent};
    return Step::kWait;
  }
  issue(op, *extent, now, out);
  return Step::kIssued;
}

bool JobRun::overlaps(const AddressStream::Extent& extent) const {
  return std::any_of(open_.begin(), open_.end(), [&](const AddressStream::Extent& other) {
    return extent.first < other.first + other.nlb && other.first < extent.first + extent.nlb;
  });
}

void JobRun::issue(Op op, const AddressStream::Extent& extent, Picoseconds now, Request& out) {
  out = {};
  out.op = op;
  out.lba = Lba(extent.first);
  out.nlb = extent.nlb;
  out.arrival = now;
  out.job = clone_.number;
  out.fua = (op == Op::kWrite && job_.durability.write_fua) || (op == Op::kRead && job_.durability.read_fua);
  if (op == Op::kWrite && job_.placement.on) out.placement = placement();
  out.measured_from = ramp_end();
  ++in_flight_;
  think_.issued();
  if (job_.serialize_overlap) open_.push_back(extent);
  if (!verifies()) return;
  if (op == Op::kWrite) written_.write(extent);
  if (op == Op::kTrim) written_.forget(extent);
}

/// The placement identifier of the next write.
std::int16_t JobRun::placement() {
  const std::vector<std::uint16_t>& indices = job_.placement.indices;
  std::uint64_t at = progress_.placed++;
  if (job_.placement.by == PlacementChoice::By::kRandom) at = keyed_hash(seed_, kDrawPlacement, clone_.number, at);
  return static_cast<std::int16_t>(indices[at % indices.size()]);
}

void JobRun::flush(Picoseconds now, Request& out) {
  out = {};
  out.op = Op::kFlush;
  out.arrival = now;
  out.job = clone_.number;
  out.measured_from = ramp_end();
  ++in_flight_;
  flushing_ = true;
  progress_.flushed = true;
}

/// Reads something that was written.
bool JobRun::read_back(Picoseconds now, Request& out) {
  issue(Op::kRead, written_.take(), now, out);
  return true;
}

void JobRun::completed(const Request& request, Picoseconds at) {
  if (in_flight_ != 0 && --in_flight_ == 0) idle_since_ = at;
  if (request.op == Op::kFlush) {
    flushing_ = false;
  } else {
    completed_data(request, at);
  }
  if (phase_ == Phase::kDrain && in_flight_ == 0 && nothing_follows(at)) finish();
}

void JobRun::completed_data(const Request& request, Picoseconds at) {
  think_.completed();
  if (job_.serialize_overlap) {
    const auto same = [&](const AddressStream::Extent& extent) { return extent.first == request.lba.value(); };
    const auto extent = std::find_if(open_.begin(), open_.end(), same);
    if (extent != open_.end()) open_.erase(extent);
  }
  if (at >= ramp_end() && !minimum_.completed(request.op, std::uint64_t{request.nlb} * kLbaBytes, at)) {
    too_slow_ = true;
    ended_ = true;
  }
}

}  // namespace wordline::workload::fio
