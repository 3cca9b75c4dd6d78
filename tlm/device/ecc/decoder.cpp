// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/decoder.h"

namespace wordline::ecc {
Decoder::Decoder(const sc_core::sc_module_name& name, const config::Ecc& config)
    : sc_module(name), clock_(config.clock), period_(config.clock) {
  if (clock_.count() == 0) SC_REPORT_FATAL("wordline/ecc", "ecc.clock is 0: give the decoder a clock");
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
