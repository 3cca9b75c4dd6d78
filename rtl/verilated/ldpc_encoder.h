// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace wordline::rtl {

/// rtl/ldpc/ldpc_encoder.sv, clock by clock, as LdpcBitFlipDecoder is: set the inputs, look at ready and valid, clock().
class LdpcEncoder {
 public:
  static constexpr unsigned kInformationBeats = 260;
  static constexpr unsigned kBeats = 292;

  LdpcEncoder();  ///< held in reset for two clocks, then ready
  ~LdpcEncoder();
  LdpcEncoder(const LdpcEncoder&) = delete;
  LdpcEncoder& operator=(const LdpcEncoder&) = delete;

  void offer(std::uint64_t data, bool last);  ///< a beat at the input, until withdrawn by nothing_offered()
  void nothing_offered();
  [[nodiscard]] bool input_ready() const;

  void set_output_ready(bool ready);
  [[nodiscard]] bool output_valid() const;
  [[nodiscard]] std::uint64_t output_data() const;
  [[nodiscard]] bool output_last() const;

  [[nodiscard]] bool busy() const;  ///< while false, and nothing is offered, the clock may stand still
  void clock();
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
