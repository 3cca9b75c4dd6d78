// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/code/crc32c.h"

#include <array>

#include "models/ecc/code/ldpc_code.h"

namespace wordline::ecc {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, reflected
constexpr unsigned kCrcOffset = kInformationBytes - 4;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t crc) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  crc = ~crc;
  for (std::size_t i = 0; i < size; ++i) crc = kTable[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t payload_crc(const std::uint8_t* user_and_metadata, std::uint64_t address) {
  std::array<std::uint8_t, 8> seed{};
  for (unsigned i = 0; i < 8; ++i) seed[i] = static_cast<std::uint8_t>(address >> (8 * i));
  return crc32c(user_and_metadata, kCrcOffset, crc32c(seed.data(), seed.size()));
}

bool crc_holds(const std::uint8_t* codeword, std::uint64_t address) {
  const std::uint32_t crc = payload_crc(codeword, address);
  for (unsigned i = 0; i < 4; ++i) {
    if (codeword[kCrcOffset + i] != static_cast<std::uint8_t>(crc >> (8 * i))) return false;
  }
  return true;
}

}  // namespace wordline::ecc
