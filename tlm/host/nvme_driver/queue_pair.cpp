// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/queue_pair.h"

#include <fmt/format.h>

namespace wordline::host {
namespace {

std::uint32_t pages_for(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + HostMemory::kPageBytes - 1) / HostMemory::kPageBytes);
}

}  // namespace

void QueuePair::create(std::uint16_t id, std::uint32_t entries) {
  id_ = id;
  entries_ = entries;
  sq_ = memory_.allocate(pages_for(std::uint64_t{entries} * sizeof(nvme::SubmissionEntry)));
  cq_ = memory_.allocate(pages_for(std::uint64_t{entries} * sizeof(nvme::CompletionEntry)));
  tail_ = rung_tail_ = head_ = rung_head_ = 0;
  phase_ = true;
}

void QueuePair::push(const nvme::SubmissionEntry& entry) {
  memory_.write(sq_ + std::uint64_t{tail_} * sizeof entry, &entry, sizeof entry);
  tail_ = tail_ + 1 == entries_ ? 0 : tail_ + 1;
}

void QueuePair::ring() {
  if (tail_ == rung_tail_) return;
  rung_tail_ = tail_;
  controller_.write(nvme::sq_tail_doorbell(id_), tail_);
}

void QueuePair::ring_head() {
  if (head_ == rung_head_) return;
  rung_head_ = head_;
  controller_.write(nvme::cq_head_doorbell(id_), head_);
}

bool QueuePair::has_entry() const {
  nvme::CompletionEntry entry;
  return entries_ != 0 && memory_.read(cq_ + std::uint64_t{head_} * sizeof entry, &entry, sizeof entry) &&
         nvme::phase_of(entry) == phase_;
}

bool QueuePair::take(nvme::CompletionEntry& entry) {
  if (entries_ == 0) {
    SC_REPORT_ERROR("wordline/host", "interrupt for a queue that does not exist yet");
    return false;
  }
  memory_.read(cq_ + std::uint64_t{head_} * sizeof entry, &entry, sizeof entry);
  if (nvme::phase_of(entry) != phase_ || entry.sq_id != id_) {
    SC_REPORT_ERROR(
        "wordline/host",
        fmt::format("interrupt of queue {} without a new completion entry at place {}", id_, head_).c_str());
    return false;
  }
  if (++head_ == entries_) {
    head_ = 0;
    phase_ = !phase_;
  }
  return true;
}

}  // namespace wordline::host
