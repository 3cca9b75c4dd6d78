// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the sequences of one die work with. A sequence (read, cache read, program, erase) sends the segments of one kind
// of job and returns, as a Next, where it leaves the die. The other sequences' state, and who gets the bus, are not its
// matter.
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/ecc/retry/retry_settings.h"
#include "tlm/device/flash/channel/buffer_slots.h"
#include "tlm/device/flash/channel/bus_arbiter.h"
#include "tlm/device/flash/channel/channel_bus.h"
#include "tlm/device/flash/channel/channel_jobs.h"
#include "tlm/device/flash/channel/program_tables.h"
#include "tlm/device/flash/channel/read_group.h"
#include "tlm/device/flash/channel/step.h"

namespace wordline::flash {

/// Times and policies of the channel, and the shape of its dies.
struct ChannelRules {
  config::Channels channels;
  std::uint32_t planes, blocks, pages;  // pages of a block that has most
  std::uint32_t pages_per_program;
  std::uint32_t lpages_per_page;  // logical pages of the flash page that has most: jobs count so through the planes
  std::uint32_t codewords_per_lpage;
  config::BlockKinds kinds;
  bool any_block;                   // planes of one read may address any blocks
  bool status_by_plane;             // which planes of a program or an erase have failed matters
  std::vector<Picoseconds> t_read;  // times by page: tWB + tR + tRR
  Picoseconds t_read_slc;           // the same of a page in SLC mode, of the mean layer
  Picoseconds between_planes;       // between planes from one command of a multi-plane read to the end of the next

  /// Logical pages of a page, in one plane of the block that `job` names.
  [[nodiscard]] std::uint32_t lpages_of(const wl_flash_job& job) const { return kinds.of(job.block).lpages_per_page; }
  /// Places of a logical page's codewords in the masks of the read-retry controller, and what it counts there.
  [[nodiscard]] unsigned retry_places() const { return ecc::retry_places(codewords_per_lpage); }
  [[nodiscard]] unsigned counted_lpages() const { return retry_places() / ecc::kRetryPair; }
  /// Column of the first byte of the spare area.
  [[nodiscard]] std::uint32_t mark_column(const wl_flash_job& job) const {
    return static_cast<std::uint32_t>(kinds.of(job.block).page.count());
  }
};

/// Planes of a program or an erase that has failed, and of the program before it in CACHE PROGRAM, as bits.
struct PlaneFailures {
  std::uint32_t last = 0, before = 0;
};

/// The context of the sequences of one die; they keep a reference to it.
struct SequenceContext {
  std::uint32_t die;  // index within the channel
  const ChannelRules& rules;
  ChannelBus& bus;
  BusArbiterIf& arbiter;
  ChannelJobs& jobs;
  BufferSlots& slots;
  ProgramTables& tables;

  /// A group for reads of the die; none are in it.
  [[nodiscard]] ReadGroup no_reads() const {
    return {jobs.pool(), rules.planes, rules.lpages_per_page, rules.channels.split_data_out ? 1 : rules.lpages_per_page,
            rules.any_block};
  }

  /// From a read command of `read`, with `planes` planes to go, to its data.
  [[nodiscard]] Picoseconds until_data(const wl_flash_job& read, std::uint32_t planes) const {
    return (bus.in_slc_mode(die, read.block) ? rules.t_read_slc : rules.t_read[read.page]) +
           rules.between_planes * static_cast<std::int64_t>(planes - 1);
  }
};

}  // namespace wordline::flash
