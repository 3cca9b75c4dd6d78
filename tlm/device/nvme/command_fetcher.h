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
/// overlap. Entries that find no tag are fetched when one becomes free. An entry that cannot be read is a fatal error
/// of the controller (CSTS.CFS, Base 3.1.3.6): there is no command to answer.
class CommandFetcher final : private Agenda::Client, private DmaAccess::Client {
 public:
  /// `burst`: entries of one read request, at least 1.
  CommandFetcher(std::uint32_t burst, QueueSet& queues, ControllerStatus& status, HostDataMover& mover, Agenda& agenda,
                 IoCommands& commands);

  /// Queue `qid` has entries.
  void doorbell(std::uint32_t qid);
  /// A tag has been given back.
  void tag_freed();

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
  QueueSet& queues_;
  ControllerStatus& status_;
  HostDataMover& mover_;
  Agenda& agenda_;
  IoCommands& commands_;
  Picoseconds planned_{-1};  // an action waits for then
  Pool<Burst> bursts_;
};

}  // namespace wordline::host::nvme
