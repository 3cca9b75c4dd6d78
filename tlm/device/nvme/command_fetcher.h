// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/pool.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/controller_status.h"
#include "tlm/device/nvme/io_commands.h"
#include "tlm/device/nvme/queues.h"

namespace wordline::host::nvme {

/// From the tail doorbell of an I/O submission queue to entries inside the controller: which queue is served, and how
/// many entries there are tags for. The content of an entry is a matter of IoCommands.
///
/// Accuracy: the Arbiter's turns, of at most `burst` entries, one read request for entries that lie together; reads
/// overlap. Entries that find no tag are fetched when one becomes free, those of a queue that has nvme.queue_tags
/// commands in flight when the host has the completion of one of them. An entry that cannot be read is a fatal error of
/// the controller (CSTS.CFS, Base 3.1.3.6): there is no command to answer.
class CommandFetcher final : private Agenda::Client, private DmaAccess::Client {
 public:
  /// `config.fetch_burst` is at least 1.
  CommandFetcher(const config::Nvme& config, QueueSet& queues, ControllerStatus& status, HostDataMover& mover,
                 Agenda& agenda, IoCommands& commands);

  /// Queue `qid` has entries.
  void doorbell(std::uint32_t qid);
  /// A tag has been given back.
  void tag_freed();
  /// The host has the completion of a command of queue `qid`.
  void command_left(std::uint32_t qid);

 private:
  enum class Kind : std::uint32_t { kFetch };
  /// Entries on their way.
  struct Burst {
    std::uint32_t qid = 0, epoch = 0;
    std::vector<std::uint32_t> tags;
    std::vector<SubmissionEntry> entries;
    std::vector<Picoseconds> arrived;  // doorbells
  };
  void act(const Agenda::Action& /*action*/) override { fetch(); }
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override;
  void fetch();
  std::uint32_t fetch_burst(const Arbiter::Turn& turn, Picoseconds now);
  void plan();

  const std::uint32_t burst_;
  const std::uint32_t most_in_flight_;  // commands of one queue, at most
  QueueSet& queues_;
  ControllerStatus& status_;
  HostDataMover& mover_;
  Agenda& agenda_;
  IoCommands& commands_;
  Picoseconds planned_{-1};  // an action waits for then
  Pool<Burst> bursts_;
};

}  // namespace wordline::host::nvme
