// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wordline {

/// "0x1f", with at least `digits` digits.
[[nodiscard]] inline std::string hex(std::uint64_t value, std::size_t digits = 1) {
  std::string out;
  for (; value != 0 || out.size() < digits; value >>= 4) out.insert(out.begin(), "0123456789abcdef"[value & 0xf]);
  return "0x" + out;
}

/// An address of the 32-bit bus: "0x0000001f".
[[nodiscard]] inline std::string hex_address(std::uint32_t address) { return hex(address, 8); }

}  // namespace wordline
