// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace wordline::rtl {

/// rtl/ldpc/ldpc_bit_flip_decoder.sv, clock by clock. Set the inputs, look at the ready and valid of this clock, then
/// clock(): what was both ready and valid has moved. Outputs come from registers, so inputs do not change them before
/// clock(). A violated assertion of the block prints its text and throws SimulationStopped.
class LdpcBitFlipDecoder {
 public:
  static constexpr unsigned kBeats = 292;  ///< of 64 bits, in one codeword

  LdpcBitFlipDecoder();  ///< held in reset for two clocks, then ready
  ~LdpcBitFlipDecoder();
  LdpcBitFlipDecoder(const LdpcBitFlipDecoder&) = delete;
  LdpcBitFlipDecoder& operator=(const LdpcBitFlipDecoder&) = delete;

  void set_max_iterations(std::uint8_t iterations);

  void offer(std::uint64_t data, bool last);  ///< a beat at the input, until withdrawn by nothing_offered()
  void nothing_offered();
  [[nodiscard]] bool input_ready() const;

  void set_output_ready(bool ready);
  [[nodiscard]] bool output_valid() const;
  [[nodiscard]] std::uint64_t output_data() const;
  [[nodiscard]] bool output_last() const;
  [[nodiscard]] bool success() const;         ///< of the codeword at the output
  [[nodiscard]] unsigned iterations() const;  ///< of the codeword at the output

  [[nodiscard]] bool busy() const;  ///< while false, and nothing is offered, the clock may stand still
  void clock();
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
