// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The scrambler between CRC and encoder: cells need about as many ones as zeros, whatever the host writes.
///
/// An additive scrambler (its sequence does not depend on the data, so a wrong bit stays one wrong bit): the LFSR of
/// x^58 + x^39 + 1, the polynomial of Ethernet's 64b/66b code (IEEE 802.3, 49.2.6), which is primitive. Bit i of the
/// sequence is s[i] = s[i-39] ^ s[i-58] and is added to bit i of the codeword; parity, made of scrambled bits, is not
/// scrambled again.
///
/// The seed is s[-58] ... s[-1] = bits 0 ... 57 of {h2, h1}, h1 = CRC-32C of the address (8 bytes, little endian), h2 =
/// CRC-32C of the address and four zero bytes; 1 when all 58 bits are zero. h1 is where payload_crc() stands after the
/// address, so hardware has it from its CRC unit. Addresses that differ in the low 32 bits only have different seeds.
///
/// Hardware makes 64 bits a clock from the window w[0..57] = s[n-58..n-1]:
///   out[i] = w[i] ^ w[i+19] for i = 0..38;  w[i] ^ out[i-39] for i = 39..57;  out[i-58] ^ out[i-39] for i = 58..63;
/// and the next window is out[6..63].
/// Exact. Gap: it whitens, it is no encryption.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordline::ecc {

class Scrambler {
 public:
  explicit Scrambler(std::uint64_t address);
  /// The next 64 bits; bit 0 comes first.
  [[nodiscard]] std::uint64_t next();

 private:
  std::uint64_t window_;
};

/// Scrambles (or descrambles: the same) `size` bytes, lowest bit of a byte first.
void scramble(std::uint8_t* bytes, std::size_t size, std::uint64_t address);

}  // namespace wordline::ecc
