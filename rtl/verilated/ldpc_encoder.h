// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_encoder.sv.
/// It sets pins and reads them; what the block does is in its own text. The drive does not use it.
#pragma once

#include <memory>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

class LdpcEncoder final : public AxiStreamBlock {
 public:
  static constexpr unsigned kInformationBeats = 260;
  static constexpr unsigned kBeats = 292;

  LdpcEncoder();  ///< held in reset for two clocks, then ready
  ~LdpcEncoder() override;

 private:
  void add_status(std::vector<StatusSignal>& signals) const override;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
