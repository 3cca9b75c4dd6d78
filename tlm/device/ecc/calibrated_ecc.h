// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The two tiers of the decoder as the statistics that `wordline calibrate ecc` measured on the bit-true decoders. The
/// magnitudes of soft input are those of the calibration, whatever LpageRead::llr says; miscorrections do not happen.
/// It decodes no bits: rtl_ecc.h does.
#pragma once

#include <memory>

#include "models/ecc/decoders/calibrated_decoder.h"
#include "tlm/device/ecc/decoder.h"

namespace wordline::ecc {

class CalibratedEcc : public Decoder {
 public:
  /// `decoder` is shared by the channels, see decoder_of().
  CalibratedEcc(const sc_core::sc_module_name& name, const config::Ecc& config,
                std::shared_ptr<const CalibratedDecoder> decoder);

  Result decode(const LpageRead& read) override;

 protected:
  [[nodiscard]] Verdict decode_codeword(const LpageRead& read, unsigned i) const;

 private:
  [[nodiscard]] Verdict verdict(const LpageRead& read, unsigned i, std::uint64_t key) const;

  std::shared_ptr<const CalibratedDecoder> decoder_;
};

/// The decoder statistics that `config.table` names, or the built-in ones.
[[nodiscard]] std::shared_ptr<const CalibratedDecoder> decoder_of(const config::Ecc& config);

}  // namespace wordline::ecc
