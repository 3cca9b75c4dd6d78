// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/ecc/rtl_ecc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/ecc/code/codeword_bits.h"
#include "models/results/registry.h"
#include "models/units/keyed_random.h"
#include "rtl/verilated/ldpc_bit_flip_decoder.h"
#include "rtl/verilated/ldpc_encoder.h"
#include "rtl/verilated/ldpc_min_sum_decoder.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kLimit = 100'000;  // clocks: far beyond what either block takes
// Tables of the min-sum block as it comes out of reset.
constexpr unsigned kHardProfile = 0;

using Beats = std::array<std::uint64_t, kStreamBeats>;

Beats beats_of(const CodeBits& bits) {
  Beats beats;
  for (unsigned i = 0; i < kStreamBeats; ++i) beats[i] = bits[i / 4].word[i % 4];
  return beats;
}

CodeBits bits_of(const Beats& beats) {
  CodeBits bits;
  for (unsigned i = 0; i < kStreamBeats; ++i) bits[i / 4].word[i % 4] = beats[i];
  return bits;
}

/// A block and what a waveform shows of it.
struct Traced {
  tlm_if::RecorderIf* recorder = nullptr;
  std::vector<tlm_if::RecorderIf::Signal> signals;
  Picoseconds period{};
  Picoseconds at{};  // of the next clock

  void attach(rtl::AxiStreamBlock& block, tlm_if::RecorderIf* to, const std::string& scope) {
    recorder = to;
    if (recorder == nullptr) return;
    for (const rtl::StatusSignal& s : block.status()) {
      signals.push_back(s.bits == 1 ? recorder->add_bit(scope, s.name) : recorder->add_vector(scope, s.name, s.bits));
    }
  }
  void show(const rtl::AxiStreamBlock& block) {
    std::size_t i = 0;
    for (const rtl::StatusSignal& s : block.status()) recorder->set(signals[i++], at, s.value);
    at += period;
  }
};

}  // namespace

struct RtlEcc::Gates {
  rtl::LdpcBitFlipDecoder tier1;
  rtl::LdpcMinSumDecoder tier2;
  std::unique_ptr<rtl::LdpcEncoder> encoder;  // null: not asked for
  std::array<LlrTable, rtl::LdpcMinSumDecoder::kProfiles> profiles{kHardLlr, kThreeReadLlr, kSevenReadLlr, kTwoReadLlr};
  IterationLimits iterations;  // as both come out of reset
  Traced trace1, trace2;

  struct Run {
    std::uint32_t cycles;  // from the last bit in to the verdict
    bool success;
    CodeBits bits;
  };

  /// Streams `packets` in, waits for the verdict, streams the codeword out.
  template <class Block>
  static Run run(Block& block, const std::vector<Beats>& packets, Traced& trace, Picoseconds start) {
    for (const Beats& packet : packets) {
      for (unsigned sent = 0; sent < packet.size();) {
        sent +=
            block.run(packet.data() + sent, static_cast<unsigned>(packet.size()) - sent, nullptr, 0, kLimit).beats_in;
      }
    }
    const bool record = trace.recorder != nullptr && trace.recorder->active();
    if (record) {
      trace.at = std::max(start, tlm_if::now());
      block.on_clock([&trace, &block] { trace.show(block); });
    }
    Run result{0, false, {}};
    while (!block.output_valid()) {
      const auto burst = block.run(nullptr, 0, nullptr, 0, 1);
      if (burst.clocks == 0 || result.cycles > kLimit) {
        SC_REPORT_FATAL("wordline/ecc", "a decoder of rtl/ldpc gave no verdict");
        return result;
      }
      ++result.cycles;
    }
    --result.cycles;  // the verdict is seen in the clock after it
    result.success = block.success();
    if (record) block.on_clock({});
    Beats out;
    for (unsigned got = 0; got < out.size();) {
      got += block.run(nullptr, 0, out.data() + got, static_cast<unsigned>(out.size()) - got, kLimit).beats_out;
    }
    result.bits = bits_of(out);
    if (record) trace.show(block);  // at rest again; the stream out is not shown
    return result;
  }

  /// The codeword of the information columns of `bits`.
  CodeBits encode(const CodeBits& bits) {
    const Beats in = beats_of(bits);
    Beats out{};
    unsigned sent = 0;
    for (unsigned got = 0; got < out.size();) {
      const auto burst = encoder->run(in.data() + sent, rtl::LdpcEncoder::kInformationBeats - sent, out.data() + got,
                                      static_cast<unsigned>(out.size()) - got, kLimit);
      sent += burst.beats_in;
      got += burst.beats_out;
      if (burst.clocks == 0 || burst.clocks == kLimit) {
        SC_REPORT_FATAL("wordline/ecc", "the encoder of rtl/ldpc made no codeword");
        break;
      }
    }
    return bits_of(out);
  }

  void limit(const IterationLimits& limits) {
    if (limits == iterations) return;
    iterations = limits;
    tier1.set_max_iterations(static_cast<std::uint8_t>(limits.t1));
    tier2.set_max_iterations(limits.t2);
  }

  /// The table that has these magnitudes; the last one is rewritten when none has.
  unsigned profile_of(const LlrTable& llr) {
    const auto found = std::find(profiles.begin(), profiles.end(), llr);
    if (found != profiles.end()) return static_cast<unsigned>(found - profiles.begin());
    profiles.back() = llr;
    tier2.set_llr_table(static_cast<unsigned>(profiles.size()) - 1, llr);
    return static_cast<unsigned>(profiles.size()) - 1;
  }
};

void expect_written(const CodeBits& written, const CodeBits& got, std::uint64_t address, unsigned half,
                    const char* who) {
  if (got == written) return;
  unsigned wrong = 0;
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) {
      wrong += static_cast<unsigned>(__builtin_popcountll(got[c].word[i] ^ written[c].word[i]));
    }
  }
  const std::string text = fmt::format("{} made codeword {} of logical page {} with {} bits that are not those written",
                                       who, half, address, wrong);
  SC_REPORT_ERROR("wordline/ecc", text.c_str());
}

RtlEcc::RtlEcc(const sc_core::sc_module_name& name, const config::Ecc& config,
               std::shared_ptr<const CalibratedDecoder> decoder, tlm_if::RecorderIf* recorder, const std::string& scope)
    : CalibratedEcc(name, config, std::move(decoder)),
      gates_(std::make_unique<Gates>()),
      every_(config.rtl_every),
      encoder_in_gates_(config.rtl_encoder) {
  if (encoder_in_gates_) gates_->encoder = std::make_unique<rtl::LdpcEncoder>();
  gates_->trace1.attach(gates_->tier1, recorder, scope + ".tier1");
  gates_->trace2.attach(gates_->tier2, recorder, scope + ".tier2");
  gates_->trace1.period = gates_->trace2.period = cycles_time(1, clock());
}

RtlEcc::~RtlEcc() = default;

Decoder::Verdict RtlEcc::decode_codeword(const SectorRead& read, unsigned i, Picoseconds start) {
  // An erased page is no codeword; the controller recognises it.
  const bool erased = read.stored.lpn == nand::StoredSector{}.lpn && read.errors[i] == 0;
  if (erased || codewords_++ % every_ != 0) return CalibratedEcc::decode_codeword(read, i, start);
  ++in_gates_;
  return decode_in_gates(read, i, start);
}

CodeBits RtlEcc::written_codeword(const SectorRead& read, unsigned i) {
  const CodeBits bits = make_codeword(buffer->pool(), read.stored.token, read.stored.lpn, i);
  if (!encoder_in_gates_) return bits;
  const CodeBits encoded = gates_->encode(bits);
  expect_written(bits, encoded, read.stored.lpn, i, "the encoder in gates");
  ++encoded_compared_;
  return encoded;
}

Decoder::Verdict RtlEcc::decode_in_gates(const SectorRead& read, unsigned i, Picoseconds start) {
  const std::uint64_t address = read.stored.lpn;
  const CodeBits written = written_codeword(read, i);
  const std::uint64_t key = keyed_hash(read.key, i);
  Verdict verdict;
  Gates::Run run{};
  gates_->limit(read.iterations);
  if (read.reads == 1) {
    const ReadBits bits = read_codeword(written, read.errors[i], key);
    const std::vector<Beats> packets{beats_of(bits.hard)};
    run = Gates::run(gates_->tier1, packets, gates_->trace1, start);
    verdict.cycles = verdict.tier_cycles = run.cycles;
    if (!run.success) {
      const std::uint32_t before = run.cycles + kStreamCycles;
      gates_->tier2.set_request({0, kHardProfile, 0});
      run = Gates::run(gates_->tier2, packets, gates_->trace2, start + cycles_time(before, clock()));
      verdict.tier = 2;
      verdict.tier_cycles = run.cycles;
      verdict.cycles = before + run.cycles;
    }
  } else {
    const SoftLevel& level = soft_level(read.reads);
    const ReadBits bits = read_codeword(written, level, read.soft[i], key);
    std::vector<Beats> packets{beats_of(bits.hard), beats_of(bits.rel0)};
    if (level.regions > 2) packets.push_back(beats_of(bits.rel1));
    const unsigned profile = gates_->profile_of(read.llr);
    gates_->tier2.set_request({0, static_cast<std::uint8_t>(profile), static_cast<std::uint8_t>(packets.size() - 1)});
    run = Gates::run(gates_->tier2, packets, gates_->trace2, start);
    verdict.tier = 2;
    verdict.cycles = verdict.tier_cycles = run.cycles;
  }
  verdict.decoded = run.success;
  if (run.success) {
    CodewordBytes bytes;
    pack(run.bits, bytes.data());
    verdict.crc_ok = open_codeword(bytes, codeword_address(address, i));
    if (verdict.crc_ok) {
      expect_written(written, run.bits, address, i, verdict.tier == 1 ? "tier 1 in gates" : "tier 2 in gates");
      ++decoded_compared_;
    }
  }
  return verdict;
}

void RtlEcc::register_statistics(results::Registry& registry) const {
  Decoder::register_statistics(registry);
  const auto add = [&](const char* path, const char* text, const std::uint64_t& count) {
    registry.add_to_sum(path, "codewords", text, [&count] { return count; });
  };
  add("ecc.rtl.decoded", "Codewords that were decoded in gates, those in which both tiers failed included.", in_gates_);
  add("ecc.rtl.decoded_compared",
      "Codewords decoded in gates whose CRC fits: their bits were compared with those that were written. A difference "
      "ends the run.",
      decoded_compared_);
  add("ecc.rtl.encoded_compared",
      "Codewords encoded in gates (ecc.rtl_encoder) whose parity was compared with that of the model.",
      encoded_compared_);
}

}  // namespace wordline::ecc
