// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/completion_engine.h"

namespace wordline::engines {

CompletionEngine::CompletionEngine(const config::Config& config, BlockContext& block,
                                   sc_core::sc_port<tlm_if::HostCommandIf>& host,
                                   sc_core::sc_port<tlm_if::StageClockIf>& stages)
    : Engine(EngineId::kCompletion, config.engines, block), host_(host), stages_(stages) {}

Picoseconds CompletionEngine::send(const wl_host_job& run, Picoseconds ready) {
  return host_->send_data(run, pipeline_.run(block_.now(), ready));
}

void CompletionEngine::return_to_firmware(std::uint16_t tag) {
  host_->hand_over(tag, pipeline_.run(block_.now(), block_.now()), 0);
}

bool CompletionEngine::finish(const wl_flash_job& job, const wl_flash_completion& completion) {
  if (completion.status != WL_FLASH_OK) return false;
  const Picoseconds now = block_.now();
  stages_->mark(job.tag, tlm_if::Stage::kEngineDone, now);
  wl_host_job all{};
  all.op = WL_JOB_DMA_OUT;
  all.flags = WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY;
  all.tag = job.tag;
  all.count = job.count;
  all.slot = job.slot;
  send(all, now);
  return true;
}

}  // namespace wordline::engines
