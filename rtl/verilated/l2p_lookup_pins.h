// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The ports of an L2P lookup by name, and the structs that stand for them: of a Verilated model, and of
/// a block of the user's own.
#pragma once

#include <cstdint>

#include "rtl/verilated/l2p_lookup.h"

namespace wordline::rtl {

struct L2pPins {
  using Ports = L2pPorts;

  template <class Top>
  static void drive(Top& top, const L2pPorts::Inputs& inputs) {
    top.map_base_i = inputs.settings.map_base;
    top.map_lpages_i = inputs.settings.map_lpages;
    top.map_initial_i = inputs.settings.map_initial ? 1 : 0;
    top.lookups_i = inputs.settings.lookups;
    top.lpage_states_i = inputs.settings.lpage_states;
    top.request_valid_i = inputs.request_valid ? 1 : 0;
    top.request_write_i = inputs.request.write ? 1 : 0;
    top.request_tag_i = inputs.request.tag;
    top.request_lpn_i = inputs.request.lpn;
    top.request_lpages_i = inputs.request.lpages;
    top.mem_ready_i = inputs.mem_ready ? 1 : 0;
    top.mem_answer_i = inputs.mem_answer ? 1 : 0;
    top.mem_error_i = inputs.mem_error ? 1 : 0;
    top.dram_ready_i = inputs.dram_ready ? 1 : 0;
    top.beat_valid_i = inputs.beat_valid ? 1 : 0;
    top.beat_error_i = inputs.beat_error ? 1 : 0;
    for (unsigned i = 0; i < 4; ++i) {
      top.mem_rdata_i[i] = inputs.mem_rdata[i];
      top.beat_i[i] = inputs.beat[i];
    }
    top.value_ready_i = inputs.value_ready ? 1 : 0;
    top.answer_ready_i = inputs.answer_ready ? 1 : 0;
  }

  template <class Top>
  static L2pPorts::Outputs seen(const Top& top) {
    L2pPorts::Outputs out;
    out.request_ready = top.request_ready_o != 0;
    out.mem = {top.mem_valid_o != 0, top.mem_write_o != 0, top.mem_address_o, top.mem_wdata_o};
    out.dram_valid = top.dram_valid_o != 0;
    out.dram_address = top.dram_address_o;
    out.beat_ready = top.beat_ready_o != 0;
    out.value_valid = top.value_valid_o != 0;
    out.value_address = top.value_address_o;
    out.value = top.value_o;
    out.answer_valid = top.answer_valid_o != 0;
    out.answer = {top.answer_tag_o, top.answer_refused_o != 0, top.answer_failed_o != 0, top.answer_written_o != 0};
    out.busy = top.busy_o != 0;
    out.looked_up = top.looked_up_o;
    return out;
  }
};

}  // namespace wordline::rtl
