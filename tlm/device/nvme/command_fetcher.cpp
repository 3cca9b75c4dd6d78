// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/command_fetcher.h"

#include <algorithm>

namespace wordline::host::nvme {

CommandFetcher::CommandFetcher(const config::Nvme& config, QueueSet& queues, ControllerStatus& status,
                               HostDataMover& mover, Agenda& agenda, IoCommands& commands)
    : burst_(config.fetch_burst),
      most_in_flight_(config.queue_tags == 0 ? UINT32_MAX : config.queue_tags),
      queues_(queues),
      status_(status),
      mover_(mover),
      agenda_(agenda),
      commands_(commands) {}

void CommandFetcher::doorbell(std::uint32_t qid) {
  if (queues_.sq(qid).in_flight >= most_in_flight_) return;
  queues_.arbiter().set_pending(qid, true);
  fetch();
}

void CommandFetcher::command_left(std::uint32_t qid) {
  const SubmissionQueue& sq = queues_.sq(qid);
  if (most_in_flight_ != UINT32_MAX && sq.exists && !sq.deleting && sq.pending() != 0) doorbell(qid);
}

void CommandFetcher::fetch() {
  const Picoseconds now = agenda_.now();
  Arbiter& arbiter = queues_.arbiter();
  while (!status_.failed() && arbiter.any_pending()) {
    const Arbiter::Turn turn = arbiter.next();
    const std::uint32_t fetched = fetch_burst(turn, now);
    if (fetched == 0) {
      plan();
      return;
    }
    arbiter.served(turn.qid, fetched);
  }
}

// One read request: entries that lie together, as many as there are tags. Returns how many; 0: no tag is free.
std::uint32_t CommandFetcher::fetch_burst(const Arbiter::Turn& turn, Picoseconds now) {
  SubmissionQueue& sq = queues_.sq(turn.qid);
  const std::uint32_t most =
      std::min({sq.pending(), burst_, turn.commands, sq.size - sq.fetch, most_in_flight_ - sq.in_flight});
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
    commands_.coming();
  }
  if (burst.tags.empty()) {
    bursts_.release(index);
    return 0;
  }
  if (sq.pending() == 0 || sq.in_flight >= most_in_flight_) queues_.arbiter().set_pending(turn.qid, false);
  burst.qid = turn.qid;
  burst.epoch = mover_.commands().epoch();
  burst.entries.resize(burst.tags.size());
  const HostDma::Piece piece{address, burst.entries.data(), burst.entries.size() * sizeof(SubmissionEntry)};
  const auto fetched = static_cast<std::uint32_t>(burst.tags.size());
  mover_.dma().read(now, &piece, 1, {this, 0, index});
  return fetched;
}

void CommandFetcher::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  const Burst& burst = bursts_[access.index];
  const bool lost = burst.epoch != mover_.commands().epoch();
  if (!good && !lost) status_.fail();
  for (std::size_t i = 0; i < burst.tags.size(); ++i) {
    const std::uint32_t tag = burst.tags[i];
    if (lost || status_.failed()) {
      mover_.commands().free(tag, agenda_.now());
      commands_.ended();
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
  if (commands_.active() == 0) status_.drained();
}

// Nothing wakes up for a free tag unless entries wait for one.
void CommandFetcher::tag_freed() {
  if (queues_.arbiter().any_pending()) plan();
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
