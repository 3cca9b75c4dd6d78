// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/victim_selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace wordline::engines {

namespace regs = registers::engines;

VictimSelector::VictimSelector(const config::Config& config, BlockContext& block)
    : Engine(EngineId::kVictim, config.engines, block),
      gates_(Gates::make(config.engines, EngineId::kVictim, block.recorder)) {
  block.registers.command(regs::search, [this](std::uint32_t superblock, Picoseconds at) { begin(superblock, at); });
  block.registers.counter(regs::searched, searches_);
}

bool VictimSelector::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  const std::uint32_t stride = block_.registers[regs::superblock_stride],
                      superblocks = block_.registers[regs::superblocks];
  if (superblocks == 0 || stride < sizeof(wl_superblock_head)) {
    block_.error(
        fmt::format("ENGINES.ENABLE with {} SUPERBLOCKS of SUPERBLOCK_STRIDE {}, must be some of {} bytes or more",
                    superblocks, stride, sizeof(wl_superblock_head)));
    return false;
  }
  table_ = block_.table<std::byte>(regs::superblock_table, std::size_t{superblocks} * stride, "SUPERBLOCK_TABLE");
  answer_ = block_.table<wl_victim>(regs::victim, 1, "VICTIM");
  return table_ != nullptr && answer_ != nullptr;
}

void VictimSelector::begin(std::uint32_t from, Picoseconds at) {
  const std::uint32_t superblocks = block_.registers[regs::superblocks];
  if (!enabled() || end_ != kNever || from >= superblocks) {
    block_.error(
        "ENGINES.SEARCH while a search runs, beyond the superblock table, or without the victim selector enabled");
    return;
  }
  const Picoseconds now = block_.now();
  const std::size_t stride = block_.registers[regs::superblock_stride];
  std::uint32_t fewest = ~0U;
  Picoseconds last = at;
  found_ = WL_LPN_NONE;
  for (std::uint32_t i = 0, superblock = from; i != superblocks;
       ++i, superblock = superblock + 1 == superblocks ? 0 : superblock + 1) {
    wl_superblock_head head;
    std::memcpy(&head, table_ + superblock * stride, sizeof head);
    last = std::max(last, pipeline_.run(now, at));
    if (head.state != WL_SUPERBLOCK_SEARCHED || head.valid >= fewest) continue;
    fewest = head.valid;
    found_ = superblock;
  }
  ++searches_;
  end_ = last;
  if (recording_ != nullptr) keep(from);
  if (gates_ != nullptr) search_in_gates(from, at);
  block_.wake(end_);
}

/// The search, the heads of the superblocks, and what is right.
void VictimSelector::keep(std::uint32_t from) const {
  const EngineRegisters& words = block_.registers;
  const std::uint32_t superblocks = words[regs::superblocks], stride = words[regs::superblock_stride];
  std::vector<std::uint64_t> heads;
  for (std::uint32_t i = 0; i < superblocks; ++i) {
    std::uint32_t head[2];
    std::memcpy(head, table_ + std::size_t{i} * stride, sizeof head);
    heads.insert(heads.end(), {head[0], head[1]});
  }
  recording_->add(rtl::RecordedLine()
                      .number("from", from)
                      .number("superblock_table", words[regs::superblock_table])
                      .number("superblock_stride", stride)
                      .number("superblocks", superblocks)
                      .number("victim", words[regs::victim])
                      .number("done", answer_->done)
                      .numbers("heads", heads)
                      .number("superblock", found_));
}

/// "": what it finds is right.
std::string VictimSelector::search_in(VictimGates& gates, std::uint32_t from, VictimGates::Search& search) const {
  const EngineRegisters& words = block_.registers;
  const VictimGates::Tables tables{{true, words[regs::superblock_table], words[regs::superblock_stride],
                                    words[regs::superblocks], words[regs::victim]},
                                   table_,
                                   answer_->done};
  search = gates.search(tables, from);
  const std::uint32_t done = answer_->done + 1;
  if (search.answer.superblock == found_ && search.answer.done == done) return {};
  return fmt::format(
      "{}superblock {} with VICTIM.done {}, expected {} with {}", search.place.empty() ? "" : search.place + ": ",
      static_cast<std::int32_t>(search.answer.superblock), search.answer.done, static_cast<std::int32_t>(found_), done);
}

void VictimSelector::search_in_gates(std::uint32_t from, Picoseconds at) {
  VictimGates::Search search{}, tried{};
  const std::string wrong =
      gates_->run(fmt::format("search {}", searches_), [&](VictimGates& gates, Gates::Which which) {
        return search_in(gates, from, which == Gates::Which::kTried ? tried : search);
      });
  if (!wrong.empty() || search.clocks == 0) {  // what the model says stands
    if (!wrong.empty()) block_.error(wrong);
    return;
  }
  pipeline_.add_clocks(search.clocks);
  end_ = at + kGateClock * static_cast<std::int64_t>(search.clocks);
}

bool VictimSelector::end(Picoseconds now) {
  if (end_ > now) return false;
  end_ = kNever;
  answer_->superblock = found_;
  answer_->done = answer_->done + 1;
  return true;
}

}  // namespace wordline::engines
