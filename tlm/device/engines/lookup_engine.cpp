// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/lookup_engine.h"

#include <algorithm>

namespace wordline::engines {

namespace regs = registers::engines;

LookupEngine::LookupEngine(const config::Config& config, BlockContext& block, const MapReader& map,
                           sc_core::sc_port<tlm_if::DramIf>& dram)
    : Engine(EngineId::kL2p, config.engines, block), tags_(config.nvme.tags), map_(map), dram_(dram) {
  block.registers.counter(regs::looked_up, looked_up_);
}

bool LookupEngine::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  const EngineRegisters& words = block_.registers;
  const std::uint64_t end = std::uint64_t{words[regs::map_base]} + words[regs::map_lpages] * std::uint64_t{4};
  if (words[regs::map_base] < WL_DRAM_BASE || end > std::uint64_t{WL_DRAM_BASE} + WL_DRAM_SIZE) {
    block_.error("ENGINES.ENABLE with a map that is not in DRAM");
    return false;
  }
  answers_ = block_.table<wl_lookup>(regs::lookups, tags_, "LOOKUPS");
  states_ = block_.table<wl_lpage_state>(regs::lpage_states, WL_LPAGE_STATES, "SECTOR_STATES");
  return answers_ != nullptr && states_ != nullptr;
}

Picoseconds LookupEngine::look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages) {
  const std::uint32_t count = std::min(pages, WL_LOOKUP_LPAGES);
  wl_lookup& answer = answers_[tag];
  for (std::uint32_t i = 0; i < count; ++i) {
    answer.changes[i] = states_[(lpn + i) % WL_LPAGE_STATES].changes;
    answer.value[i] = map_.entry(lpn + i);
  }
  looked_up_ += count;
  constexpr std::uint32_t kEntries = MapReader::kEntriesPerBurst;
  const std::uint64_t bursts = (lpn + count - 1) / kEntries - lpn / kEntries + 1;
  const Picoseconds begun = pipeline_.begin(block_.now(), block_.now());
  return pipeline_.end(dram_->reserve(begun, bursts * MapReader::kBurstBytes));
}

void LookupEngine::write_begins(std::uint32_t lpn, std::uint32_t pages) {
  for (std::uint32_t i = 0; i < pages; ++i) {
    wl_lpage_state& state = states_[(lpn + i) % WL_LPAGE_STATES];
    state.opened = state.opened + 1;
  }
}

}  // namespace wordline::engines
