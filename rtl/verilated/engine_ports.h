// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Ports that the engines in gates (rtl/engines) have in common.
#pragma once

#include <cstdint>

namespace wordline::rtl {

/// A port to memory of 32-bit words: requests with valid and ready, answers in their order.
struct WordMemoryOut {
  bool valid = false, write = false;
  std::uint32_t address = 0;
  std::uint32_t wdata = 0;  // of a write
};
struct WordMemoryIn {
  bool ready = false;
  bool answer = false, error = false;
  std::uint32_t rdata = 0;
};

}  // namespace wordline::rtl
