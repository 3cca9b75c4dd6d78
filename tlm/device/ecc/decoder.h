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

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/ecc/code/ldpc_code.h"
#include "models/results/registry.h"
#include "models/units/clock_period.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::rtl {
class BlockRecordings;
}

namespace wordline::ecc {

class Decoder : public sc_core::sc_module, public EccIf {
 public:
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
  /// What goes into blocks in gates, as far as somebody wants it.
  virtual void record(const rtl::BlockRecordings& /*recordings*/) {}
  /// As a part of the sums over all decoders.
  virtual void register_statistics(results::Registry& registry) const;

 protected:
  Decoder(const sc_core::sc_module_name& name, const config::Ecc& config);
  /// The codewords that `read` asks for, one after the other: `verdict_on(i, start)` is the verdict on codeword `i`,
  /// whose last bit comes in at `start`.
  template <class VerdictOn>
  Result decode_each(const LpageRead& read, VerdictOn verdict_on);
  [[nodiscard]] Hertz clock() const { return clock_; }

 private:
  // Clocks of an iteration: one for each block column; two for each circulant.
  static constexpr std::uint32_t kTier1Iteration = kBlockColumns;
  static constexpr std::uint32_t kTier2Iteration = 2 * kCirculants;
  /// Planes of reliability that come with the hard bits.
  static constexpr unsigned soft_planes(unsigned reads) { return reads == 1 ? 0 : reads <= 3 ? 1 : 2; }

  Hertz clock_;
  ClockPeriod period_;
  Picoseconds free_{};
  Picoseconds stream_free_{};  // when a block in the stream out is free
  Counters counters_;
  tlm_if::BusyCounter busy_;
};

template <class VerdictOn>
EccIf::Result Decoder::decode_each(const LpageRead& read, VerdictOn verdict_on) {
  Result result{std::max(read.arrive, free_), read.arrive, 0, {}};
  const std::uint32_t load = kStreamCycles * (1 + soft_planes(read.reads()));
  for (unsigned i = 0; i < kMostCodewords; ++i) {
    if ((read.codewords >> i & 1U) == 0) continue;
    const Picoseconds start = std::max(read.arrive, free_);
    const Verdict verdict = verdict_on(i, start);
    const Picoseconds held = period_.of(std::max(verdict.cycles, load));
    free_ = start + held;
    busy_.add(held);
    const bool good = verdict.decoded && verdict.crc_ok;
    Picoseconds done = start + period_.of(verdict.cycles + (good ? std::uint64_t{kStreamCycles} : 0U));
    if (verdict.unload_latency != 0) {
      const Picoseconds begin = std::max(start + period_.of(verdict.cycles), stream_free_);
      stream_free_ = begin + period_.of(std::uint64_t{kStreamCycles} + verdict.unload_held);
      done = begin + period_.of(std::uint64_t{kStreamCycles} + verdict.unload_latency);
    }
    result.done = std::max(result.done, done);
    CodewordOutcome& codeword = result.codewords[i];
    codeword.decoded = verdict.decoded;
    codeword.crc_ok = verdict.crc_ok;
    codeword.tier = verdict.tier;
    codeword.iterations =
        static_cast<std::uint16_t>(verdict.tier == 1 ? (verdict.tier_cycles + kTier1Iteration - 2) / kTier1Iteration
                                                     : (verdict.tier_cycles + kTier2Iteration - 2) / kTier2Iteration);
    if (!read.soft) codeword.weight = static_cast<std::uint16_t>(read.errors[i]);
    if (good) {
      codeword.corrected = static_cast<std::uint16_t>(read.errors[i]);
      ++counters_.decoded[verdict.tier - 1U];
      counters_.bit_errors += read.errors[i];
    } else {
      ++(verdict.decoded ? counters_.miscorrected : counters_.failed);
      result.failed |= 1U << i;
    }
  }
  return result;
}

}  // namespace wordline::ecc
