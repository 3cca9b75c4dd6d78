// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/engine_block.h"

#include <algorithm>

#include "models/engines/engine_set.h"

namespace wordline::engines {

namespace regs = registers::engines;

EngineBlock::EngineBlock(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                         const config::Config& config, const std::byte* dram_content, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      socket(
          "socket",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds&) {
            return context_.registers.read(offset, value);
          },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            return context_.registers.write(offset, value, context_.now() + delay);
          }),
      present_(engine_set(config.engines) & WL_ENGINES_BLOCK),
      wake_(context.alarms(), *this),
      context_(*this, memory, wake_, recorder),
      map_(dram_content, context_.registers),
      lookup_(config, context_, map_, dram),
      completion_(config, context_, host, stages),
      buffer_(config, context_, completion_),
      job_(config, context_, flash),
      copy_(config, context_, flash),
      scan_(config, context_, map_, dram, copy_),
      victim_(config, context_),
      quiescence_(context_, buffer_),
      reads_(config, context_, {lookup_, buffer_, job_, completion_, quiescence_}, host, stages),
      added_(AddedEngines::make(config, context_)) {
  for (const AddedEngine& engine : added_) parts_.push_back(engine.get());
  for (EnginePart* const part : parts_) {
    if (const auto* const engine = dynamic_cast<const Engine*>(part))
      engines_[static_cast<std::size_t>(engine->id())] = engine;
  }
  copy_.units_posted = [this] { scan_.go_on(context_.now()); };
  context_.registers.claim(regs::present, [this] { return present_; }, {});
  context_.registers.claim(
      regs::enable, [this] { return context_.enabled(); },
      [this](std::uint32_t set, Picoseconds) { enable(set & present_); });
}

void EngineBlock::enable(std::uint32_t set) {
  context_.enable(0);
  if (set == 0) return;
  const EngineRegisters& words = context_.registers;
  wl_geometry& geometry = context_.geometry;
  geometry = wl_geometry_of(words[regs::dies], words[regs::page_lpages], words[regs::unit_pages],
                            words[regs::superblock_units]);
  if (geometry.page_lpages == 0 || geometry.unit_pages == 0 || geometry.superblock_units == 0 || geometry.dies == 0) {
    context_.error("ENGINES.ENABLE before PAGE_SECTORS, UNIT_PAGES, SUPERBLOCK_UNITS and DIES are set");
    return;
  }
  if (std::all_of(parts_.begin(), parts_.end(), [set](EnginePart* part) { return part->enable(set); }))
    context_.enable(set);
}

void EngineBlock::alarm() {
  const Picoseconds now = context_.now();
  bool ended = false;
  for (EnginePart* const part : parts_) ended = part->end(now) || ended;
  if (ended) interrupt->raise(WL_IRQ_ENGINE);
  for (EnginePart* const part : parts_) part->go_on(now);
  Picoseconds next = kNever;
  for (const EnginePart* const part : parts_) next = std::min(next, part->next(now));
  if (next != kNever) context_.wake(next);
}

bool EngineBlock::completed(const wl_flash_job& job, const wl_flash_completion& completion) {
  if ((job.flags & WL_FLASH_ENGINE) == 0) return completion_.finish(job, completion);
  reads_.completed(job, completion.status == WL_FLASH_OK);
  return true;
}

}  // namespace wordline::engines
