// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The ports of a victim selector by name, and the structs that stand for them: of a Verilated model, and of
/// a block of the user's own.
#pragma once

#include <cstdint>

#include "rtl/verilated/victim_selector.h"

namespace wordline::rtl {

struct VictimPins {
  using Ports = VictimPorts;

  template <class Top>
  static void drive(Top& top, const VictimPorts::Inputs& inputs) {
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
  }

  template <class Top>
  static VictimPorts::Outputs seen(const Top& top) {
    VictimPorts::Outputs out;
    out.memory = {top.mem_valid_o != 0, top.mem_write_o != 0, top.mem_address_o, top.mem_wdata_o};
    out.irq = top.irq_o != 0;
    out.refused = top.refused_o != 0;
    out.failed = top.failed_o != 0;
    out.busy = top.busy_o != 0;
    out.searched = top.searched_o;
    return out;
  }
};

}  // namespace wordline::rtl
