// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

AxiStreamBlock::~AxiStreamBlock() = default;

void AxiStreamBlock::clock() {
  pins_.clock(pins_.top);
  ++clocks_;
  if (observer_) observer_();
}

void AxiStreamBlock::reset() {
  nothing_offered();
  set_output_ready(false);
  *pins_.rst_n = 0;
  clock();
  clock();
  *pins_.rst_n = 1;
}

AxiStreamBlock::Burst AxiStreamBlock::run(const std::uint64_t* in, unsigned beats, std::uint64_t* out, unsigned room,
                                          std::uint64_t limit) {
  Burst burst{0, 0, 0, false};
  set_output_ready(room > 0);
  while (burst.clocks < limit && (burst.beats_in < beats || busy())) {
    if (burst.beats_in < beats) offer(in[burst.beats_in], burst.beats_in + 1 == beats);
    const bool moved_in = burst.beats_in < beats && input_ready();
    const bool moved_out = room > 0 && output_valid();
    if (moved_out) {
      out[burst.beats_out++] = output_data();
      burst.packet_out = output_last();
    }
    clock();
    ++burst.clocks;
    if (moved_in && ++burst.beats_in == beats) break;
    if (burst.packet_out || (moved_out && burst.beats_out == room)) break;
  }
  nothing_offered();
  set_output_ready(false);
  return burst;
}

std::vector<StatusSignal> AxiStreamBlock::status() const {
  std::vector<StatusSignal> signals{{"in_valid", 1, *pins_.s_axis_tvalid},
                                    {"in_ready", 1, *pins_.s_axis_tready},
                                    {"out_valid", 1, *pins_.m_axis_tvalid},
                                    {"out_ready", 1, *pins_.m_axis_tready},
                                    {"busy", 1, *pins_.busy}};
  add_status(signals);
  return signals;
}

}  // namespace wordline::rtl
