// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Completion queues and interrupts (Base 3.3.3.2, 3.3.1.2; MSI-X: PCI Express).
#include <algorithm>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {

std::uint32_t NvmeController::take_completion() {
  const std::uint32_t index = completions_.acquire(Completion{});
  completions_[index].epoch = epoch_;
  return index;
}

// Promises a slot of the completion queue, or waits for the host to free one.
void NvmeController::post(std::uint32_t index) {
  Completion& completion = completions_[index];
  SubmissionQueue& sq = sq_[completion.sq];
  completion.cq = sq.cq;
  completion.parsed = sq.parsed;
  CompletionQueue& cq = cq_[completion.cq];
  if (!cq.full()) {
    ++cq.promised;
    send(index, completion.ready);
    return;
  }
  schedule_heads();
  if (completion.quiet) {  // the entry may wait for long: the firmware's event does not
    completion.quiet = false;
    const wl_host_event event = completion.event;
    push_later(event, completion.ready);
  }
  if (cq.waiting == kNone) {
    cq.waiting = index;
  } else {
    completions_[cq.waiting_last].next = index;
  }
  cq.waiting_last = index;
}

// The entry leaves, and the message behind it; one instant at the host serves both.
void NvmeController::send(std::uint32_t index, Picoseconds leaves) {
  const Completion completion = completions_[index];
  leaves = std::max(leaves, tlm_if::now());
  Picoseconds at = link_.posted_write(Direction::kUpstream, leaves, sizeof(nvme::CompletionEntry));
  if (cq_[completion.cq].interrupts) at = link_.posted_write(Direction::kUpstream, at - link_.latency(), 4);
  schedule(at, Kind::kCompletion, index);
  if (completion.tag != kNone) {
    stages->release(static_cast<std::uint16_t>(completion.tag), leaves);
    free_tag(completion.tag, leaves);
  }
}

void NvmeController::arrived(std::uint32_t index) {
  const Completion completion = completions_[index];
  completions_.release(index);
  if (completion.quiet) push_event(completion.event, false);
  if (completion.epoch != epoch_) return;  // the queue is gone
  SubmissionQueue& sq = sq_[completion.sq];
  CompletionQueue& cq = cq_[completion.cq];
  sq.reported = std::max(sq.reported, completion.parsed);
  nvme::CompletionEntry entry{};
  entry.dw0 = completion.dw0;
  entry.sq_head = static_cast<std::uint16_t>(sq.reported % sq.size);
  entry.sq_id = completion.sq;
  entry.cid = completion.cid;
  entry.status = nvme::status_word(completion.status, cq.phase);
  host_.write(cq.base + cq.tail * sizeof entry, &entry, sizeof entry);
  if (++cq.tail == cq.size) {
    cq.tail = 0;
    cq.phase = !cq.phase;
  }
  const bool interrupts = cq.interrupts;
  const unsigned vector = cq.vector;
  if (completion.sq != 0) command_left(sq);
  if (!interrupts) return;
  if (vector < 32 && (masked_ & 1U << vector) != 0) {
    mask_pending_ |= 1U << vector;
  } else if (host_interrupt.size() > 0) {
    host_interrupt->interrupt(vector, tlm_if::now());
  }
}

void NvmeController::command_left(SubmissionQueue& sq) {
  --sq.in_flight;
  if (sq.deleting && sq.in_flight == 0 && admin_deletes_) {
    admin_deletes_ = false;
    remove_sq(sq);
    admin_done(nvme::kSuccess, 0, tlm_if::now());
  }
}

void NvmeController::direct_done(std::uint32_t index) {
  const Completion completion = completions_[index];
  completions_.release(index);
  if (completion.quiet) push_event(completion.event, false);
  const Picoseconds now = tlm_if::now();
  free_tag(completion.tag, now);
  if (direct_completion.size() == 0) {
    error("a direct command is complete, but port direct_completion is not bound");
    return;
  }
  direct_completion->completed(completion.sq, completion.cid, completion.status, now);
}

// A completion entry that waited for a slot when the controller was reset.
void NvmeController::lose(std::uint32_t index) {
  const Completion completion = completions_[index];
  completions_.release(index);
  if (completion.tag == kNone) return;
  const Picoseconds at = std::max(completion.ready, tlm_if::now());
  stages->release(static_cast<std::uint16_t>(completion.tag), at);
  free_tag(completion.tag, at);
}

}  // namespace wordline::host
