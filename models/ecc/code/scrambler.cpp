// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/scrambler.h"

#include <array>

#include "models/ecc/code/crc32c.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t bits(unsigned n) { return (std::uint64_t{1} << n) - 1; }

}  // namespace

Scrambler::Scrambler(std::uint64_t address) {
  std::array<std::uint8_t, 8> bytes{};
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(address >> (8 * i));
  const std::uint32_t low = crc32c(bytes.data(), bytes.size());
  constexpr std::array<std::uint8_t, 4> kZeros{};
  const std::uint32_t high = crc32c(kZeros.data(), kZeros.size(), low);
  window_ = (std::uint64_t{high} << 32 | low) & bits(58);
  if (window_ == 0) window_ = 1;
}

std::uint64_t Scrambler::next() {
  std::uint64_t out = (window_ ^ window_ >> 19) & bits(39);
  out |= ((window_ >> 39 ^ out) & bits(19)) << 39;
  out |= (out ^ out >> 19) << 58;
  window_ = out >> 6;
  return out;
}

void scramble(std::uint8_t* bytes, std::size_t size, std::uint64_t address) {
  Scrambler scrambler(address);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 8 == 0) word = scrambler.next();
    bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ word >> (8 * (i % 8)));
  }
}

}  // namespace wordline::ecc
