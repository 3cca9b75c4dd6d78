// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/completion_ring.h"

#include <algorithm>
#include <string>

namespace wordline::flash {

CompletionRing::CompletionRing(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context)
    : sc_module(name), alarm_(context.alarms(), *this) {}

void CompletionRing::complete(Picoseconds at, const wl_flash_completion& completion, std::uint16_t tag,
                              const tlm_if::ReadMarks& marks, std::uint32_t& outstanding, const wl_flash_job& job) {
  const std::uint32_t index = pending_.acquire({completion, tag, marks, &outstanding, job});
  due_.push_back({at, order_++, index});
  std::push_heap(due_.begin(), due_.end());
  if (due_.front().pending == index) alarm_.set(at);
}

void CompletionRing::alarm() {
  const Picoseconds now = alarm_.now();
  bool written = false;
  while (!due_.empty() && due_.front().at <= now) {
    std::pop_heap(due_.begin(), due_.end());
    const std::uint32_t index = due_.back().pending;
    due_.pop_back();
    Pending done = pending_[index];
    pending_.release(index);
    --*done.outstanding;
    const bool marks = done.tag != WL_NO_TAG && stages.size() != 0;
    if (marks) stages->flash_read(done.tag, done.job.die, done.marks, (done.job.control & WL_RETRY_REST) != 0);
    if (done.job.op == WL_FLASH_READ && (done.job.flags & ~std::uint32_t{WL_FLASH_SUM}) != 0) {
      if (engines.size() == 0) {
        SC_REPORT_ERROR("wordline/flash", "a flash job has flags for engines that the drive does not have");
        continue;
      }
      const bool copy = (done.job.flags & WL_FLASH_COPY) != 0;
      if (copy ? engines->copy_read(done.job, done.completion) : engines->completed(done.job, done.completion))
        continue;
    }
    if (marks) stages->mark(done.tag, tlm_if::Stage::kQueueResume, now);
    written = write(done.completion) || written;
  }
  if (!due_.empty()) alarm_.set(due_.front().at);
  if (written) interrupt->raise(WL_IRQ_FLASH);
}

bool CompletionRing::write(const wl_flash_completion& completion) {
  if (!ring_.is_open()) {
    if (!tlm_if::is_ring_size(size_)) {
      const std::string text = "flash completion ring of " + std::to_string(size_) +
                               " entries: write a power of two to FLASH.COMPLETION_RING_SIZE before the first job";
      SC_REPORT_ERROR("wordline/flash", text.c_str());
      return false;
    }
    if (!ring_.open(*memory[0], base_, size_)) return false;  // reported by the memory
  }
  if (ring_.push(completion)) return true;
  const std::string text = "flash completion ring of " + std::to_string(size_) +
                           " entries is full: the firmware has more jobs outstanding than it sized the ring for";
  SC_REPORT_ERROR("wordline/flash", text.c_str());
  return false;
}

}  // namespace wordline::flash
