// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The last clocks of a block's pins, kept in memory at all times: when something is wrong the waveform is there, and
/// no second run is needed. Pins of at most 64 bits, as they are at each rising edge; nothing of the inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::rtl {

class PortWindow {
 public:
  struct Pin {
    std::string name;
    unsigned bits;
  };

  explicit PortWindow(std::vector<Pin> pins) : pins_(std::move(pins)), values_(kClocks * pins_.size()) {}

  /// Room for the values of the next clock, in the order of the pins.
  [[nodiscard]] std::uint64_t* next() { return &values_[clocks_++ % kClocks * pins_.size()]; }

  /// Writes a VCD of two steps a clock: clock N rises at 2 N + 1. Throws std::runtime_error that names the file.
  void write(const std::string& path, const std::string& scope) const;

  static constexpr std::uint64_t kClocks = 4096;  ///< about ten codewords

 private:
  std::vector<Pin> pins_;
  std::vector<std::uint64_t> values_;
  std::uint64_t clocks_ = 0;
};

}  // namespace wordline::rtl
