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

std::uint32_t AxiStreamBlock::next_wait() {
  // xorshift32
  waits_ ^= waits_ << 13;
  waits_ ^= waits_ >> 17;
  waits_ ^= waits_ << 5;
  return waits_;
}

AxiStreamBlock::Burst AxiStreamBlock::run(const std::uint64_t* in, unsigned beats, std::uint64_t* out, unsigned room,
                                          std::uint64_t limit) {
  Burst burst{0, 0, 0, false};
  set_output_ready(room > 0);
  bool kept = false;  // offered, and not taken: it stays
  while (burst.clocks < limit && (burst.beats_in < beats || busy())) {
    bool offered = burst.beats_in < beats;
    if (waits_ != 0) {
      const std::uint32_t wait = next_wait();
      if (offered && !kept && wait % 16 == 0) {
        nothing_offered();
        offered = false;
      }
      set_output_ready(room > 0 && wait / 16 % 8 != 0);
    }
    if (offered) offer(in[burst.beats_in], burst.beats_in + 1 == beats);
    settle();
    const bool moved_in = offered && input_ready();
    const bool moved_out = *pins_.m_axis_tready != 0 && output_valid();
    kept = offered && !moved_in;
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
  settle();
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
