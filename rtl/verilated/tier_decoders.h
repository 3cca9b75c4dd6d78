// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The two tiers as the drive sees them, whatever is behind their pins: a block of rtl/ldpc, or one of somebody else's
/// (rtl/slot). Values are checked here and become pins in the classes derived from these.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/verilated/axi_stream_block.h"

namespace wordline::rtl {

/// Hard bits: a codeword is one packet of 292 beats.
class Tier1Decoder : public AxiStreamBlock {
 public:
  static constexpr unsigned kBeats = 292;  ///< beats of 64 bits, in one codeword

  virtual void set_max_iterations(std::uint8_t iterations) = 0;

  /// The success of the codeword at the output.
  [[nodiscard]] bool success() const { return (result() >> 8 & 1) != 0; }
  [[nodiscard]] unsigned iterations() const { return result() & 0xff; }

 private:
  [[nodiscard]] virtual std::uint32_t result() const = 0;  // m_axis_tuser_o
};

/// Hard or soft bits: a codeword is 1 + soft_planes packets of 292 beats with the same request.
class Tier2Decoder : public AxiStreamBlock {
 public:
  static constexpr unsigned kBeats = 292;  ///< beats of 64 bits, in one packet
  static constexpr unsigned kMostIterations = 31;
  static constexpr unsigned kProfiles = 4;
  /// Channel magnitude, 0 to 7, of the symbol {rel1, rel0}.
  using LlrTable = std::array<std::uint8_t, 4>;

  struct Request {
    std::uint8_t tag = 0;
    std::uint8_t profile = 0;      // which table, 0 to 3
    std::uint8_t soft_planes = 0;  // packets after the hard bits, 0 to 2
  };

  /// Settings, which may change only while nothing is inside. They throw std::invalid_argument when a value does not
  /// fit its register.
  void set_max_iterations(unsigned iterations);
  void set_llr_table(unsigned profile, const LlrTable& table);

  void set_request(const Request& request);                           ///< for the beats offered from now on
  void set_abort(bool abort) { drive(Pin::kGiveUp, abort ? 1 : 0); }  ///< for the clocks from now on

  /// The tag of the codeword at the output.
  [[nodiscard]] std::uint8_t tag() const { return static_cast<std::uint8_t>(result() >> 10); }
  [[nodiscard]] bool aborted() const { return (result() >> 9 & 1) != 0; }
  [[nodiscard]] bool success() const { return (result() >> 8 & 1) != 0; }
  [[nodiscard]] unsigned layers() const { return result() & 0xff; }

 protected:
  enum class Pin { kMaxIterations, kLlrTable, kGiveUp, kRequest };

  /// 20 iterations; profile 0 for hard bits, 1 three, 2 seven, 3 two reads.
  void set_defaults();

 private:
  virtual void drive(Pin pin, std::uint64_t value) = 0;
  [[nodiscard]] virtual std::uint32_t result() const = 0;  // m_axis_tuser_o

  std::uint64_t llr_tables_ = 0;
};

}  // namespace wordline::rtl
