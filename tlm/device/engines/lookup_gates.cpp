// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/lookup_gates.h"

#include <fmt/core.h>

#include <optional>
#include <stdexcept>

namespace wordline::engines {

void LookupGates::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: {}", gates_->place(clock_), what));
}

void LookupGates::write_answer(const Tables& tables, std::uint32_t address, std::uint32_t word) const {
  const std::uint32_t offset = address - tables.registers.lookups;
  if (in_.request.write || offset / sizeof(wl_lookup) != in_.request.tag || offset % 4 != 0)
    fail(fmt::format("a write at {:x}h", address));
  const std::uint32_t place = offset % sizeof(wl_lookup) / 4;
  wl_lookup& answer = *tables.answer;
  (place < WL_LOOKUP_LPAGES ? answer.value[place] : answer.changes[place - WL_LOOKUP_LPAGES]) = word;
}

void LookupGates::access(const Tables& tables, const rtl::WordMemoryOut& out) {
  const std::uint32_t offset = out.address - tables.registers.lpage_states;
  if (offset >= WL_LPAGE_STATES * sizeof(wl_lpage_state)) {
    if (!out.write) fail(fmt::format("a read at {:x}h", out.address));
    write_answer(tables, out.address, out.wdata);
    answers_.push_back({});
    return;
  }
  if (offset % sizeof(wl_lpage_state) != 0 || (out.write && !in_.request.write))
    fail(fmt::format("a {} at {:x}h", out.write ? "write" : "read", out.address));
  wl_lpage_state& state = tables.states[offset / sizeof(wl_lpage_state)];
  if (out.write) state.opened = out.wdata;
  answers_.push_back({state.opened, state.closed, state.changes, 0});
}

void LookupGates::burst(const Tables& tables, std::uint32_t address) {
  const std::uint32_t offset = address - tables.registers.map_base;
  if (offset % MapReader::kBurstBytes != 0 || offset / 4 >= tables.registers.map_lpages)
    fail(fmt::format("a burst at {:x}h", address));
  for (std::uint32_t beat = 0; beat < 4; ++beat) beats_.push_back(offset / 4 + beat * 4);
}

/// What is ready in this clock, and what comes in it. A beat that is offered stays.
void LookupGates::offer_inputs(const Tables& tables) {
  in_.mem_ready = waits_.pass();
  in_.dram_ready = waits_.pass();
  in_.value_ready = waits_.pass();
  in_.answer_ready = waits_.pass();
  in_.mem_answer = !answers_.empty() && waits_.pass();
  if (in_.mem_answer) {
    in_.mem_rdata = answers_.front();
    answers_.pop_front();
  }
  in_.beat_valid = !beats_.empty() && (in_.beat_valid || waits_.pass());
  for (unsigned i = 0; i < 4 && in_.beat_valid; ++i) {
    const std::uint32_t lpn = beats_.front() + i;
    in_.beat[i] = lpn < tables.registers.map_lpages ? tables.map.raw(lpn) : 0;
  }
}

/// What the gates have done in the clock.
void LookupGates::follow(const Tables& tables, const rtl::L2pPorts::Outputs& out) {
  if (out.mem.valid && in_.mem_ready) access(tables, out.mem);
  if (in_.beat_valid && out.beat_ready) {
    beats_.pop_front();
    in_.beat_valid = false;
  }
  if (out.dram_valid && in_.dram_ready) burst(tables, out.dram_address);
  if (out.value_valid && in_.value_ready) write_answer(tables, out.value_address, out.value);
}

LookupGates::Lookup LookupGates::run(const Tables& tables, const rtl::L2pPorts::Request& request) {
  in_ = {};
  in_.settings = tables.registers;
  in_.request_valid = true;
  in_.request = request;
  answers_.clear();
  beats_.clear();
  Lookup lookup{0, 0, false, {}};
  std::optional<std::uint64_t> answered;
  const std::uint64_t limit = 1'000'000 + std::uint64_t{100} * request.lpages;
  for (clock_ = 0;; ++clock_) {
    if (clock_ > limit) fail("the gates do not answer");
    offer_inputs(tables);
    const rtl::L2pPorts::Outputs out = gates_->step(in_);
    if (in_.request_valid) {
      in_.request_valid = !out.request_ready;
    } else if (out.request_ready && lookup.interval == 0) {
      lookup.interval = clock_;
    }
    follow(tables, out);
    if (out.answer_valid && in_.answer_ready) {
      answered = clock_;
      lookup.clocks = clock_;
      lookup.written = out.answer.written;
      if (gates_->settles()) lookup.place = gates_->place(clock_);
      if (out.answer.refused || out.answer.failed || out.answer.tag != request.tag)
        fail("the gates refuse the request");
    }
    if (answered && (!gates_->settles() || (!out.busy && clock_ > *answered))) break;
  }
  if (lookup.interval == 0) lookup.interval = lookup.clocks + 1;
  return lookup;
}

}  // namespace wordline::engines
