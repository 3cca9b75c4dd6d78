// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/victim_selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace wordline::engines {

namespace regs = registers::engines;

VictimSelector::VictimSelector(const config::Config& config, BlockContext& block)
    : Engine(EngineId::kVictim, config.engines, block) {
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
  block_.wake(end_);
}

bool VictimSelector::end(Picoseconds now) {
  if (end_ > now) return false;
  end_ = kNever;
  answer_->superblock = found_;
  answer_->done = answer_->done + 1;
  return true;
}

}  // namespace wordline::engines
