// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What firmware sets of the read-retry controller, and the sizes it is made for. Values only: nothing here checks them
/// (setting_registers.h cuts what comes from a register to its field).
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>

#include "models/ecc/decoders/min_sum_decoder.h"

namespace wordline::ecc {

inline constexpr unsigned kRetryCodewords = 128;  ///< codewords of one read: 16 planes of 8
/// What the controller counts as a logical page: 4 KiB. One of 2 KiB has the second place to itself, unused.
inline constexpr unsigned kRetryPair = 2;
/// Places in a CodewordMask of a logical page of so many codewords.
[[nodiscard]] constexpr unsigned retry_places(unsigned codewords) { return std::max(kRetryPair, codewords); }
inline constexpr unsigned kRetryTableSteps = 16;
inline constexpr unsigned kRetryTableReferences = 16;  ///< reference 1 to 15; 0 is unused, as in the die
inline constexpr unsigned kSoftLevels = 2;             ///< soft levels of the escalation
inline constexpr unsigned kAllSoftLevels = 4;          ///< and those that only a job asks for
inline constexpr std::array<unsigned, kAllSoftLevels + 1> kSoftReads{
    {1, 3, 7, 2, 5}};  ///< soft reads by soft level, 0 = hard

/// The level of `reads` reads; above kAllSoftLevels: there is none.
[[nodiscard]] constexpr unsigned soft_level_of(unsigned reads) {
  unsigned level = 0;
  while (level <= kAllSoftLevels && kSoftReads[level] != reads) ++level;
  return level;
}

using CodewordMask = std::bitset<kRetryCodewords>;
using ReferenceOffsets = std::array<std::int8_t, kRetryTableReferences>;

/// What firmware sets (registers ECC.*). May change while a read is under way, but for the tables and iterations.
struct RetrySettings {
  unsigned max_retries = 4;  ///< steps tried after the first, 0 to 16
  unsigned last_step = 7;    ///< last step of the retry table, 0 to 15
  unsigned max_soft = 2;     ///< highest soft level: 0 none, 1 three reads, 2 seven reads
  bool ort_enable = true;    ///< retries start from the ORT's entry
  bool ort_first = false;    ///< first reads too
  bool ort_levels = false;   ///< first reads start at the entry's soft level, too; not in gates
  bool ort_update = true;    ///< successes after retries are written
  unsigned t1_iterations = 20;
  unsigned t2_iterations = 20;
  std::array<ReferenceOffsets, kRetryTableSteps> table{};  ///< added to the die's own references of the step
  /// Distance of neighbouring soft reads by soft level - 1, 0 to 31. Registers hold those of the escalation.
  std::array<std::uint8_t, kAllSoftLevels> soft_delta{{10, 6, 12, 7}};
  std::array<LlrTable, kAllSoftLevels + 1> llr{{kHardLlr, kThreeReadLlr, kSevenReadLlr, kTwoReadLlr, kFiveReadLlr}};

  /// Errors made on purpose, to test what comes after.
  bool force_t1_fail = false;
  bool force_t2h_fail = false;
  bool force_t2s_fail = false;
  bool corrupt_crc = false;  ///< falsifies the CRC of the first codeword decoded in each read
  unsigned force_steps = 0;  ///< hard decoding fails until so many retries were taken
};

}  // namespace wordline::ecc
