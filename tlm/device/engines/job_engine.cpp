// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/job_engine.h"

#include <fmt/core.h>

#include "tlm/device/engines/flash_job_at.h"

namespace wordline::engines {

namespace regs = registers::engines;

JobEngine::JobEngine(const config::Config& config, BlockContext& block, sc_core::sc_port<tlm_if::FlashJobIf>& flash)
    : Engine(EngineId::kJob, config.engines, block), flash_(flash) {
  block.registers.command(regs::job_doorbell, [this](std::uint32_t produced, Picoseconds at) {
    doorbells_.add(at, produced);
    block_.wake(at);
  });
}

bool JobEngine::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  const std::uint32_t size = block_.registers[regs::job_ring_size];
  if (!tlm_if::is_ring_size(size)) {
    block_.error(fmt::format("ENGINES.ENABLE with JOB_RING_SIZE {}, must be a power of two", size));
    return false;
  }
  return block_.open(ring_, regs::job_ring_base, size, "JOB_RING_BASE");
}

void JobEngine::go_on(Picoseconds now) {
  doorbells_.deliver(now, [this](Picoseconds at, std::uint32_t produced) { take(at, produced); });
}

void JobEngine::take(Picoseconds at, std::uint32_t produced) {
  if (!enabled()) {
    block_.error("ENGINES.JOB_DOORBELL without the job engine enabled");
    return;
  }
  const bool fits = ring_.read_until(produced, [&](const wl_ppa_job& posted) {
    wl_flash_job job = flash_job_at(block_.geometry, posted.ppa);
    job.op = posted.op;
    job.priority = posted.priority;
    job.id = posted.id;
    job.tag = posted.tag;
    job.count = posted.count;
    job.slot = posted.slot;
    job.flags = posted.flags;
    job.control = posted.control;
    submit(job, at);
  });
  if (fits) return;
  block_.error(fmt::format("job doorbell {} with {} consumed overflows the ring of {} entries", produced,
                           ring_.consumed(), ring_.size()));
}

}  // namespace wordline::engines
