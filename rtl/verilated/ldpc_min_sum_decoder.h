// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_min_sum_decoder.sv. A codeword is 1 + soft_planes packets of 292 beats with the same request.
/// It sets pins and reads them; what the block does is in its own text.
#pragma once

#include <memory>

#include "rtl/verilated/tier_decoders.h"

namespace wordline::rtl {

class LdpcMinSumDecoder final : public Tier2Decoder {
 public:
  LdpcMinSumDecoder();  ///< held in reset for two clocks, then ready; 20 iterations, profile 0 for hard bits, 1 three,
                        ///< 2 seven, 3 two reads
  ~LdpcMinSumDecoder() override;

 private:
  void drive(Pin pin, std::uint64_t value) override;
  [[nodiscard]] std::uint32_t result() const override;
  void add_status(std::vector<StatusSignal>& signals) const override;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
