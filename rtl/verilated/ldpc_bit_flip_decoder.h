// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_bit_flip_decoder.sv.
/// It sets pins and reads them; what the block does is in its own text.
#pragma once

#include <memory>

#include "rtl/verilated/tier_decoders.h"

namespace wordline::rtl {

class LdpcBitFlipDecoder final : public Tier1Decoder {
 public:
  LdpcBitFlipDecoder();  ///< held in reset for two clocks, then ready; 20 iterations
  ~LdpcBitFlipDecoder() override;

  void set_max_iterations(std::uint8_t iterations) override;

 private:
  [[nodiscard]] std::uint32_t result() const override;
  void add_status(std::vector<StatusSignal>& signals) const override;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
