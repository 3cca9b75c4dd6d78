// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/engines/l2p_lookup.sv, clock by clock: set the inputs, look at the outputs of this clock, which come from
/// registers, then clock(). A violated assertion of the block prints its text and throws SimulationStopped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "rtl/verilated/engine_ports.h"

namespace wordline::rtl {

struct L2pPorts {
  static constexpr unsigned kDepth = 16;
  static constexpr unsigned kTagBits = 11;
  using Words = std::array<std::uint32_t, 4>;  ///< 128 bits, the lowest word first

  /// The registers ENGINES that it reads.
  struct Settings {
    std::uint32_t map_base = 0, map_lpages = 0;
    bool map_initial = false;
    std::uint32_t lookups = 0, lpage_states = 0;
  };
  struct Request {
    bool write = false;
    std::uint16_t tag = 0;
    std::uint32_t lpn = 0, lpages = 0;
  };
  struct Inputs {
    Settings settings;
    bool request_valid = false;
    Request request;
    bool mem_ready = false, mem_answer = false, mem_error = false;
    Words mem_rdata{};
    bool dram_ready = false;
    bool beat_valid = false, beat_error = false;
    Words beat{};
    bool value_ready = false, answer_ready = false;
  };
  struct Answer {
    std::uint16_t tag = 0;
    bool refused = false, failed = false, written = false;
  };
  struct Outputs {
    bool request_ready = false;
    WordMemoryOut mem;
    bool dram_valid = false;
    std::uint32_t dram_address = 0;
    bool beat_ready = false;
    bool value_valid = false;
    std::uint32_t value_address = 0, value = 0;
    bool answer_valid = false;
    Answer answer;
    bool busy = false;
    std::uint32_t looked_up = 0;
  };
};

class L2pLookup final : public L2pPorts, public EngineDoor<L2pPorts> {
 public:
  L2pLookup();  ///< held in reset for two clocks, then ready
  ~L2pLookup() override;

  [[nodiscard]] Outputs outputs() const;
  void clock(const Inputs& inputs);
  Outputs step(const Inputs& inputs) override {
    const Outputs out = outputs();
    clock(inputs);
    return out;
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
