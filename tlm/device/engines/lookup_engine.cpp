// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/lookup_engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace wordline::engines {

namespace regs = registers::engines;

LookupEngine::LookupEngine(const config::Config& config, BlockContext& block, const MapReader& map,
                           sc_core::sc_port<tlm_if::DramIf>& dram)
    : Engine(EngineId::kL2p, config.engines, block),
      tags_(config.nvme.tags),
      map_(map),
      dram_(dram),
      gates_(Gates::make(config.engines, EngineId::kL2p, block.recorder)) {
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

LookupEngine::Right LookupEngine::right(std::uint32_t lpn, std::uint32_t count) const {
  Right right{{}, false};
  for (std::uint32_t i = 0; i < count; ++i) {
    right.answer.changes[i] = states_[(lpn + i) % WL_LPAGE_STATES].changes;
    right.answer.value[i] = map_.entry(lpn + i);
    right.written = right.written || is_written(lpn + i);
  }
  return right;
}

Picoseconds LookupEngine::look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t pages) {
  const std::uint32_t count = std::min(pages, WL_LOOKUP_LPAGES);
  looked_up_ += count;
  constexpr std::uint32_t kEntries = MapReader::kEntriesPerBurst;
  const std::uint64_t bursts = (lpn + count - 1) / kEntries - lpn / kEntries + 1;
  const std::uint64_t bytes = bursts * MapReader::kBurstBytes;
  if (recording_ != nullptr) keep({false, tag, lpn, pages});
  const Times times = gates_ == nullptr ? modelled(count, bursts) : of_gates(in_gates({false, tag, lpn, pages}));
  if (gates_ == nullptr) answers_[tag] = right(lpn, count).answer;
  const Picoseconds begun = pipeline_.begin(block_.now(), block_.now(), times.interval);
  return pipeline_.end(dram_->reserve(begun, bytes), times.latency);
}

/// The keys have the times of one logical page; a lookup of more is as much longer as in the gates.
LookupEngine::Times LookupEngine::modelled(std::uint64_t lpages, std::uint64_t bursts) const {
  const LookupClocks clocks = lookup_clocks(lpages, bursts);
  const auto share = [](Picoseconds of_one, std::uint64_t of, std::uint64_t one) {
    return of_one * static_cast<std::int64_t>(of) / static_cast<std::int64_t>(one);
  };
  return {share(pipeline_.latency(), clocks.latency, kLookupOfOne.latency),
          share(pipeline_.interval(), clocks.interval, kLookupOfOne.interval)};
}

/// One clock of the gates' is DRAM's, whose time its port has.
LookupEngine::Times LookupEngine::of_gates(const LookupGates::Lookup& lookup) {
  const auto time = [](std::uint64_t clocks) { return kGateClock * static_cast<std::int64_t>(clocks); };
  return {time(lookup.clocks - 1), time(lookup.interval)};
}

LookupGates::Tables LookupEngine::tables(wl_lpage_state* states, wl_lookup* answer) const {
  const EngineRegisters& words = block_.registers;
  return {{words[regs::map_base], words[regs::map_lpages], words[regs::map_initial] != 0, words[regs::lookups],
           words[regs::lpage_states]},
          map_,
          states,
          answer};
}

LookupGates::Lookup LookupEngine::in_gates(const rtl::L2pPorts::Request& request) {
  LookupGates::Lookup lookup{1, 1, false, {}};  // what stands when it has failed
  const auto run = [&](LookupGates& gates, wl_lpage_state* counts, wl_lookup& answer, LookupGates::Lookup& found) {
    return request.write ? write_in(gates, request, counts, found) : read_in(gates, request, answer, found);
  };
  const std::string wrong = gates_->run(fmt::format("lookup of logical page {} + {}", request.lpn, request.lpages),
                                        [&](LookupGates& gates, Gates::Which which) {
                                          if (which == Gates::Which::kMeasured)
                                            return run(gates, states_, answers_[request.tag], lookup);
                                          // The one that is tried has memory of its own, since the measured one counts
                                          // in the drive's.
                                          std::vector<wl_lpage_state> copy;
                                          if (request.write) copy.assign(states_, states_ + WL_LPAGE_STATES);
                                          wl_lookup answer;
                                          LookupGates::Lookup tried{1, 1, false, {}};
                                          return run(gates, copy.data(), answer, tried);
                                        });
  pipeline_.add_clocks(lookup.clocks);
  if (!wrong.empty()) block_.error(wrong);
  return lookup;
}

/// A lookup of a read; "": what it finds is right. What the answer held before says nothing.
std::string LookupEngine::read_in(LookupGates& gates, const rtl::L2pPorts::Request& request, wl_lookup& answer,
                                  LookupGates::Lookup& lookup) const {
  const std::uint32_t count = std::min(request.lpages, WL_LOOKUP_LPAGES);
  const Right right = this->right(request.lpn, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    answer.value[i] = ~right.answer.value[i];
    answer.changes[i] = ~right.answer.changes[i];
  }
  lookup = gates.run(tables(states_, &answer), request);
  const std::string place = lookup.place.empty() ? "" : lookup.place + ": ";
  for (std::uint32_t i = 0; i < count; ++i) {
    if (answer.value[i] == right.answer.value[i] && answer.changes[i] == right.answer.changes[i]) continue;
    return fmt::format("{}logical page {} has map entry {:x}h and {} changes, expected {:x}h and {}", place,
                       request.lpn + i, answer.value[i], answer.changes[i], right.answer.value[i],
                       right.answer.changes[i]);
  }
  if (lookup.written == right.written) return {};
  return fmt::format("{}answer_written_o is {}, expected {}", place, lookup.written ? 1 : 0, right.written ? 1 : 0);
}

/// The counts of a write; "": they are right.
std::string LookupEngine::write_in(LookupGates& gates, const rtl::L2pPorts::Request& request, wl_lpage_state* states,
                                   LookupGates::Lookup& lookup) const {
  std::vector<wl_lpage_state> right(states, states + WL_LPAGE_STATES);
  count_opened(right.data(), request.lpn, request.lpages);
  lookup = gates.run(tables(states, nullptr), request);
  for (std::uint32_t i = 0; i < WL_LPAGE_STATES; ++i) {
    if (states[i].opened == right[i].opened) continue;
    return fmt::format("{}state {} counts {} writes that were begun, expected {}",
                       lookup.place.empty() ? "" : lookup.place + ": ", i, states[i].opened, right[i].opened);
  }
  return {};
}

void LookupEngine::count_opened(wl_lpage_state* states, std::uint32_t lpn, std::uint32_t pages) {
  for (std::uint32_t i = 0; i < pages; ++i) {
    wl_lpage_state& state = states[(lpn + i) % WL_LPAGE_STATES];
    state.opened = state.opened + 1;
  }
}

/// The request, what it finds, and what is right.
void LookupEngine::keep(const rtl::L2pPorts::Request& request) const {
  const rtl::L2pPorts::Settings registers = tables(nullptr, nullptr).registers;
  const std::uint32_t pages = std::min(request.lpages, request.write ? WL_LPAGE_STATES : WL_LOOKUP_LPAGES);
  std::vector<std::uint64_t> states, opened;
  std::vector<wl_lpage_state> after(states_, states_ + WL_LPAGE_STATES);
  if (request.write) count_opened(after.data(), request.lpn, request.lpages);
  for (std::uint32_t i = 0; i < pages; ++i) {
    const std::uint32_t at = (request.lpn + i) % WL_LPAGE_STATES;
    states.insert(states.end(), {states_[at].opened, states_[at].closed, states_[at].changes});
    opened.push_back(after[at].opened);
  }
  rtl::RecordedLine line;
  line.number("write", request.write ? 1 : 0)
      .number("tag", request.tag)
      .number("lpn", request.lpn)
      .number("lpages", request.lpages)
      .number("map_base", registers.map_base)
      .number("map_lpages", registers.map_lpages)
      .number("map_initial", registers.map_initial ? 1 : 0)
      .number("lookups", registers.lookups)
      .number("lpage_states", registers.lpage_states)
      .numbers("states", states);
  if (request.write) {
    recording_->add(line.numbers("opened", opened));
    return;
  }
  constexpr std::uint32_t kEntries = MapReader::kEntriesPerBurst;
  std::vector<std::uint64_t> map;
  for (std::uint32_t lpn = request.lpn / kEntries * kEntries; lpn < request.lpn + pages || lpn % kEntries != 0; ++lpn)
    map.push_back(lpn < registers.map_lpages ? map_.raw(lpn) : 0);
  const Right right = this->right(request.lpn, pages);
  line.numbers("map", map)
      .numbers("values", {right.answer.value, right.answer.value + pages})
      .numbers("changes", {right.answer.changes, right.answer.changes + pages})
      .number("written", right.written ? 1 : 0);
  recording_->add(line);
}

void LookupEngine::write_begins(std::uint32_t lpn, std::uint32_t pages) {
  if (recording_ != nullptr) keep({true, 0, lpn, pages});
  if (gates_ == nullptr) {
    count_opened(states_, lpn, pages);
  } else {
    static_cast<void>(in_gates({true, 0, lpn, pages}));
  }
}

}  // namespace wordline::engines
