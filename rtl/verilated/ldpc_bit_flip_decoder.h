// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_bit_flip_decoder.sv.
/// It sets pins and reads them; what the block does is in its own text.
#pragma once

#include <memory>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

class LdpcBitFlipDecoder final : public AxiStreamBlock {
 public:
  static constexpr unsigned kBeats = 292;  ///< of 64 bits, in one codeword

  LdpcBitFlipDecoder();  ///< held in reset for two clocks, then ready; 20 iterations
  ~LdpcBitFlipDecoder() override;

  void set_max_iterations(std::uint8_t iterations);

  [[nodiscard]] bool success() const;         ///< of the codeword at the output
  [[nodiscard]] unsigned iterations() const;  ///< of the codeword at the output

 private:
  void add_status(std::vector<StatusSignal>& signals) const override;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
