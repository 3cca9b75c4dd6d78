// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the sequences of one die work with. A sequence (read, cache read, program, erase) sends the segments of one kind
// of job and returns, as a Next, where it leaves the die. The other sequences' state, and who gets the bus, are not its
// matter.
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "tlm/flash/channel/buffer_slots.h"
#include "tlm/flash/channel/bus_arbiter.h"
#include "tlm/flash/channel/channel_bus.h"
#include "tlm/flash/channel/channel_jobs.h"
#include "tlm/flash/channel/step.h"

namespace wordline::flash {

/// Times and policies of the channel, and the shape of its dies.
struct ChannelRules {
  config::Channels channels;
  std::uint32_t planes, blocks, pages;  // pages of a block
  std::uint32_t pages_per_program, sectors_per_page;
};

/// One for each die; what takes it keeps a reference to it.
struct SequenceContext {
  std::uint32_t die;  // index within the channel
  const ChannelRules& rules;
  ChannelBus& bus;
  BusArbiterIf& arbiter;
  ChannelJobs& jobs;
  BufferSlots& slots;
};

}  // namespace wordline::flash
