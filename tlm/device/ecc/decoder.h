// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// The decoder of one channel: a reservation in front of whatever decodes a codeword.
///
/// The decoder is double buffered with a 64-bit stream in and out: it loads the next codeword from the bus while it
/// decodes one and unloads the one before. A codeword holds it for max(load, decode) cycles, from its arrival or from
/// the time the decoder is free; its data are out 292 cycles after the verdict. Loading takes 292 cycles, for soft
/// input 292 for each plane of reliability too. A failed codeword is not unloaded. Tier 2 is this channel's own, and
/// blocks tier 1 while it works (gap: rtl/ldpc shares it among channels and lets good codewords overtake). Cycles of
/// `ecc.clock`, rounded up to a picosecond per codeword. It decodes nothing itself: calibrated_ecc.h and rtl_ecc.h do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/results/registry.h"
#include "models/units/clock_period.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::ecc {

class Decoder : public sc_core::sc_module, public EccIf {
 public:
  Result decode(const LpageRead& read) final;

  /// On one codeword.
  struct Verdict {
    bool decoded = false;
    bool crc_ok = true;
    std::uint8_t tier = 1;
    std::uint32_t cycles = 0;       // cycles from the last bit in to the verdict, both tiers and the copy between them
    std::uint32_t tier_cycles = 0;  // cycles of the tier that gave the verdict
    std::uint32_t unload_latency = 0;  // clocks that its data leave later, through a block in the stream out,
    std::uint32_t unload_held = 0;     // and that the next data wait for it
  };

  struct Counters {
    std::array<std::uint64_t, 2> decoded{};  // codewords, by the tier that succeeded
    std::uint64_t failed = 0;                // codewords
    std::uint64_t miscorrected = 0;          // codewords: decoded, but their CRC does not fit
    std::uint64_t bit_errors = 0;            // bit errors of decoded codewords: corrected
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }
  /// After a run that failed: what is known of the cause and fits no message, as files in the folder. Their names.
  [[nodiscard]] virtual std::vector<std::string> leave_evidence(const std::string& /*folder*/) const { return {}; }
  /// As a part of the sums over all decoders.
  virtual void register_statistics(results::Registry& registry) const;

 protected:
  Decoder(const sc_core::sc_module_name& name, const config::Ecc& config);
  /// Codeword `i` of the logical page; its last bit comes in at `start`.
  virtual Verdict decode_codeword(const LpageRead& read, unsigned i, Picoseconds start) = 0;
  [[nodiscard]] Hertz clock() const { return clock_; }

 private:
  Hertz clock_;
  ClockPeriod period_;
  Picoseconds free_{};
  Picoseconds stream_free_{};  // when a block in the stream out is free
  Counters counters_;
  tlm_if::BusyCounter busy_;
};

}  // namespace wordline::ecc
