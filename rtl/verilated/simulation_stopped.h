// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// A Verilated block met $stop, as after a violated assertion, whose text is on standard output. The block that threw
/// cannot be clocked on.
#pragma once

#include <stdexcept>

namespace wordline::rtl {

class SimulationStopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace wordline::rtl
