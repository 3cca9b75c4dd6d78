// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Sizes of the code: QC-LDPC, 8x73 base matrix, Z = 256, column weight 4, n = 18688 shortened to 18592 bits. A
/// codeword is 2048 user bytes, 16 of metadata (owner), 4 of CRC-32C and 256 of parity; rate 0.89.
/// Numbers only; the code itself is ldpc_code.h.
#pragma once

#include "models/units/lpage_size.h"

namespace wordline::ecc {

inline constexpr unsigned kCodewordBytes = 2324;
inline constexpr unsigned kCodewordBits = kCodewordBytes * 8;
/// Of the largest logical page; one of 4 KiB has two (LpageSize).
inline constexpr unsigned kMostCodewords = LpageSize::kMaxCodewords;
/// Bytes that a logical page takes in a page and on the flash bus. `extra`: of each codeword, for the metadata of its
/// blocks.
[[nodiscard]] constexpr unsigned lpage_bytes_on_bus(LpageSize size, unsigned extra = 0) {
  return size.codewords() * (kCodewordBytes + extra);
}
/// Beats of the 64-bit stream into (or out of) the decoder; the padded code is 18688 bits.
inline constexpr unsigned kStreamCycles = 292;

}  // namespace wordline::ecc
