// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// rtl/ldpc/ldpc_decoder_cluster.sv with four channels, clock by clock: set the inputs, look at ready and valid,
/// clock(). A violated assertion of the block prints its text and throws SimulationStopped.
/// Gap: no status() for waveforms; the drive does not use it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace wordline::rtl {

class LdpcDecoderCluster {
 public:
  static constexpr unsigned kChannels = 4;
  static constexpr unsigned kBeats = 292;  ///< beats of 64 bits, in one packet
  using LlrTable = std::array<std::uint8_t, 4>;

  enum class Path : std::uint8_t { kTier1Only, kEscalate, kTier2Only };

  struct Request {
    std::uint8_t tag = 0;
    Path path = Path::kEscalate;
    std::uint8_t profile = 0;
    std::uint8_t soft_planes = 0;  // packets after the hard bits, 0 to 2; only with kTier2Only
  };

  struct Result {
    std::uint8_t tag;
    bool success;
    bool aborted;
    bool tier2;
    std::uint8_t iterations;
  };

  LdpcDecoderCluster();  ///< reset; 20 iterations each; profile 0 for hard bits, 1 three reads, 2 seven, 3 two
  ~LdpcDecoderCluster();
  LdpcDecoderCluster(const LdpcDecoderCluster&) = delete;
  LdpcDecoderCluster& operator=(const LdpcDecoderCluster&) = delete;

  /// Only while nothing is inside. Throw std::invalid_argument when a value does not fit its register.
  void set_max_iterations(unsigned tier1, unsigned tier2);
  void set_llr_table(unsigned profile, const LlrTable& table);

  void set_give_up(unsigned channel, bool up);

  /// A beat at a channel's input, until withdrawn by nothing_offered().
  void offer(unsigned channel, const Request& request, std::uint64_t data, bool last);
  void nothing_offered(unsigned channel);
  [[nodiscard]] bool input_ready(unsigned channel) const;

  void set_output_ready(unsigned channel, bool ready);
  [[nodiscard]] bool output_valid(unsigned channel) const;
  [[nodiscard]] std::uint64_t output_data(unsigned channel) const;
  [[nodiscard]] bool output_last(unsigned channel) const;
  [[nodiscard]] Result output_result(unsigned channel) const;

  void set_verdict_ready(unsigned channel, bool ready);
  [[nodiscard]] bool verdict_valid(unsigned channel) const;
  [[nodiscard]] Result verdict(unsigned channel) const;
  [[nodiscard]] unsigned corrected(unsigned channel) const;  ///< bits, of the verdict's codeword

  [[nodiscard]] bool busy() const;
  void clock();
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wordline::rtl
