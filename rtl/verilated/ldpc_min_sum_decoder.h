// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_min_sum_decoder.sv. A codeword is 1 + soft_planes packets of 292 beats with the same request.
/// It sets pins and reads them; what the block does is in its own text.
#pragma once

#include <array>
#include <memory>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

class LdpcMinSumDecoder final : public AxiStreamBlock {
 public:
  static constexpr unsigned kBeats = 292;  ///< of 64 bits, in one packet
  static constexpr unsigned kMostIterations = 31;
  static constexpr unsigned kProfiles = 4;
  /// Channel magnitude, 0 to 7, of the symbol {rel1, rel0}.
  using LlrTable = std::array<std::uint8_t, 4>;

  struct Request {
    std::uint8_t tag = 0;
    std::uint8_t profile = 0;      // which table, 0 to 3
    std::uint8_t soft_planes = 0;  // packets after the hard bits, 0 to 2
  };

  LdpcMinSumDecoder();  ///< held in reset for two clocks, then ready; 20 iterations, profile 0 for hard bits, 1 three,
                        ///< 2 seven, 3 two reads
  ~LdpcMinSumDecoder() override;

  /// Both only while nothing is inside. Throw std::invalid_argument when a value does not fit its register.
  void set_max_iterations(unsigned iterations);
  void set_llr_table(unsigned profile, const LlrTable& table);

  void set_request(const Request& request);  ///< for the beats offered from now on
  void set_abort(bool abort);                ///< for the clocks from now on

  /// Of the codeword at the output.
  [[nodiscard]] std::uint8_t tag() const;
  [[nodiscard]] bool success() const;
  [[nodiscard]] bool aborted() const;
  [[nodiscard]] unsigned layers() const;

 private:
  void add_status(std::vector<StatusSignal>& signals) const override;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
