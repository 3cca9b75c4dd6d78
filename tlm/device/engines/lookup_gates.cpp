// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/lookup_gates.h"

#include <fmt/core.h>

#include <deque>
#include <stdexcept>

namespace wordline::engines {

void LookupGates::write_answer(const Tables& tables, std::uint32_t address, std::uint32_t word) const {
  const std::uint32_t offset = address - tables.registers.lookups;
  if (offset / sizeof(wl_lookup) != in_.request.tag)
    throw std::runtime_error(fmt::format("clock {}: a write at {:x}", clock_, address));
  wl_lookup& answer = tables.answers[in_.request.tag];
  const std::uint32_t place = offset % sizeof(wl_lookup) / 4;
  (place < WL_LOOKUP_LPAGES ? answer.value[place] : answer.changes[place - WL_LOOKUP_LPAGES]) = word;
}

void LookupGates::access(const Tables& tables, const rtl::WordMemoryOut& out) {
  const std::uint32_t offset = out.address - tables.registers.lpage_states;
  if (offset >= WL_LPAGE_STATES * sizeof(wl_lpage_state)) {
    if (!out.write) throw std::runtime_error(fmt::format("clock {}: a read at {:x}", clock_, out.address));
    write_answer(tables, out.address, out.wdata);
    return;
  }
  wl_lpage_state& state = tables.states[offset / sizeof(wl_lpage_state)];
  if (out.write) state.opened = out.wdata;
  in_.mem_rdata = {state.opened, state.closed, state.changes, 0};
}

LookupGates::Lookup LookupGates::run(const Tables& tables, const rtl::L2pLookup::Request& request) {
  in_ = {};
  in_.settings = tables.registers;
  in_.request_valid = true;
  in_.request = request;
  in_.mem_ready = in_.dram_ready = in_.value_ready = in_.answer_ready = true;
  std::deque<std::uint32_t> beats;  // the first map entry of each that is to come
  Lookup lookup{0, 0, false};
  for (clock_ = 0;; ++clock_) {
    if (clock_ > 1'000'000) throw std::runtime_error(fmt::format("clock {}: the gates do not answer", clock_));
    in_.beat_valid = !beats.empty();
    for (unsigned i = 0; i < 4 && in_.beat_valid; ++i) {
      const std::uint32_t lpn = beats.front() + i;
      in_.beat[i] = lpn < tables.registers.map_lpages ? tables.map.raw(lpn) : 0;
    }
    const rtl::L2pLookup::Outputs out = gates_.outputs();
    gates_.clock(in_);
    if (clock_ != 0 && out.request_ready && lookup.interval == 0) lookup.interval = clock_;
    if (clock_ == 0) in_.request_valid = false;
    in_.mem_answer = out.mem.valid;
    if (out.mem.valid) access(tables, out.mem);
    if (in_.beat_valid && out.beat_ready) beats.pop_front();
    if (out.dram_valid) {
      const std::uint32_t first = (out.dram_address - tables.registers.map_base) / 4;
      for (std::uint32_t beat = 0; beat < 4; ++beat) beats.push_back(first + beat * 4);
    }
    if (out.value_valid) write_answer(tables, out.value_address, out.value);
    if (!out.answer_valid) continue;
    lookup.clocks = clock_;
    lookup.written = out.answer.written;
    if (out.answer.refused || out.answer.failed || out.answer.tag != request.tag)
      throw std::runtime_error(fmt::format("clock {}: the gates refuse the request", clock_));
    break;
  }
  if (lookup.interval == 0) lookup.interval = clock_ + 1;
  return lookup;
}

}  // namespace wordline::engines
