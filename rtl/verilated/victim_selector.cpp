// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/victim_selector.h"

#include "Vvictim_selector.h"
#include "Vvictim_selector___024root.h"
#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {

struct VictimSelector::Impl : VerilatedTop<Vvictim_selector> {};

VictimSelector::VictimSelector() : impl_(std::make_unique<Impl>()) {
  impl_->top.rst_ni = 0;
  clock({});
  clock({});
  impl_->top.rst_ni = 1;
}

VictimSelector::~VictimSelector() = default;

VictimSelector::Outputs VictimSelector::outputs() const {
  const Vvictim_selector& top = impl_->top;
  Outputs out;
  out.memory = {top.mem_valid_o != 0, top.mem_write_o != 0, top.mem_address_o, top.mem_wdata_o};
  out.irq = top.irq_o != 0;
  out.refused = top.refused_o != 0;
  out.failed = top.failed_o != 0;
  out.busy = top.busy_o != 0;
  out.searched = top.searched_o;
  return out;
}

void VictimSelector::clock(const Inputs& inputs) {
  Vvictim_selector& top = impl_->top;
  top.enable_i = inputs.settings.enable ? 1 : 0;
  top.superblock_table_i = inputs.settings.superblock_table;
  top.superblock_stride_i = inputs.settings.superblock_stride;
  top.superblocks_i = inputs.settings.superblocks;
  top.victim_i = inputs.settings.victim;
  top.search_i = inputs.search ? 1 : 0;
  top.search_from_i = inputs.search_from;
  top.mem_ready_i = inputs.memory.ready ? 1 : 0;
  top.mem_answer_i = inputs.memory.answer ? 1 : 0;
  top.mem_error_i = inputs.memory.error ? 1 : 0;
  top.mem_rdata_i = inputs.memory.rdata;
  top.eval();  // the checkers sample what is made of the inputs before the edge
  Impl::clock(&top);
}

}  // namespace wordline::rtl
