// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The ports of a command parser by name, and the structs that stand for them: of a Verilated model, and of
/// a block of the user's own.
#pragma once

#include <cstdint>

#include "rtl/verilated/parse.h"

namespace wordline::rtl {

struct ParsePins {
  using Ports = ParsePorts;

  template <class Top>
  static void drive(Top& top, const ParsePorts::Inputs& inputs) {
    top.namespace_table_i = inputs.settings.namespace_table;
    top.max_blocks_i = inputs.settings.max_blocks;
    top.lpage_shift_i = static_cast<std::uint8_t>(inputs.settings.lpage_shift);
    top.cmb_i = inputs.settings.cmb ? 1 : 0;
    top.cmb_first_i = inputs.settings.cmb_first;
    top.cmb_pages_i = inputs.settings.cmb_pages;
    top.entry_valid_i = inputs.entry_valid ? 1 : 0;
    top.entry_tag_i = inputs.tag;
    for (unsigned i = 0; i < inputs.entry.size(); ++i) top.entry_i[i] = inputs.entry[i];
    top.mem_ready_i = inputs.mem_ready ? 1 : 0;
    top.mem_answer_i = inputs.mem_answer ? 1 : 0;
    top.mem_error_i = inputs.mem_error ? 1 : 0;
    top.mem_rdata_i = inputs.mem_rdata;
    top.answer_ready_i = inputs.answer_ready ? 1 : 0;
  }

  template <class Top>
  static ParsePorts::Outputs seen(const Top& top) {
    ParsePorts::Outputs out;
    out.entry_ready = top.entry_ready_o != 0;
    out.mem_valid = top.mem_valid_o != 0;
    out.mem_address = top.mem_address_o;
    out.answer_valid = top.answer_valid_o != 0;
    ParsePorts::Answer& answer = out.answer;
    answer.tag = top.answer_tag_o;
    answer.status = top.answer_status_o;
    answer.op = top.answer_op_o;
    answer.way = top.answer_way_o;
    answer.fua = top.answer_fua_o != 0;
    answer.first = top.answer_first_o;
    answer.blocks = top.answer_blocks_o;
    answer.lpn = top.answer_lpn_o;
    answer.lpages = top.answer_lpages_o;
    answer.ranges = top.answer_ranges_o;
    answer.pages = top.answer_pages_o;
    answer.sgl = top.answer_sgl_o != 0;
    answer.hints = top.answer_hints_o != 0;
    out.busy = top.busy_o != 0;
    return out;
  }
};

}  // namespace wordline::rtl
