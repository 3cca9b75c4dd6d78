// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/engines/victim_selector.sv, clock by clock: set the inputs, look at the outputs of this clock, which come from
/// registers, then clock(). A violated assertion of the block prints its text and throws SimulationStopped.
#pragma once

#include <cstdint>
#include <memory>

#include "rtl/verilated/engine_ports.h"

namespace wordline::rtl {

struct VictimPorts {
  /// The registers ENGINES that it reads.
  struct Settings {
    bool enable = false;
    std::uint32_t superblock_table = 0, superblock_stride = 0, superblocks = 0, victim = 0;
  };
  struct Inputs {
    Settings settings;
    bool search = false;
    std::uint32_t search_from = 0;
    WordMemoryIn memory;
  };
  struct Outputs {
    WordMemoryOut memory;
    bool irq = false, refused = false, failed = false, busy = false;
    std::uint32_t searched = 0;
  };
  static constexpr unsigned kIndexBits = 16;
  static constexpr unsigned kWordsUnderWay = 4;
};

class VictimSelector final : public VictimPorts, public EngineDoor<VictimPorts> {
 public:
  VictimSelector();  ///< held in reset for two clocks, then ready
  ~VictimSelector() override;

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
