// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The outer check: catches a miscorrection, a word that satisfies every parity check but is not the one written.
/// It detects, it does not correct; a wrong word passes with probability 2^-32.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wordline::ecc {

/// CRC-32C (Castagnoli, reflected, as in RFC 3720). `crc` is the result over what came before, 0 at the start.
[[nodiscard]] std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t crc = 0);

/// The CRC of a codeword's 2048 user and 16 metadata bytes, seeded with the address they are stored under: it goes in
/// first, as 8 bytes little endian. So data that are right but belong elsewhere fail as well.
[[nodiscard]] std::uint32_t payload_crc(const std::uint8_t* user_and_metadata, std::uint64_t address);

/// True when the CRC in bytes 2064 to 2067 of a descrambled codeword (layout in ldpc_code.h) is the payload's.
[[nodiscard]] bool crc_holds(const std::uint8_t* codeword, std::uint64_t address);

}  // namespace wordline::ecc
