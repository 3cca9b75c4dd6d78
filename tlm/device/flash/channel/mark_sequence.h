// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/device/flash/channel/sequence_context.h"

namespace wordline::flash {

/// Factory marks of a block, in all planes: page 0 is read (00h ADDR 32h by plane, 30h for the last; tR), then from
/// each plane the first bytes of the spare area go out (06h ADDR E0h, tCCS, data). The job's block is a physical one.
/// No data are decoded: the marks are bytes of 00h in a page of FFh.
class MarkSequence {
 public:
  /// `queue`: of the same die.
  MarkSequence(const SequenceContext& context, DieQueue& queue) : context_(context), queue_(queue) {}

  void start(JobIndex job) {
    job_ = job;
    plane_ = 0;
    marked_ = 0;
  }
  /// kNoJob: none.
  [[nodiscard]] JobIndex job() const { return job_; }

  /// The next plane's read command.
  Next command(Picoseconds at) {
    const bool last = plane_ + 1 == context_.rules.planes;
    const onfi::Cycles cycles = context_.bus.codec().read(address(), last ? onfi::kReadConfirm : onfi::kReadNextPlane);
    const OnfiTransaction& sent = context_.bus.command(context_.die, cycles, at);
    if (last) {
      plane_ = 0;
      return {Step::kArray};
    }
    ++plane_;
    return {Step::kBlockCommand, sent.ready_at};
  }
  /// The next plane's mark, in one use of the bus; tCCS does not leave it to others.
  Next output(Picoseconds at) {
    ChannelBus& bus = context_.bus;
    onfi::Address from = address();
    from.column = context_.rules.mark_column(context_.jobs[job_].job);
    const Picoseconds selected = bus.command(context_.die, bus.codec().change_read_column(from), at).end;
    const OnfiTransaction& out = bus.mark_out(context_.die, selected + context_.rules.channels.t_ccs);
    if (out.status == onfi::kFactoryBadMark) marked_ |= 1U << plane_;
    const Picoseconds from_then = out.end + context_.rules.channels.t_rhw;
    if (++plane_ != context_.rules.planes) return {Step::kDataOut, from_then};
    const JobIndex ended = std::exchange(job_, kNoJob);
    queue_.done(ended);
    context_.jobs.finish(ended, {out.end, WL_FLASH_OK, 0, marked_});
    return {Step::kIdle, from_then};
  }

 private:
  [[nodiscard]] onfi::Address address() const {
    return context_.bus.untranslated(context_.die, context_.jobs[job_].job, plane_);
  }

  const SequenceContext& context_;
  DieQueue& queue_;
  JobIndex job_ = kNoJob;
  std::uint32_t plane_ = 0;
  std::uint32_t marked_ = 0;  // planes, as bits
};

}  // namespace wordline::flash
