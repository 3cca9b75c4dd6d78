// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/engines/parse.sv, clock by clock: set the inputs, look at the outputs of this clock, which come from registers,
/// then clock(). A violated assertion of the block prints its text and throws SimulationStopped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "rtl/verilated/engine_ports.h"

namespace wordline::rtl {

struct ParsePorts {
  static constexpr unsigned kTagBits = 11;
  using Entry = std::array<std::uint32_t, 16>;  ///< dwords of a submission queue entry

  struct Settings {
    std::uint32_t namespace_table = 0;
    std::uint32_t max_blocks = 0;
    unsigned lpage_shift = 3;
    bool cmb = false;
    std::uint64_t cmb_first = 0;
    std::uint32_t cmb_pages = 0;
  };
  struct Inputs {
    Settings settings;
    bool entry_valid = false;
    std::uint16_t tag = 0;
    Entry entry{};
    bool mem_ready = false, mem_answer = false, mem_error = false;
    std::uint64_t mem_rdata = 0;
    bool answer_ready = false;
  };
  struct Answer {
    std::uint16_t tag = 0;
    std::uint16_t status = 0;
    std::uint8_t op = 0, way = 0;
    bool fua = false;
    std::uint64_t first = 0;
    std::uint32_t blocks = 0, lpn = 0, lpages = 0, ranges = 0, pages = 0;
    bool sgl = false, hints = false;
  };
  struct Outputs {
    bool entry_ready = false;
    bool mem_valid = false;
    std::uint32_t mem_address = 0;
    bool answer_valid = false;
    Answer answer;
    bool busy = false;
  };
};

class Parse final : public ParsePorts, public EngineDoor<ParsePorts> {
 public:
  Parse();  ///< held in reset for two clocks, then ready
  ~Parse() override;

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
