// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The blocks of one channel in gates, codeword by codeword: both tiers, the encoder, and what a user puts into the
/// data stream. Each is the shipped block or that of a file (rtl/slot). They run in bursts at the moment of the call;
/// clocks are counted and become time elsewhere. It holds beats, not what was written: rtl_ecc.h compares.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/results/registry.h"
#include "rtl/slot/slot_blocks.h"
#include "rtl/verilated/ldpc_encoder.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::ecc {

using Beats = std::array<std::uint64_t, kStreamBeats>;
[[nodiscard]] Beats beats_of(const CodeBits& bits);
[[nodiscard]] CodeBits bits_of(const Beats& beats);

/// What a waveform shows of a block. The next codeword comes into a decoder while this one is decoded, and the last one
/// goes out, so each phase shows its own pins. What a clock samples holds before its edge, what it drives from there
/// on. Clocks that have passed when the gates run (the bits came with the transfer on the bus) leave their last state
/// alone.
struct Traced {
  const tlm_if::SimulationContext* context = nullptr;
  tlm_if::RecorderIf* recorder = nullptr;
  std::vector<tlm_if::RecorderIf::Signal> signals;
  Picoseconds period{};
  Picoseconds at{};  // time of the next edge

  // In the order of AxiStreamBlock::status().
  static constexpr std::size_t kInValid = 0, kInReady = 1, kOutValid = 2, kOutReady = 3, kInside = 4;

  void attach(const tlm_if::SimulationContext& context, rtl::AxiStreamBlock& block, tlm_if::RecorderIf* to,
              const std::string& scope);
  [[nodiscard]] bool active() const { return recorder != nullptr && recorder->active(); }
  void set(std::size_t pin, Picoseconds when, std::uint64_t value) {
    recorder->set(signals[pin], std::max(when, context->now()), value);
  }
  /// The two pins of a handshake in a clock.
  void handshake(const rtl::AxiStreamBlock& block, std::size_t sampled, std::size_t driven);
  /// Records both handshakes and the inside of the block.
  void all(const rtl::AxiStreamBlock& block);
  /// The inside.
  void show(const rtl::AxiStreamBlock& block);
  /// The inside, which is at rest again from `when` on.
  void rest(const rtl::AxiStreamBlock& block, Picoseconds when);
};

/// A place for a block, and what went through it.
struct BlockInGates {
  const char* member;              // name in the keys: "tier1"
  std::string file;                // empty: the shipped block, or none
  rtl::SlotStream* own = nullptr;  // the block of the file
  Traced trace{};
  std::uint64_t codewords = 0, given_up = 0, clocks = 0, iterations = 0;

  [[nodiscard]] std::string named() const;
  /// "codeword 3, beat 40, clock 2763": of the codeword that left the block of the file last.
  [[nodiscard]] std::string place(unsigned beat) const;
};

class Gates {
 public:
  /// Throws config::ConfigError when a block cannot be loaded or does not fit.
  Gates(const tlm_if::SimulationContext& context, const config::Ecc& config, tlm_if::RecorderIf* recorder,
        const std::string& scope, Picoseconds period);
  ~Gates();

  struct Run {
    std::uint32_t cycles = 0;  // cycles from the last bit in to the verdict
    bool success = false;
    CodeBits bits{};
  };
  /// The functions below throw rtl::SlotError when the block does not do its part; current() is then that block.
  [[nodiscard]] Run hard(const std::vector<Beats>& packets, Picoseconds start);
  /// With the table `llr`; packets are hard bits and planes of reliability.
  [[nodiscard]] Run soft(const std::vector<Beats>& packets, const LlrTable& llr, Picoseconds start);
  /// The codeword of the information columns of `bits`.
  [[nodiscard]] CodeBits encode(const CodeBits& bits);

  /// Clocks that a codeword takes more than without the block.
  struct Delay {
    std::uint32_t latency = 0;  // clocks to its last beat
    std::uint32_t held = 0;     // clocks for which the stream in is held: those behind it wait so long
  };
  /// User data through the block in the stream, in place.
  Delay tap(CodewordBytes& bytes, const rtl::SlotTap::Request& request);

  void limit(const IterationLimits& limits);
  [[nodiscard]] bool has_encoder() const { return encoder_ != nullptr; }
  [[nodiscard]] bool has_tap() const { return tap_ != nullptr; }
  [[nodiscard]] const BlockInGates& tier(std::uint8_t number) const { return number == 1 ? tier1_ : tier2_; }
  [[nodiscard]] const BlockInGates& encoder() const { return of_encoder_; }
  [[nodiscard]] const BlockInGates& stream() const { return of_tap_; }
  /// A waveform shows what they do now.
  [[nodiscard]] bool recording() const { return tier1_.trace.active(); }
  [[nodiscard]] bool has_own_block() const;
  /// The block that ran last.
  [[nodiscard]] const BlockInGates& current() const { return *current_; }

  /// The pins of blocks of the user's own in the last clocks, as files in the folder.
  [[nodiscard]] std::vector<std::string> write_windows(const std::string& folder, const std::string& scope) const;
  void register_statistics(results::Registry& registry) const;

 private:
  template <class Block>
  Run run(Block& block, const std::vector<Beats>& packets, BlockInGates& place, Picoseconds start);
  Delay pass(rtl::AxiStreamBlock& block, BlockInGates& place, const std::uint64_t* in, unsigned beats_in,
             std::uint64_t* out, unsigned beats_out);
  unsigned profile_of(const LlrTable& llr);

  BlockInGates tier1_, tier2_, of_encoder_, of_tap_;
  const BlockInGates* current_ = &tier1_;
  std::unique_ptr<rtl::Tier1Decoder> hard_;
  std::unique_ptr<rtl::Tier2Decoder> soft_;
  std::unique_ptr<rtl::AxiStreamBlock> encoder_;  // null: the model's parity
  std::unique_ptr<rtl::SlotTap> tap_;             // null: nothing is in the stream
  std::array<LlrTable, rtl::Tier2Decoder::kProfiles> profiles_{kHardLlr, kThreeReadLlr, kSevenReadLlr, kTwoReadLlr};
  IterationLimits iterations_;  // iterations as both come out of reset
};

/// The blocks of the user's own, a line each. Throws config::ConfigError when one cannot be loaded or does not fit.
[[nodiscard]] std::string describe_blocks(const config::Ecc& config);

}  // namespace wordline::ecc
