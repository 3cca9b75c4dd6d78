// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/decoder.h"

#include <algorithm>

#include "models/ecc/code/ldpc_code.h"

namespace wordline::ecc {
namespace {

// Clocks of an iteration: one for each block column; two for each circulant.
constexpr std::uint32_t kTier1Iteration = kBlockColumns;
constexpr std::uint32_t kTier2Iteration = 2 * kCirculants;

/// Planes of reliability that come with the hard bits.
constexpr unsigned soft_planes(unsigned reads) { return reads == 1 ? 0 : reads <= 3 ? 1 : 2; }

}  // namespace

Decoder::Decoder(const sc_core::sc_module_name& name, const config::Ecc& config)
    : sc_module(name), clock_(config.clock), period_(config.clock) {
  if (clock_.count() == 0) SC_REPORT_FATAL("wordline/ecc", "ecc.clock is 0: give the decoder a clock");
}

EccIf::Result Decoder::decode(const LpageRead& read) {
  Result result{std::max(read.arrive, free_), read.arrive, 0, {}};
  const std::uint32_t load = kStreamCycles * (1 + soft_planes(read.reads));
  for (unsigned i = 0; i < kCodewordsPerLpage; ++i) {
    if ((read.codewords >> i & 1U) == 0) continue;
    const Picoseconds start = std::max(read.arrive, free_);
    const Verdict verdict = decode_codeword(read, i, start);
    const Picoseconds held = period_.of(std::max(verdict.cycles, load));
    free_ = start + held;
    busy_.add(held);
    const bool good = verdict.decoded && verdict.crc_ok;
    Picoseconds done = start + period_.of(verdict.cycles + (good ? std::uint64_t{kStreamCycles} : 0U));
    if (verdict.unload_latency != 0) {
      const Picoseconds begin = std::max(start + period_.of(verdict.cycles), stream_free_);
      stream_free_ = begin + period_.of(std::uint64_t{kStreamCycles} + verdict.unload_held);
      done = begin + period_.of(std::uint64_t{kStreamCycles} + verdict.unload_latency);
    }
    result.done = std::max(result.done, done);
    CodewordOutcome& codeword = result.codewords[i];
    codeword.decoded = verdict.decoded;
    codeword.crc_ok = verdict.crc_ok;
    codeword.tier = verdict.tier;
    const std::uint32_t iteration = verdict.tier == 1 ? kTier1Iteration : kTier2Iteration;
    codeword.iterations = static_cast<std::uint16_t>((verdict.tier_cycles + iteration - 2) / iteration);
    if (read.reads == 1) codeword.weight = static_cast<std::uint16_t>(read.errors[i]);
    if (good) {
      codeword.corrected = static_cast<std::uint16_t>(read.errors[i]);
      ++counters_.decoded[verdict.tier - 1U];
      counters_.bit_errors += read.errors[i];
    } else {
      ++(verdict.decoded ? counters_.miscorrected : counters_.failed);
      result.failed |= 1U << i;
    }
  }
  return result;
}

void Decoder::register_statistics(results::Registry& registry) const {
  const auto add = [&](const char* path, const char* unit, const char* text, const std::uint64_t& count) {
    registry.add_to_sum(path, unit, text, [&count] { return count; });
  };
  add("ecc.tier1", "codewords",
      "Codewords that tier 1 (bit flipping) decoded, of every read: first ones and retries. A logical page of 4 KiB is "
      "two codewords, one of 2 KiB one.",
      counters_.decoded[0]);
  add("ecc.tier2", "codewords", "Codewords that tier 2 (min-sum) decoded, with hard or soft input.",
      counters_.decoded[1]);
  add("ecc.failed", "codewords", "Decodings in which both tiers failed: read again, unless no attempt is left.",
      counters_.failed);
  add("ecc.miscorrected", "codewords", "Decodings whose result had a wrong CRC; treated as failed.",
      counters_.miscorrected);
  add("ecc.bit_errors_corrected", "bits", "Raw bit errors in the codewords that were decoded.", counters_.bit_errors);
}

}  // namespace wordline::ecc
