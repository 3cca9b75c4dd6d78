// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/arbiter.h"
#include "tlm/device/nvme/completion_gates.h"

/// The controller's registers of its queues in host memory: where they lie, and how far each end is (Base 3.3). State
/// only: entries are moved by CommandFetcher and CompletionPath.
namespace wordline::host::nvme {

/// Submission queue. Positions are modulo the size.
struct SubmissionQueue {
  bool exists = false;
  bool deleting = false;
  std::uint16_t cq = 0;
  std::uint32_t size = 0;
  std::uint64_t base = 0;
  std::uint32_t tail = 0;            // last doorbell
  std::uint32_t fetch = 0;           // next entry to request
  std::uint64_t fetched = 0;         // entries requested so far
  std::uint64_t parsed = 0;          // entries taken so far, counted without wrapping
  std::uint64_t reported = 0;        // the most of these that a completion entry has reported
  std::uint32_t in_flight = 0;       // commands requested and not completed
  std::vector<Picoseconds> arrived;  // doorbell of each entry

  [[nodiscard]] std::uint32_t pending() const { return tail >= fetch ? tail - fetch : size - fetch + tail; }
  /// The tail doorbell `value`, valid, arrives `now`.
  void ring(std::uint32_t value, Picoseconds now) {
    if (arrived.size() < size) arrived.resize(size);
    for (; tail != value; tail = tail + 1 == size ? 0 : tail + 1) arrived[tail] = now;
  }
  void advance_fetch() {
    fetch = fetch + 1 == size ? 0 : fetch + 1;
    ++fetched;
  }
};

/// Completion queue. A slot is promised when a completion entry is given to the link, and filled when it arrives:
/// entries of one queue lie in the order of their arrival.
struct CompletionQueue {
  bool exists = false;
  bool interrupts = false;
  bool phase = true;
  std::uint16_t vector = 0;
  std::uint32_t size = 0;
  std::uint64_t base = 0;
  std::uint32_t head = 0;                               // last doorbell of the host
  std::uint32_t tail = 0;                               // next slot to fill
  std::uint32_t promised = 0;                           // slots promised or filled, and not yet consumed by the host
  std::uint32_t users = 0;                              // submission queues that complete here
  std::uint32_t waiting = kNone, waiting_last = kNone;  // completions without a slot, in order
  std::deque<std::uint32_t> entries;                    // completions under way into host memory that takes time

  [[nodiscard]] bool full() const { return promised == size - 1; }
  /// Entries from the head to position `to`.
  [[nodiscard]] std::uint32_t posted(std::uint32_t to) const { return to >= head ? to - head : size - head + to; }
  /// `value` names a head that the host may have reached.
  [[nodiscard]] bool takes_head(std::uint32_t value) const {
    return exists && value < size && posted(value) <= posted(tail);
  }
};

/// All queues, by identifier (0: the admin queue), and the arbiter among the I/O submission queues with entries.
class QueueSet {
 public:
  [[nodiscard]] SubmissionQueue& sq(std::uint32_t qid) { return sq_[qid]; }
  [[nodiscard]] const SubmissionQueue& sq(std::uint32_t qid) const { return sq_[qid]; }
  [[nodiscard]] CompletionQueue& cq(std::uint32_t qid) { return cq_[qid]; }
  [[nodiscard]] const CompletionQueue& cq(std::uint32_t qid) const { return cq_[qid]; }
  [[nodiscard]] bool any_io_cq() const {
    return std::any_of(cq_.begin() + 1, cq_.end(), [](const CompletionQueue& cq) { return cq.exists; });
  }

  [[nodiscard]] Arbiter& arbiter() { return arbiter_; }

  /// Completion queues are also those of the gates.
  void follow(CompletionGates& gates) { gates_ = &gates; }
  void add_cq(std::uint32_t qid, const CompletionQueue& cq) {
    cq_[qid] = cq;
    cq_[qid].exists = true;
    if (gates_ != nullptr) gates_->created(qid, cq.base, cq.size, cq.interrupts, cq.vector);
  }
  void remove_cq(std::uint32_t qid) {
    cq_[qid] = {};
    if (gates_ != nullptr) gates_->deleted(qid);
  }

  void remove_sq(std::uint32_t qid) {
    --cq_[sq_[qid].cq].users;
    sq_[qid] = {};
  }
  /// Controller reset: no queue exists.
  void clear() {
    cq_.fill({});
    sq_.fill({});
    arbiter_.reset();
    if (gates_ != nullptr) gates_->reset();
  }

 private:
  std::array<SubmissionQueue, kMaxIoQueues + 1> sq_;
  std::array<CompletionQueue, kMaxIoQueues + 1> cq_;
  Arbiter arbiter_;
  CompletionGates* gates_ = nullptr;  // null: engines.model = model
};

}  // namespace wordline::host::nvme
