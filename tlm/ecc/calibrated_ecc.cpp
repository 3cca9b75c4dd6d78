// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/ecc/calibrated_ecc.h"

#include <algorithm>

#include "models/units/keyed_random.h"

namespace wordline::ecc {

CalibratedEcc::CalibratedEcc(const sc_core::sc_module_name& name, const config::Ecc& config,
                             std::shared_ptr<const CalibratedDecoder> decoder)
    : sc_module(name), clock_(config.clock), decoder_(std::move(decoder)) {
  if (clock_.count() == 0) SC_REPORT_FATAL("wordline/ecc", "ecc.clock is 0: give the decoder a clock");
}

EccIf::Result CalibratedEcc::decode(const SectorRead& read) {
  Result result{read.arrive, 0, {}};
  for (unsigned i = 0; i < kCodewordsPerSector; ++i) {
    if ((read.codewords >> i & 1U) == 0) continue;
    const Outcome outcome = decoder_->decode(read.errors[i], keyed_hash(read.key, i));
    const Picoseconds start = std::max(read.arrive, free_);
    const Picoseconds held = cycles_time(std::max(outcome.cycles, kStreamCycles), clock_);
    free_ = start + held;
    busy_.add(held);
    const std::uint64_t latency = outcome.cycles + (outcome.ok ? kStreamCycles : 0U);
    result.done = std::max(result.done, start + cycles_time(latency, clock_));
    CodewordOutcome& codeword = result.codewords[i];
    codeword.decoded = outcome.ok;
    codeword.tier = outcome.tier == Tier::kBitFlipping ? 1 : 2;
    codeword.weight = static_cast<std::uint16_t>(read.errors[i]);
    if (outcome.ok) {
      codeword.corrected = static_cast<std::uint16_t>(read.errors[i]);
      ++counters_.decoded[static_cast<std::size_t>(outcome.tier)];
      counters_.bit_errors += read.errors[i];
    } else {
      ++counters_.failed;
      result.failed |= 1U << i;
    }
  }
  return result;
}

std::shared_ptr<const CalibratedDecoder> decoder_of(const config::Ecc& config) {
  return config.table.empty() ? std::make_shared<const CalibratedDecoder>()
                              : std::make_shared<const CalibratedDecoder>(load_table(config.table));
}

}  // namespace wordline::ecc
