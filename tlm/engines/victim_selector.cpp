// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/engines/victim_selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace wordline::engines {

namespace regs = registers::engines;

VictimSelector::VictimSelector(const config::Config& config, BlockContext& block)
    : Engine(EngineId::kVictim, config.engines, block) {
  block.registers.command(regs::search, [this](std::uint32_t line, Picoseconds at) { begin(line, at); });
  block.registers.counter(regs::searched, searches_);
}

bool VictimSelector::enable(std::uint32_t set) {
  if (!is_in(set)) return true;
  const std::uint32_t stride = block_.registers[regs::line_stride], lines = block_.registers[regs::lines];
  if (lines == 0 || stride < sizeof(wl_line_head)) {
    block_.error(fmt::format("ENGINES.ENABLE with {} LINES of LINE_STRIDE {}, must be some of {} bytes or more", lines,
                             stride, sizeof(wl_line_head)));
    return false;
  }
  table_ = block_.table<std::byte>(regs::line_table, std::size_t{lines} * stride, "LINE_TABLE");
  answer_ = block_.table<wl_victim>(regs::victim, 1, "VICTIM");
  return table_ != nullptr && answer_ != nullptr;
}

void VictimSelector::begin(std::uint32_t from, Picoseconds at) {
  const std::uint32_t lines = block_.registers[regs::lines];
  if (!enabled() || end_ != kNever || from >= lines) {
    block_.error("ENGINES.SEARCH while a search runs, beyond the line table, or without the victim engine enabled");
    return;
  }
  const Picoseconds now = tlm_if::now();
  const std::size_t stride = block_.registers[regs::line_stride];
  std::uint32_t fewest = ~0U;
  Picoseconds last = at;
  found_ = WL_LPN_NONE;
  for (std::uint32_t i = 0, line = from; i != lines; ++i, line = line + 1 == lines ? 0 : line + 1) {
    wl_line_head head;
    std::memcpy(&head, table_ + line * stride, sizeof head);
    last = std::max(last, pipeline_.run(now, at));
    if (head.state != WL_LINE_SEARCHED || head.valid >= fewest) continue;
    fewest = head.valid;
    found_ = line;
  }
  ++searches_;
  end_ = last;
  block_.wake(end_);
}

bool VictimSelector::end(Picoseconds now) {
  if (end_ > now) return false;
  end_ = kNever;
  answer_->line = found_;
  answer_->done = answer_->done + 1;
  return true;
}

}  // namespace wordline::engines
