// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/ecc/calibrated_decoder.h"
#include "tlm/ecc/ecc_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::ecc {

/// The decoder of one channel: a reservation in front of the calibrated statistics.
///
/// The decoder is double buffered with a 64-bit stream in and out: it loads the next codeword from the bus while it
/// decodes one and unloads the one before. A codeword holds it for max(292, decode) cycles, from its arrival or from
/// the time the decoder is free; its data are out 292 cycles after the verdict. A failed codeword is not unloaded. Tier
/// 2 is this channel's own, and blocks tier 1 while it works (gap: a real controller shares it among channels and lets
/// good codewords overtake). Cycles of `ecc.clock`, rounded up to a picosecond per codeword.
class CalibratedEcc final : public sc_core::sc_module, public EccIf {
 public:
  /// `decoder` is shared by the channels, see decoder_of().
  CalibratedEcc(const sc_core::sc_module_name& name, const config::Ecc& config,
                std::shared_ptr<const CalibratedDecoder> decoder);

  Result decode(const SectorRead& read) override;

  struct Counters {
    std::array<std::uint64_t, 2> decoded{};  // codewords, by the tier that succeeded
    std::uint64_t failed = 0;                // codewords
    std::uint64_t bit_errors = 0;            // of decoded codewords: corrected
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }

 private:
  Hertz clock_;
  std::shared_ptr<const CalibratedDecoder> decoder_;
  Picoseconds free_{};
  Counters counters_;
  tlm_if::BusyCounter busy_;
};

/// The decoder statistics that `config.table` names, or the built-in ones.
[[nodiscard]] std::shared_ptr<const CalibratedDecoder> decoder_of(const config::Ecc& config);

}  // namespace wordline::ecc
