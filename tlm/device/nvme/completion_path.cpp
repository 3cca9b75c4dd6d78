// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/completion_path.h"

#include <algorithm>
#include <cstring>

namespace wordline::host::nvme {

void CompletionPath::act(const Agenda::Action& action) {
  switch (static_cast<Kind>(action.kind)) {
    case Kind::kArrived:
      arrived(action.index);
      break;
    case Kind::kWritten:
      written(action.index);
      break;
    case Kind::kHeadDoorbell:
      doorbell(action.index, static_cast<std::uint32_t>(action.value));
      break;
  }
}

std::uint32_t CompletionPath::take() {
  const std::uint32_t index = completions_.acquire(Completion{});
  completions_[index].epoch = mover_.commands().epoch();
  return index;
}

void CompletionPath::post(std::uint32_t tag, Status status, Picoseconds ready, const wl_host_event* quiet) {
  const HostCommand& command = mover_.commands()[tag];
  const std::uint32_t index = take();
  Completion& completion = completions_[index];
  completion.sq = command.queue;
  completion.cid = command.id;
  completion.status = status;
  completion.dw0 = command.result;
  const ErrorLog::Place place = user_.place_of(tag);
  if (status != kSuccess) errors_.add(command.queue, command.id, status, place);
  completion.tag = tag;
  completion.nsid = place.nsid;
  completion.opcode = place.opcode;
  completion.ready = ready;
  completion.quiet = quiet != nullptr;
  if (quiet != nullptr) completion.event = *quiet;
  queue(index);
}

void CompletionPath::post_admin(std::uint16_t cid, Status status, std::uint32_t dw0, Picoseconds ready,
                                const ErrorLog::Place& place) {
  const std::uint32_t index = take();
  Completion& completion = completions_[index];
  completion.cid = cid;
  completion.status = status;
  if (status != kSuccess) errors_.add(0, cid, status, place);
  completion.dw0 = dw0;
  completion.ready = ready;
  queue(index);
}

// Promises a slot of the completion queue, or waits for the host to free one.
void CompletionPath::queue(std::uint32_t index) {
  Completion& completion = completions_[index];
  const SubmissionQueue& sq = queues_.sq(completion.sq);
  completion.cq = sq.cq;
  completion.parsed = sq.parsed;
  CompletionQueue& cq = queues_.cq(completion.cq);
  if (!cq.full()) {
    ++cq.promised;
    send(index, completion.ready);
    return;
  }
  agenda_.schedule_put_off();                   // from here on every doorbell counts
  tell_firmware(completion, completion.ready);  // the entry may wait for long
  if (cq.waiting == kNone) {
    cq.waiting = index;
  } else {
    completions_[cq.waiting_last].next = index;
  }
  cq.waiting_last = index;
}

void CompletionPath::tell_firmware(Completion& completion, Picoseconds at) {
  if (!completion.quiet) return;
  completion.quiet = false;
  mover_.push_event_later(completion.event, at);
}

// The firmware's event comes with the arrival, for want of an instant of its own. The tag is free before that, and its
// next command comes later, since its entry is fetched over the link; unless the entry is in the drive already.
void CompletionPath::send(std::uint32_t index, Picoseconds leaves) {
  Completion& completion = completions_[index];
  const CompletionQueue& cq = queues_.cq(completion.cq);
  leaves = std::max(leaves, agenda_.now());
  if (engine_.on()) leaves = engine_.run(agenda_.now(), leaves);
  if (mover_.dma().has_own()) tell_firmware(completion, leaves);
  HostLinkIf& link = *mover_.link[0];
  Picoseconds at = link.write(leaves, sizeof(CompletionEntry));
  completion.message = cq.interrupts && !interrupts_.coalesces(cq.vector);
  if (completion.message) at = link.write(at - link.latency(), 4);
  agenda_.schedule(at, *this, Kind::kArrived, index);
  if (completion.tag != kNone) release(completion.tag, leaves);
}

void CompletionPath::let_go() {
  mover_.commands().let_go();
  user_.tag_freed();
}

void CompletionPath::release(std::uint32_t tag, Picoseconds at) {
  mover_.stages->release(static_cast<std::uint16_t>(tag), at);
  mover_.commands().free(tag, at);
  user_.tag_freed();
}

void CompletionPath::arrived(std::uint32_t index) {
  const Completion& completion = completions_[index];
  if (completion.quiet) mover_.push_event(completion.event, false);
  if (completion.epoch != mover_.commands().epoch()) {  // the queue is gone
    completions_.release(index);
    return;
  }
  write_entry(index);
}

void CompletionPath::write_entry(std::uint32_t index) {
  Completion& completion = completions_[index];
  SubmissionQueue& sq = queues_.sq(completion.sq);
  CompletionQueue& cq = queues_.cq(completion.cq);
  sq.reported = std::max(sq.reported, completion.parsed);
  completion.head = static_cast<std::uint16_t>(sq.reported % sq.size);
  completion.phase = cq.phase;
  completion.alone = cq.interrupts && !interrupts_.coalesces(cq.vector);
  completion.address = cq.base + cq.tail * sizeof(CompletionEntry);
  if (++cq.tail == cq.size) {
    cq.tail = 0;
    cq.phase = !cq.phase;
  }
  if (mover_.dma().slow() != nullptr) cq.entries.push_back(index);
  mover_.dma().write_behind(HostDma::name_of(completion.sq, completion.cid), completion.address, *this,
                            {this, 0, index});
}

HostDma::BehindBytes CompletionPath::bytes_behind(std::uint32_t index) {
  Completion& completion = completions_[index];
  if (!lost_data_.empty()) lose_data(completion);
  CompletionEntry entry{};
  entry.dw0 = completion.dw0;
  entry.sq_head = completion.head;
  entry.sq_id = completion.sq;
  entry.cid = completion.cid;
  entry.status = status_word(completion.status, completion.phase);
  if (gates_ != nullptr) gates_->entry(completion.cq, entry, completion.address);
  HostDma::BehindBytes bytes;
  static_assert(sizeof entry == sizeof bytes);
  std::memcpy(bytes.data(), &entry, sizeof entry);
  return bytes;
}

// Host memory that takes time says so when the completion has been made out already.
void CompletionPath::lose_data(Completion& completion) {
  const auto found = std::find_if(lost_data_.begin(), lost_data_.end(), [&](const Lost& lost) {
    return lost.qid == completion.sq && lost.cid == completion.cid;
  });
  if (found == lost_data_.end()) return;
  lost_data_.erase(found);
  if (completion.status != kSuccess) return;
  completion.status = kDataTransferError | kDnr;
  errors_.add(completion.sq, completion.cid, completion.status, {completion.nsid, 0, 0, completion.opcode});
  ++mover_.counters().errors;
}

void CompletionPath::dma_ended(const DmaAccess& access, bool good, Picoseconds at) {
  if (gates_ != nullptr) gates_->written(good);
  if (!good) status_.fail();
  if (at > agenda_.now()) {
    agenda_.schedule(at, *this, Kind::kWritten, access.index);
  } else {
    written(access.index);
  }
}

// Messages come in the order of the entries, whichever of these host memory had first.
void CompletionPath::written(std::uint32_t index) {
  if (mover_.dma().slow() == nullptr || completions_[index].epoch != mover_.commands().epoch()) {
    leave(index);
    return;
  }
  completions_[index].written = true;
  const std::uint16_t cq = completions_[index].cq;
  for (;;) {
    std::deque<std::uint32_t>& entries = queues_.cq(cq).entries;  // the host may reset it in leave()
    if (entries.empty() || !completions_[entries.front()].written) return;
    const std::uint32_t first = entries.front();
    entries.pop_front();
    leave(first);
  }
}

void CompletionPath::leave(std::uint32_t index) {
  const Completion completion = completions_[index];
  completions_.release(index);
  if (completion.epoch != mover_.commands().epoch()) return;
  const CompletionQueue& cq = queues_.cq(completion.cq);
  const bool interrupts = cq.interrupts;
  const unsigned vector = cq.vector;
  if (completion.sq != 0) user_.command_left(completion.sq);
  if (!interrupts) return;
  if (!completion.alone) {
    interrupts_.entry_posted(vector);
  } else if (completion.message) {
    interrupts_.arrived(vector);
  } else {
    interrupts_.send(vector);
  }
}

bool CompletionPath::put_off(std::uint32_t qid, std::uint32_t value, Picoseconds at) {
  const CompletionQueue& cq = queues_.cq(qid);
  if (cq.waiting != kNone || !cq.takes_head(value)) return false;
  agenda_.put_off(at, *this, Kind::kHeadDoorbell, qid, value);
  return true;
}

bool CompletionPath::doorbell(std::uint32_t qid, std::uint32_t value) {
  CompletionQueue& cq = queues_.cq(qid);
  const bool taken = cq.takes_head(value);
  if (gates_ != nullptr) gates_->head(qid, value, taken);
  if (!taken) {
    reports_.warn("completion queue {} head doorbell, value {}{}, ignored", qid, value,
                  !cq.exists ? ": no such queue" : ": not an entry that was posted");
    return false;
  }
  cq.promised -= cq.posted(value);
  cq.head = value;
  while (cq.waiting != kNone && !cq.full()) {
    const std::uint32_t index = cq.waiting;
    cq.waiting = completions_[index].next;
    ++cq.promised;
    send(index, completions_[index].ready);
  }
  return true;
}

void CompletionPath::reset() {
  lost_data_.clear();
  for (std::uint32_t qid = 0; qid <= kMaxIoQueues; ++qid) {
    CompletionQueue& cq = queues_.cq(qid);
    while (cq.waiting != kNone) {
      const std::uint32_t index = cq.waiting;
      cq.waiting = completions_[index].next;
      lose(index);
    }
  }
  agenda_.drop_put_off();
}

void CompletionPath::lose(std::uint32_t index) {
  const Completion completion = completions_[index];
  completions_.release(index);
  if (completion.tag != kNone) release(completion.tag, std::max(completion.ready, agenda_.now()));
}

}  // namespace wordline::host::nvme
