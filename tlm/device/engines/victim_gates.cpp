// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/victim_gates.h"

#include <fmt/core.h>

#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>

namespace wordline::engines {

void VictimGates::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: {}", gates_->place(clock_), what));
}

/// The word that is read, of a write anything.
std::uint32_t VictimGates::access(const Tables& tables, const rtl::WordMemoryOut& out, wl_victim& answer) const {
  const rtl::VictimPorts::Settings& registers = tables.registers;
  const std::uint64_t bytes = std::uint64_t{registers.superblocks} * registers.superblock_stride;
  const std::uint32_t offset = out.address - registers.superblock_table;
  const bool of_answer = out.address - registers.victim < sizeof(wl_victim) && out.address % 4 == 0;
  std::uint32_t word = 0;
  if (of_answer && out.write) {
    (out.address == registers.victim ? answer.done : answer.superblock) = out.wdata;
  } else if (of_answer) {
    word = out.address == registers.victim ? answer.done : answer.superblock;
  } else if (!out.write && offset + sizeof word <= bytes) {
    std::memcpy(&word, tables.superblocks + offset, sizeof word);
  } else {
    fail(fmt::format("a {} at {:x}h", out.write ? "write" : "read", out.address));
  }
  return word;
}

VictimGates::Search VictimGates::search(const Tables& tables, std::uint32_t from) {
  const std::uint64_t bytes = std::uint64_t{tables.registers.superblocks} * tables.registers.superblock_stride;
  Search search{0, {tables.done, WL_LPN_NONE}, {}};
  rtl::VictimPorts::Inputs in;
  in.settings = tables.registers;
  in.search = true;
  in.search_from = from;
  std::deque<std::uint32_t> answers;  // that are to come
  std::optional<std::uint64_t> ended;
  for (clock_ = 0;; ++clock_) {
    if (clock_ > 40 * bytes + 1'000'000) fail("the gates do not end the search");
    in.memory.ready = waits_.pass();
    in.memory.answer = !answers.empty() && waits_.pass();
    if (in.memory.answer) {
      in.memory.rdata = answers.front();
      answers.pop_front();
    }
    const rtl::VictimPorts::Outputs out = gates_->step(in);
    in.search = false;
    if (out.memory.valid && in.memory.ready) answers.push_back(access(tables, out.memory, search.answer));
    if (out.refused || out.failed) fail(fmt::format("the gates {} the search", out.refused ? "refuse" : "give up"));
    if (out.irq) {
      ended = search.clocks = clock_;
      if (gates_->settles()) search.place = gates_->place(clock_);
    }
    if (ended && (!gates_->settles() || (!out.busy && clock_ > *ended))) break;
  }
  return search;
}

}  // namespace wordline::engines
