// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/lookup_engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::engines {

namespace regs = registers::engines;

LookupEngine::LookupEngine(const config::Config& config, BlockContext& block, const MapReader& map,
                           sc_core::sc_port<tlm_if::DramIf>& dram)
    : Engine(EngineId::kL2p, config.engines, block),
      tags_(config.nvme.tags),
      map_(map),
      dram_(dram),
      gates_(is_in_gates(config.engines, EngineId::kL2p) ? std::make_unique<LookupGates>() : nullptr) {
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
  if (gates_ != nullptr) return look_up_in_gates(tag, lpn, pages, bursts * MapReader::kBurstBytes);
  const Picoseconds begun = pipeline_.begin(block_.now(), block_.now());
  return pipeline_.end(dram_->reserve(begun, bursts * MapReader::kBurstBytes));
}

LookupGates::Lookup LookupEngine::in_gates(const rtl::L2pLookup::Request& request) {
  const EngineRegisters& words = block_.registers;
  const LookupGates::Tables tables{{words[regs::map_base], words[regs::map_lpages], words[regs::map_initial] != 0,
                                    words[regs::lookups], words[regs::lpage_states]},
                                   map_,
                                   states_,
                                   answers_};
  try {
    const LookupGates::Lookup lookup = gates_->run(tables, request);
    pipeline_.add_clocks(lookup.clocks);
    return lookup;
  } catch (const std::runtime_error& error) {
    block_.error(fmt::format("engines.model = rtl: lookup of logical page {} + {}, {}", request.lpn, request.lpages,
                             error.what()));
    return {};
  }
}

/// One clock of them is DRAM's, whose time its port has.
Picoseconds LookupEngine::look_up_in_gates(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages,
                                           std::uint64_t bytes) {
  const wl_lookup expected = answers_[tag];
  const LookupGates::Lookup lookup = in_gates({false, tag, lpn, pages});
  for (std::uint32_t i = 0; i < std::min(pages, WL_LOOKUP_LPAGES); ++i) {
    if (answers_[tag].value[i] == expected.value[i] && answers_[tag].changes[i] == expected.changes[i]) continue;
    block_.error(fmt::format(
        "engines.model = rtl: lookup of logical page {}: the gates answer {:x} and {} changes, expected {:x} "
        "and {}",
        lpn + i, answers_[tag].value[i], answers_[tag].changes[i], expected.value[i], expected.changes[i]));
  }
  const auto time = [](std::uint64_t clocks) { return kGateClock * static_cast<std::int64_t>(clocks); };
  const Picoseconds begun = pipeline_.begin(block_.now(), block_.now(), time(lookup.interval));
  return pipeline_.end(dram_->reserve(begun, bytes), time(lookup.clocks - 1));
}

void LookupEngine::write_begins(std::uint32_t lpn, std::uint32_t pages) {
  if (gates_ != nullptr) {
    static_cast<void>(in_gates({true, 0, lpn, pages}));
    return;
  }
  for (std::uint32_t i = 0; i < pages; ++i) {
    wl_lpage_state& state = states_[(lpn + i) % WL_LPAGE_STATES];
    state.opened = state.opened + 1;
  }
}

}  // namespace wordline::engines
