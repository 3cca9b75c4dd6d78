// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The decoder as a channel controller sees it.
/// Interface and messages only. Errors come as counts and places by key, not as bits: data of the drive are stamps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "models/ecc/code/codeword.h"
#include "models/ecc/decoders/soft_channel.h"
#include "models/nand/die.h"
#include "models/units/quantity.h"

namespace wordline::ecc {

/// Iterations after which each tier gives up.
struct IterationLimits {
  unsigned t1 = 20, t2 = 20;
  friend bool operator==(const IterationLimits& a, const IterationLimits& b) { return a.t1 == b.t1 && a.t2 == b.t2; }
};

/// What several reads say of the bits of a logical page.
struct SoftInput {
  unsigned reads = 0;  // 2, 3, 5 or 7
  LlrTable llr{};      // magnitude by region
  std::array<SoftCounts, kMostCodewords> counts{};
};

/// A logical page off the bus: its codewords, and how many of their bits are wrong; a decoder that works on bits
/// makes them from the content (models/ecc/decoders/codeword_bits.h).
struct LpageRead {
  Picoseconds arrive{};      // when its last bit arrives
  nand::StoredLpage stored;  // content and owner, as programmed
  std::uint64_t key = 0;  // names flash address, wear and read: outcome and places of the errors are a function of it
  /// Codewords to decode, as bits.
  unsigned codewords = (1U << kMostCodewords) - 1U;
  /// Wrong bits of each codeword in the hard read, or in the one in the middle of several.
  std::array<unsigned, kMostCodewords> errors{};
  IterationLimits iterations{};
  /// None: one hard read, which goes to tier 1, then to tier 2. Soft input goes to tier 2 at once.
  std::optional<SoftInput> soft{};

  [[nodiscard]] unsigned reads() const { return soft ? soft->reads : 1; }
};

/// What became of a codeword.
struct CodewordOutcome {
  bool decoded = false;          // every check of the code holds
  bool crc_ok = true;            // and so does the CRC
  std::uint8_t tier = 1;         // tier that gave the verdict: 1 or 2
  std::uint16_t iterations = 0;  // iterations of that tier, begun ones count
  std::uint16_t corrected = 0;   // bits, when decoded
  std::uint16_t weight = 0;      // rises with the errors at the input of tier 1; 0 with soft input
  [[nodiscard]] bool good() const { return decoded && crc_ok; }
};

class EccIf : virtual public sc_core::sc_interface {
 public:
  struct Result {
    Picoseconds begin;    // begin of the first codeword; before that the decoder worked for others
    Picoseconds done;     // verdict known and, when good, the data out of the decoder
    unsigned failed = 0;  // codewords that could not be decoded, as bits
    std::array<CodewordOutcome, kMostCodewords> codewords{};  // outcomes of the codewords asked for
  };

  /// Calls come in rising order of `read.arrive`.
  virtual Result decode(const LpageRead& read) = 0;
  /// Whether the decoder uses the reads of coming().
  [[nodiscard]] virtual bool works_ahead() const { return false; }
  /// The reads of the next calls of decode(), all of them and in their order. No result depends on this call.
  virtual void coming(const std::vector<LpageRead>& /*reads*/) {}
};

}  // namespace wordline::ecc
