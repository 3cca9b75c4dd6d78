// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/parity/parity_xor.sv, clock by clock. Set the inputs, look at ready and valid of this clock, then clock(): what
/// was both has moved. Outputs come from registers. A violated assertion of the block prints its text and throws
/// SimulationStopped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace wordline::rtl {

class ParityXor {
 public:
  static constexpr unsigned kWords = 4;
  /// A beat of 128 bits, the lowest word first.
  struct Beat {
    std::array<std::uint32_t, kWords> word{};
    bool last = false;
  };

  ParityXor();  ///< held in reset for two clocks, then ready
  ~ParityXor();
  ParityXor(const ParityXor&) = delete;
  ParityXor& operator=(const ParityXor&) = delete;

  void clock();
  void set_first(bool first);

  void offer_unit(const Beat& beat);  ///< until no_unit()
  void no_unit();
  [[nodiscard]] bool unit_ready() const;
  void offer_sum(const Beat& beat);  ///< until no_sum()
  void no_sum();
  [[nodiscard]] bool sum_ready() const;

  void set_output_ready(bool ready);
  [[nodiscard]] bool output_valid() const;
  [[nodiscard]] Beat output() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
