// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/suspension.h"

namespace wordline::flash {

bool Suspension::wanted(const wl_flash_job& job) const {
  using config::SuspendPolicy;
  const config::Channels& channels = context_.rules.channels;
  const bool within = depth_ == 1 && last().erase && job.op == WL_FLASH_PROGRAM && channels.suspend_depth == 2;
  if (depth_ != 0 && !within) return false;
  const SuspendPolicy covers = job.op == WL_FLASH_PROGRAM ? SuspendPolicy::kProgram : SuspendPolicy::kErase;
  return (channels.suspend == covers || channels.suspend == SuspendPolicy::kBoth) &&
         held_[depth_].times < channels.suspend_limit && channels.starvation_bound != 0 &&
         takes_one(job.op == WL_FLASH_ERASE);
}

Next Suspension::suspend(const wl_flash_job& job, Picoseconds at) {
  ChannelBus& bus = context_.bus;
  const onfi::Address to = bus.address(context_.die, job, 0);
  const OnfiTransaction& sent = bus.command(
      context_.die, job.op == WL_FLASH_PROGRAM ? bus.codec().suspend_program(to) : bus.codec().suspend_erase(to), at);
  return {Step::kStopping, sent.end + context_.rules.channels.t_wb};
}

Next Suspension::resume(const wl_flash_job& job, Picoseconds at) {
  ChannelBus& bus = context_.bus;
  const onfi::Address to = bus.address(context_.die, job, 0);
  const OnfiTransaction& sent = bus.command(
      context_.die, job.op == WL_FLASH_PROGRAM ? bus.codec().resume_program(to) : bus.codec().resume_erase(to), at);
  --depth_;
  return {Step::kArray, sent.end + context_.rules.channels.t_wb};
}

}  // namespace wordline::flash
