// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// The erase under way: 60h ROW D1h by plane, D0h for the last, then tBERS. The order of jobs, the status read and
/// suspend are not its matter.
class EraseSequence {
 public:
  /// `queue`: of the same die.
  EraseSequence(const SequenceContext& context, DieQueue& queue) : context_(context), queue_(queue) {}

  void start(JobIndex job) {
    job_ = job;
    plane_ = 0;
    context_.bus.set_slc_mode(context_.die, context_.jobs[job].job.block, false);
  }
  /// kNoJob: none.
  [[nodiscard]] JobIndex job() const { return job_; }

  /// The next plane's command.
  Next command(Picoseconds at) {
    const bool last = plane_ + 1 == context_.rules.planes;
    ChannelBus& bus = context_.bus;
    onfi::Address to = bus.address(context_.die, context_.jobs[job_].job, plane_);
    to.page = PageId(0);
    const OnfiTransaction& sent =
        bus.command(context_.die, bus.codec().erase(to, last ? onfi::kEraseConfirm : onfi::kEraseNextPlane), at);
    // A suspend comes tWB later at the earliest.
    if (last) return {Step::kArray, sent.end + context_.rules.channels.t_wb};
    ++plane_;
    return {Step::kBlockCommand, sent.ready_at};
  }
  /// What the status read at the end says; the die may be addressed again at `from`.
  Next status(const PlaneFailures& failed, Picoseconds from) {
    const JobIndex ended = std::exchange(job_, kNoJob);
    queue_.done(ended);
    context_.jobs.finish(
        ended, {context_.bus.last().end, failed.last != 0 ? WL_FLASH_ERASE_FAIL : WL_FLASH_OK, 0, failed.last});
    return {Step::kIdle, from};
  }

 private:
  const SequenceContext& context_;
  DieQueue& queue_;
  JobIndex job_ = kNoJob;
  std::uint32_t plane_ = 0;
};

}  // namespace wordline::flash
