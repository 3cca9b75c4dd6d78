// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The bits of a stored codeword, made on demand from what the drive keeps of a logical page, and what a read returns
/// of them.
///
/// A logical page has a codeword for each 2 KiB (layout in ldpc_code.h): user data of four 512-byte blocks, 16 bytes of
/// metadata (address, 8 bytes little endian; number of the codeword; 7 bytes of zeros), CRC-32C, all of it scrambled,
/// parity. The address is whatever the drive finds the logical page by (its logical page number); codeword_address()
/// seeds CRC and scrambler, so right data of another logical page, or another codeword, fail.
/// A block's data: zeros for a zero stamp, else the stamp in the first 8 bytes and 63 hashes of it, little endian.
/// Gap: errors are in uniform, independent places (no weak bit lines, no neighbours).
#pragma once

#include <array>
#include <cstdint>

#include "models/data/stamp.h"
#include "models/ecc/code/ldpc_code.h"
#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/ecc/decoders/soft_channel.h"

namespace wordline::ecc {

using CodewordBytes = std::array<std::uint8_t, kCodewordBytes>;

/// Of no two codewords the same. Logical page numbers have 32 bits.
[[nodiscard]] constexpr std::uint64_t codeword_address(std::uint64_t address, unsigned codeword) {
  return std::uint64_t{codeword >> 1} << 60 | address << 1 | (codeword & 1U);
}

/// User data and metadata in the first 2064 bytes, as the host wrote them; the rest is zero.
[[nodiscard]] CodewordBytes payload_of(const data::LpageStamps& blocks, std::uint64_t address, unsigned codeword);

/// CRC, scrambler and encoder: completes a codeword from its first 2064 bytes, to what lies in the page.
void encode_codeword(CodewordBytes& codeword, std::uint64_t codeword_address);

/// The way back after decoding: descrambles in place; true when the CRC holds.
[[nodiscard]] bool open_codeword(CodewordBytes& codeword, std::uint64_t codeword_address);

/// payload_of() and encode_codeword(), as the decoder's bits.
[[nodiscard]] CodeBits make_codeword(const data::LpageStamps& blocks, std::uint64_t address, unsigned codeword);
[[nodiscard]] inline CodeBits make_codeword(const data::TokenPool& pool, data::LpageToken token, std::uint64_t address,
                                            unsigned codeword) {
  return make_codeword(pool.expand(token), address, codeword);
}

/// One codeword as it comes from the flash: the centre read, and each bit's region as {rel1, rel0}.
struct ReadBits {
  CodeBits hard;
  CodeBits rel0{};
  CodeBits rel1{};
};

/// A codeword with exactly `errors` wrong bits.
///
/// `key` orders the cells of the codeword from the one furthest on the wrong side to the one furthest on the right side
/// (of those that matter); the first `errors` are wrong. So two reads with the same key differ by as many bits as their
/// counts do, and a soft read agrees with the hard read of as many errors. Key by flash address and erase count to let
/// errors last, by the read as well for errors that are drawn anew.
/// Accuracy: places are uniform and independent (no weak bit lines, no neighbours).
[[nodiscard]] ReadBits read_codeword(const CodeBits& written, unsigned errors, std::uint64_t key);

/// A read with bit errors by region: from the wrong side's outermost region over the weak ones to the right side's.
[[nodiscard]] ReadBits read_codeword(const CodeBits& written, const SoftLevel& level, const SoftCounts& counts,
                                     std::uint64_t key);

}  // namespace wordline::ecc
