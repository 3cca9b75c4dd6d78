// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/victim_gates.h"

#include <fmt/core.h>

#include <cstring>
#include <stdexcept>

namespace wordline::engines {

VictimGates::Search VictimGates::search(const Tables& tables, std::uint32_t from) {
  const rtl::VictimSelector::Settings& registers = tables.registers;
  const std::uint64_t bytes = std::uint64_t{registers.superblocks} * registers.superblock_stride;
  Search search{0, {tables.done, WL_LPN_NONE}};
  rtl::VictimSelector::Inputs in;
  in.settings = registers;
  in.search = true;
  in.search_from = from;
  in.memory.ready = true;
  for (;; ++search.clocks) {
    const rtl::VictimSelector::Outputs out = gates_.outputs();
    if (out.irq) break;
    if (out.refused || out.failed || search.clocks > 4 * bytes + 1000)
      throw std::runtime_error(fmt::format("clock {}: the gates do not end the search", search.clocks));
    gates_.clock(in);
    in.search = false;
    in.memory.answer = out.memory.valid;
    if (!out.memory.valid) continue;
    const std::uint32_t offset = out.memory.address - registers.superblock_table;
    const bool of_answer = out.memory.address - registers.victim < sizeof(wl_victim);
    if (of_answer && out.memory.write) {
      if (out.memory.address == registers.victim) {
        search.answer.done = out.memory.wdata;
      } else {
        search.answer.superblock = out.memory.wdata;
      }
    } else if (of_answer) {
      in.memory.rdata = search.answer.done;
    } else if (!out.memory.write && offset + sizeof in.memory.rdata <= bytes) {
      std::memcpy(&in.memory.rdata, tables.superblocks + offset, sizeof in.memory.rdata);
    } else {
      throw std::runtime_error(fmt::format("clock {}: an access at {:x}", search.clocks, out.memory.address));
    }
  }
  in.memory.answer = false;
  gates_.clock(in);  // idle again
  return search;
}

}  // namespace wordline::engines
