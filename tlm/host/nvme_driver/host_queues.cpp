// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/nvme_driver/host_queues.h"

#include <fmt/format.h>

namespace wordline::host {
namespace {

std::uint32_t pages_for(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + HostMemory::kPageBytes - 1) / HostMemory::kPageBytes);
}

}  // namespace

void HostSubmissionQueue::create(std::uint16_t id, std::uint32_t entries) {
  id_ = id;
  entries_ = entries;
  address_ = memory_.allocate(pages_for(std::uint64_t{entries} * sizeof(nvme::SubmissionEntry)));
  tail_ = rung_tail_ = head_ = 0;
}

void HostSubmissionQueue::create_in_controller(std::uint16_t id, std::uint32_t entries, std::uint32_t offset,
                                               std::uint64_t address) {
  id_ = id;
  entries_ = entries;
  offset_ = offset;
  address_ = address;
  tail_ = rung_tail_ = head_ = 0;
}

void HostSubmissionQueue::push(const nvme::SubmissionEntry& entry) {
  if (offset_ != 0) {
    controller_.write(offset_ + tail_ * static_cast<std::uint32_t>(sizeof entry), &entry, sizeof entry);
  } else {
    memory_.write(address_ + std::uint64_t{tail_} * sizeof entry, &entry, sizeof entry);
  }
  tail_ = tail_ + 1 == entries_ ? 0 : tail_ + 1;
}

void HostSubmissionQueue::ring() {
  if (tail_ == rung_tail_) return;
  rung_tail_ = tail_;
  controller_.write(nvme::sq_tail_doorbell(id_), tail_);
}

void HostSubmissionQueue::controller_is_at(std::uint32_t head) {
  const auto behind = [this](std::uint32_t place) { return place >= head_ ? place - head_ : entries_ - head_ + place; };
  if (head < entries_ && behind(head) <= behind(rung_tail_)) {
    head_ = head;
    return;
  }
  SC_REPORT_ERROR("wordline/host",
                  fmt::format("a completion entry has {} as the head of submission queue {}, expected {} to {}", head,
                              id_, head_, rung_tail_)
                      .c_str());
}

void HostCompletionQueue::create(std::uint16_t id, std::uint32_t entries) {
  id_ = id;
  entries_ = entries;
  pages_ = pages_for(std::uint64_t{entries} * sizeof(nvme::CompletionEntry));
  address_ = memory_.allocate(pages_);
  head_ = rung_head_ = 0;
  phase_ = true;
}

void HostCompletionQueue::ring_head() {
  if (head_ == rung_head_) return;
  rung_head_ = head_;
  controller_.write(nvme::cq_head_doorbell(id_), head_);
}

void HostCompletionQueue::ring_head_of_many() {
  const std::uint32_t taken = head_ >= rung_head_ ? head_ - rung_head_ : entries_ - rung_head_ + head_;
  if (taken * 4 >= entries_) ring_head();
}

bool HostCompletionQueue::has_entry() const {
  nvme::CompletionEntry entry;
  return entries_ != 0 && memory_.read(address_ + std::uint64_t{head_} * sizeof entry, &entry, sizeof entry) &&
         nvme::phase_of(entry) == phase_;
}

bool HostCompletionQueue::take(nvme::CompletionEntry& entry) {
  if (entries_ == 0) {
    SC_REPORT_ERROR("wordline/host", "interrupt for a queue that does not exist yet");
    return false;
  }
  memory_.read(address_ + std::uint64_t{head_} * sizeof entry, &entry, sizeof entry);
  if (nvme::phase_of(entry) != phase_) {
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
