// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/command_fetcher.h"

#include <algorithm>

namespace wordline::host::nvme {

CommandFetcher::CommandFetcher(std::uint32_t burst, QueueSet& queues, ControllerStatus& status, HostDataMover& mover,
                               Agenda& agenda, IoCommands& commands)
    : burst_(burst), queues_(queues), status_(status), mover_(mover), agenda_(agenda), commands_(commands) {}

void CommandFetcher::doorbell(std::uint32_t qid) {
  queues_.set_pending(qid, true);
  fetch();
}

void CommandFetcher::fetch() {
  const Picoseconds now = agenda_.now();
  while (!status_.failed() && queues_.any_pending()) {
    const std::uint32_t qid = queues_.next_pending();
    if (!fetch_burst(qid, now)) {
      plan();
      return;
    }
    queues_.served(qid);
  }
}

// One read request: entries that lie together, as many as there are tags. False: no tag is free.
bool CommandFetcher::fetch_burst(std::uint32_t qid, Picoseconds now) {
  SubmissionQueue& sq = queues_.sq(qid);
  const std::uint32_t most = std::min({sq.pending(), burst_, sq.size - sq.fetch});
  const std::uint32_t index = bursts_.acquire();
  Burst& burst = bursts_[index];
  burst.tags.clear();
  burst.arrived.clear();
  const std::uint64_t address = sq.base + sq.fetch * sizeof(SubmissionEntry);
  while (burst.tags.size() < most) {
    const std::uint32_t tag = mover_.commands().take(now);
    if (tag == kNone) break;
    burst.tags.push_back(tag);
    burst.arrived.push_back(sq.arrived[sq.fetch]);
    sq.advance_fetch();
    ++sq.in_flight;
  }
  if (burst.tags.empty()) {
    bursts_.release(index);
    return false;
  }
  if (sq.pending() == 0) queues_.set_pending(qid, false);
  burst.qid = qid;
  burst.epoch = mover_.commands().epoch();
  burst.entries.resize(burst.tags.size());
  const HostDma::Piece piece{address, burst.entries.data(), burst.entries.size() * sizeof(SubmissionEntry)};
  mover_.dma().read(now, &piece, 1, {this, 0, index});
  return true;
}

void CommandFetcher::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  const Burst& burst = bursts_[access.index];
  const bool lost = burst.epoch != mover_.commands().epoch();
  if (!good && !lost) status_.fail();
  for (std::size_t i = 0; i < burst.tags.size(); ++i) {
    const std::uint32_t tag = burst.tags[i];
    if (lost || status_.failed()) {
      mover_.commands().free(tag, agenda_.now());
      continue;
    }
    const SubmissionEntry& sqe = commands_.entry(tag) = burst.entries[i];
    HostCommand& command = mover_.commands()[tag];
    command.queue = static_cast<std::uint16_t>(burst.qid);
    command.id = sqe.cid;
    mover_.stages->begin(static_cast<std::uint16_t>(tag), command.queue, command.id, burst.arrived[i]);
    commands_.take(tag, at);
  }
  bursts_.release(access.index);
  if (lost) tag_freed();
}

// Nothing wakes up for a free tag unless entries wait for one.
void CommandFetcher::tag_freed() {
  if (queues_.any_pending()) plan();
}

void CommandFetcher::plan() {
  const CommandTable& tags = mover_.commands();
  if (!tags.some_end()) return;  // every tag is held by a command: its completion plans
  const Picoseconds at = std::max(tags.next_free(), agenda_.now());
  if (planned_ >= agenda_.now() && planned_ <= at) return;
  planned_ = at;
  agenda_.schedule(at, *this, Kind::kFetch, 0);
}

}  // namespace wordline::host::nvme
