// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Blocks of somebody else's at their places in the data path (docs/own_rtl.md): what slot_stream.h checks, behind the
/// calls of the shipped blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl/slot/slot_stream.h"
#include "rtl/verilated/tier_decoders.h"

namespace wordline::rtl {

class SlotTier1 final : public Tier1Decoder {
 public:
  explicit SlotTier1(const std::string& path);  ///< as SlotStream; then reset, 20 iterations

  [[nodiscard]] SlotStream& stream() { return stream_; }
  void set_max_iterations(std::uint8_t iterations) override;

 private:
  [[nodiscard]] std::uint32_t result() const override { return stream_.result(); }
  void add_status(std::vector<StatusSignal>& signals) const override { stream_.add_status(signals); }

  SlotStream stream_;
};

class SlotTier2 final : public Tier2Decoder {
 public:
  explicit SlotTier2(const std::string& path);  ///< as SlotStream; then reset, with the values of set_defaults()

  [[nodiscard]] SlotStream& stream() { return stream_; }

 private:
  void drive(Pin pin, std::uint64_t value) override;
  [[nodiscard]] std::uint32_t result() const override { return stream_.result(); }
  void add_status(std::vector<StatusSignal>& signals) const override { stream_.add_status(signals); }

  SlotStream stream_;
};

/// 260 beats of information in, the 292 of the codeword out, which may begin at once.
class SlotEncoder final : public AxiStreamBlock {
 public:
  static constexpr unsigned kInformationBeats = 260;
  static constexpr unsigned kBeats = 292;

  explicit SlotEncoder(const std::string& path);  ///< as SlotStream; then reset
  [[nodiscard]] SlotStream& stream() { return stream_; }

 private:
  void add_status(std::vector<StatusSignal>& signals) const override { stream_.add_status(signals); }

  SlotStream stream_;
};

/// A block in the data stream of a channel: the user data of a codeword in, as many beats out, which may begin at once.
class SlotTap final : public AxiStreamBlock {
 public:
  static constexpr unsigned kBeats = 256;

  struct Request {
    bool write;          // write to the flash; else from it
    std::uint8_t half;   // which codeword of the logical page
    std::uint32_t page;  // logical page
  };

  explicit SlotTap(const std::string& path);  ///< as SlotStream; then reset
  [[nodiscard]] SlotStream& stream() { return stream_; }
  void set_request(const Request& request);  ///< for the beats offered from now on

 private:
  void add_status(std::vector<StatusSignal>& signals) const override { stream_.add_status(signals); }

  SlotStream stream_;
};

}  // namespace wordline::rtl
