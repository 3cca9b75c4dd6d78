// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/calibrated_ecc.h"

#include "models/units/keyed_random.h"

namespace wordline::ecc {

/// On codeword `i` of `read`. `key` is keyed by read and codeword. Inline: one call fewer for each codeword of a drive.
inline Decoder::Verdict CalibratedEcc::verdict(const LpageRead& read, unsigned i, std::uint64_t key) const {
  const Outcome outcome = read.soft ? decoder_->decode_soft(read.soft->reads, read.soft->counts[i], key)
                                    : decoder_->decode(read.errors[i], key);
  Verdict verdict;
  verdict.decoded = outcome.ok;
  verdict.tier = outcome.tier == Tier::kBitFlipping ? 1 : 2;
  verdict.cycles = verdict.tier_cycles = outcome.cycles;
  if (!read.soft && verdict.tier == 2) verdict.tier_cycles = decoder_->decode_min_sum(read.errors[i], key).cycles;
  return verdict;
}

CalibratedEcc::CalibratedEcc(const sc_core::sc_module_name& name, const config::Ecc& config,
                             std::shared_ptr<const CalibratedDecoder> decoder)
    : Decoder(name, config), decoder_(std::move(decoder)) {}

EccIf::Result CalibratedEcc::decode(const LpageRead& read) {
  const std::uint64_t lpage = keyed_hash(read.key);
  return decode_each(read, [&](unsigned i, Picoseconds) { return verdict(read, i, keyed_hash_on(lpage, i)); });
}

Decoder::Verdict CalibratedEcc::decode_codeword(const LpageRead& read, unsigned i) const {
  return verdict(read, i, keyed_hash(read.key, i));
}

std::shared_ptr<const CalibratedDecoder> decoder_of(const config::Ecc& config) {
  return config.table.empty() ? std::make_shared<const CalibratedDecoder>()
                              : std::make_shared<const CalibratedDecoder>(load_table(config.table));
}

}  // namespace wordline::ecc
