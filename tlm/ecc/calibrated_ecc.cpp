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

EccIf::Result CalibratedEcc::decode(Picoseconds arrive, const unsigned* bit_errors, unsigned codewords,
                                    std::uint64_t key) {
  Result result{arrive, 0};
  for (unsigned i = 0; i < codewords; ++i) {
    const Outcome outcome = decoder_->decode(bit_errors[i], keyed_hash(key, i));
    const Picoseconds start = std::max(arrive, free_);
    const Picoseconds held = cycles_time(std::max(outcome.cycles, kStreamCycles), clock_);
    free_ = start + held;
    busy_.add(held);
    const std::uint64_t latency = outcome.cycles + (outcome.ok ? kStreamCycles : 0U);
    result.done = std::max(result.done, start + cycles_time(latency, clock_));
    if (outcome.ok) {
      ++counters_.decoded[static_cast<std::size_t>(outcome.tier)];
      counters_.bit_errors += bit_errors[i];
    } else {
      ++counters_.failed;
      ++result.failed;
    }
  }
  return result;
}

std::shared_ptr<const CalibratedDecoder> decoder_of(const config::Ecc& config) {
  return config.table.empty() ? std::make_shared<const CalibratedDecoder>()
                              : std::make_shared<const CalibratedDecoder>(load_table(config.table));
}

}  // namespace wordline::ecc
