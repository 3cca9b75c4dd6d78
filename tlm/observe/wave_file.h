// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tlm/observe/wave_signal.h"

namespace wordline::observe {

/// Where a recorder writes: declare() first, then times in ascending order, each followed by the values that hold from
/// then on. Signals are known by their place in the list.
class WaveFile {
 public:
  virtual ~WaveFile() = default;
  virtual void declare(const std::vector<WaveSignal>& signals) = 0;
  virtual void time(std::uint64_t ps) = 0;
  virtual void bits(std::uint32_t signal, unsigned width, std::uint64_t value) = 0;
  /// Bits are x from here on. Only where there are several windows.
  virtual void unknown(std::uint32_t /*signal*/, unsigned /*width*/) {}
  virtual void real(std::uint32_t signal, double value) = 0;
  virtual void text(std::uint32_t signal, std::string_view value) = 0;
  /// Throws std::runtime_error naming the path when the file is not whole.
  virtual void close() = 0;
};

}  // namespace wordline::observe
