// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/command_fetcher.h"

#include <algorithm>

namespace wordline::host::nvme {

CommandFetcher::CommandFetcher(std::uint32_t burst, QueueSet& queues, ControllerStatus& status, HostDataMover& mover,
                               Agenda& agenda, IoCommands& commands)
    : burst_(burst), queues_(queues), status_(status), mover_(mover), agenda_(agenda), commands_(commands) {
  burst_tags_.reserve(burst);
}

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
  burst_tags_.clear();
  while (burst_tags_.size() < most) {
    const std::uint32_t tag = mover_.commands().take(now);
    if (tag == kNone) break;
    burst_tags_.push_back(tag);
  }
  if (burst_tags_.empty()) return false;
  const Picoseconds entries_at = mover_.link->read(now, burst_tags_.size() * sizeof(SubmissionEntry));
  for (const std::uint32_t tag : burst_tags_) {
    SubmissionEntry& sqe = commands_.entry(tag);
    if (status_.failed() || !mover_.host_memory->read(sq.base + sq.fetch * sizeof sqe, &sqe, sizeof sqe)) {
      status_.fail();
      mover_.commands().free(tag, now);
      continue;
    }
    HostCommand& command = mover_.commands()[tag];
    command.queue = static_cast<std::uint16_t>(qid);
    command.id = sqe.cid;
    mover_.stages->begin(static_cast<std::uint16_t>(tag), command.queue, command.id, sq.arrived[sq.fetch]);
    commands_.take(tag, entries_at);
    sq.advance_fetch();
    ++sq.in_flight;
  }
  if (sq.pending() == 0) queues_.set_pending(qid, false);
  return true;
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
