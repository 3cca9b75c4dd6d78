// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/ecc/rtl_ecc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/config/load.h"
#include "models/ecc/code/codeword_bits.h"
#include "models/results/registry.h"
#include "models/units/keyed_random.h"
#include "rtl/slot/slot_decoder.h"
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

/// A block and what a waveform shows of it. The next codeword comes in while this one is decoded, and the last one goes
/// out, so each phase shows its own pins. What a clock samples holds before its edge, what it drives from there on.
/// Clocks that have passed when the gates run (the bits came with the transfer on the bus) leave their last state
/// alone.
struct Traced {
  tlm_if::RecorderIf* recorder = nullptr;
  std::vector<tlm_if::RecorderIf::Signal> signals;
  Picoseconds period{};
  Picoseconds at{};  // of the next edge

  // In the order of AxiStreamBlock::status().
  static constexpr std::size_t kInValid = 0, kInReady = 1, kOutValid = 2, kOutReady = 3, kInside = 4;

  void attach(rtl::AxiStreamBlock& block, tlm_if::RecorderIf* to, const std::string& scope) {
    recorder = to;
    if (recorder == nullptr) return;
    for (const rtl::StatusSignal& s : block.status()) {
      signals.push_back(s.bits == 1 ? recorder->add_bit(scope, s.name) : recorder->add_vector(scope, s.name, s.bits));
    }
  }
  void set(std::size_t pin, Picoseconds when, std::uint64_t value) {
    recorder->set(signals[pin], std::max(when, tlm_if::now()), value);
  }
  void handshake(const rtl::AxiStreamBlock& block, std::size_t sampled, std::size_t driven) {
    const std::vector<rtl::StatusSignal> pins = block.status();
    set(sampled, at - period, pins[sampled].value);
    set(driven, at, pins[driven].value);
    at += period;
  }
  void show(const rtl::AxiStreamBlock& block) {
    const std::vector<rtl::StatusSignal> pins = block.status();
    for (std::size_t i = kInside; i < pins.size(); ++i) set(i, at, pins[i].value);
    at += period;
  }
  /// The inside, which is at rest again from `when` on.
  void rest(const rtl::AxiStreamBlock& block, Picoseconds when) {
    at = when;
    show(block);
  }
};

/// What went through the gates of a tier, and the block of somebody else's there.
struct TierInGates {
  const char* member;              // "tier1"
  std::string file;                // empty: the shipped block
  rtl::SlotStream* own = nullptr;  // null: the shipped block
  Traced trace{};
  std::uint64_t codewords = 0, given_up = 0, clocks = 0, iterations = 0;

  [[nodiscard]] std::string named() const {
    return own == nullptr ? fmt::format("{} in gates", member) : fmt::format("ecc.rtl.{} = {}", member, file);
  }
};

/// The shipped block, or that of the file.
template <class Base, class Shipped, class OfSlot>
std::unique_ptr<Base> block_of(TierInGates& tier) {
  if (tier.file.empty()) return std::make_unique<Shipped>();
  try {
    auto block = std::make_unique<OfSlot>(tier.file);
    tier.own = &block->stream();
    return block;
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("ecc.rtl.{}: error: {}", tier.member, error.what()));
  }
}

/// A counter that a block tells of itself.
void add_block_counter(results::Registry& registry, const char* tier, const char* name, results::Statistic::Read read) {
  registry.add_to_sum(results::Name("ecc.rtl.TIER.count.NAME", {tier, name}), "as the block says",
                      "A block of your own (ecc.rtl.tier1, ecc.rtl.tier2): its counter NAME, the port count_NAME_o, at "
                      "the end of the run.",
                      std::move(read));
}

}  // namespace

struct RtlEcc::Gates {
  explicit Gates(const config::Ecc& config)
      : of1{"tier1", config.rtl_tier1},
        of2{"tier2", config.rtl_tier2},
        tier1(block_of<rtl::Tier1Decoder, rtl::LdpcBitFlipDecoder, rtl::SlotTier1>(of1)),
        tier2(block_of<rtl::Tier2Decoder, rtl::LdpcMinSumDecoder, rtl::SlotTier2>(of2)) {}

  TierInGates of1, of2;
  std::unique_ptr<rtl::Tier1Decoder> tier1;
  std::unique_ptr<rtl::Tier2Decoder> tier2;
  std::unique_ptr<rtl::LdpcEncoder> encoder;  // null: not asked for
  std::array<LlrTable, rtl::Tier2Decoder::kProfiles> profiles{kHardLlr, kThreeReadLlr, kSevenReadLlr, kTwoReadLlr};
  IterationLimits iterations;  // as both come out of reset

  struct Run {
    std::uint32_t cycles;  // from the last bit in to the verdict
    bool success;
    CodeBits bits;
  };

  static unsigned iterations_of(const rtl::Tier1Decoder& block) { return block.iterations(); }
  static unsigned iterations_of(const rtl::Tier2Decoder& block) { return block.layers(); }

  /// Streams `packets` in, waits for the verdict, streams the codeword out. Throws rtl::SlotError when the block does
  /// not do its part.
  template <class Block>
  static Run run(Block& block, const std::vector<Beats>& packets, TierInGates& tier, Picoseconds start) {
    Traced& trace = tier.trace;
    const bool record = trace.recorder != nullptr && trace.recorder->active();
    if (record) {
      std::size_t beats = 0;
      for (const Beats& packet : packets) beats += packet.size();
      trace.at = start - trace.period * (static_cast<std::int64_t>(beats) - 1);  // the last beat is in at `start`
      block.on_clock([&trace, &block] { trace.handshake(block, Traced::kInValid, Traced::kInReady); });
    }
    for (const Beats& packet : packets) {
      for (unsigned sent = 0; sent < packet.size();) {
        const auto burst =
            block.run(packet.data() + sent, static_cast<unsigned>(packet.size()) - sent, nullptr, 0, kLimit);
        if (burst.beats_in == 0) stuck(block, tier, fmt::format("beat {} is not taken (s_axis_tready_o)", sent));
        sent += burst.beats_in;
      }
    }
    if (record) {
      trace.set(Traced::kInValid, trace.at - trace.period, 0);
      trace.at = start;
      block.on_clock([&trace, &block] { trace.show(block); });
    }
    Run result{0, false, {}};
    while (!block.output_valid()) {
      const auto burst = block.run(nullptr, 0, nullptr, 0, 1);
      if (burst.clocks == 0 || result.cycles > kLimit) stuck(block, tier, "no verdict (m_axis_tvalid_o)");
      ++result.cycles;
    }
    --result.cycles;  // the verdict is seen in the clock after it
    const Picoseconds verdict = trace.at;
    result.success = block.success();
    ++tier.codewords;
    tier.given_up += result.success ? 0 : 1;
    tier.clocks += result.cycles;
    tier.iterations += iterations_of(block);
    if (record) block.on_clock({});
    const bool shown = record && result.success;  // bits that are given up go nowhere
    if (shown) {
      trace.set(Traced::kOutValid, trace.at - trace.period, 1);
      block.on_clock([&trace, &block] { trace.handshake(block, Traced::kOutReady, Traced::kOutValid); });
    }
    Beats out;
    for (unsigned got = 0; got < out.size();) {
      const auto burst = block.run(nullptr, 0, out.data() + got, static_cast<unsigned>(out.size()) - got, kLimit);
      if (burst.beats_out == 0) stuck(block, tier, fmt::format("beat {} does not come (m_axis_tvalid_o)", got));
      got += burst.beats_out;
    }
    result.bits = bits_of(out);
    if (shown) {
      block.on_clock({});
      trace.set(Traced::kOutReady, trace.at - trace.period, 0);
    }
    if (record) trace.rest(block, verdict);
    return result;
  }

  [[noreturn]] static void stuck(const rtl::AxiStreamBlock& block, const TierInGates& tier, const std::string& what) {
    const std::uint64_t codeword = tier.own == nullptr ? tier.codewords : tier.own->codewords();
    throw rtl::SlotError(fmt::format("codeword {}, clock {}: {}, {}", codeword, block.clocks(), what,
                                     block.busy()
                                         ? fmt::format("for {} clocks", kLimit)
                                         : "and busy_o is low with a codeword inside: the drive stops the clock"));
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
    tier1->set_max_iterations(static_cast<std::uint8_t>(limits.t1));
    tier2->set_max_iterations(limits.t2);
  }

  /// The table that has these magnitudes; the last one is rewritten when none has.
  unsigned profile_of(const LlrTable& llr) {
    const auto found = std::find(profiles.begin(), profiles.end(), llr);
    if (found != profiles.end()) return static_cast<unsigned>(found - profiles.begin());
    profiles.back() = llr;
    tier2->set_llr_table(static_cast<unsigned>(profiles.size()) - 1, llr);
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
      gates_(std::make_unique<Gates>(config)),
      scope_(scope),
      every_(config.rtl_every),
      encoder_in_gates_(config.rtl_encoder) {
  if (encoder_in_gates_) gates_->encoder = std::make_unique<rtl::LdpcEncoder>();
  gates_->of1.trace.attach(*gates_->tier1, recorder, scope + ".tier1");
  gates_->of2.trace.attach(*gates_->tier2, recorder, scope + ".tier2");
  for (TierInGates* tier : {&gates_->of1, &gates_->of2}) {
    tier->trace.period = cycles_time(1, clock());
    if (tier->own == nullptr || recorder == nullptr || recorder->folder().empty()) continue;
    tier->own->block().trace(fmt::format("{}/{}.{}.fst", recorder->folder(), scope, tier->member));
  }
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

/// The codeword that came out of a block of somebody else's, against the one that was written. A codeword of the code
/// that is another one is no fault of the block: the CRC finds it. Bits that are none are.
void RtlEcc::compare(const CodeBits& written, const CodeBits& got, std::uint8_t tier) const {
  const TierInGates& gates = tier == 1 ? gates_->of1 : gates_->of2;
  if (gates.own == nullptr || got == written || LdpcCode::instance().is_codeword(got)) return;
  const Beats is = beats_of(got), was = beats_of(written);
  unsigned beats = 0;
  std::string first;
  for (unsigned beat = 0; beat < kStreamBeats; ++beat) {
    if (is[beat] == was[beat]) continue;
    if (beats++ == 0) {
      first = fmt::format("codeword {}, beat {}, clock {}: m_axis_tdata_o is {:016x}, was written as {:016x}",
                          gates.own->codewords() - 1, beat, gates.own->clock_of_beat(beat), is[beat], was[beat]);
    }
  }
  throw rtl::SlotError(fmt::format("{}; success is said of {} wrong beats, which are no codeword", first, beats));
}

Decoder::Verdict RtlEcc::decode_in_gates(const SectorRead& read, unsigned i, Picoseconds start) {
  Verdict verdict;
  try {
    decode_in_gates(read, i, start, verdict);
  } catch (const rtl::SlotError& error) {
    const TierInGates& tier = verdict.tier == 1 ? gates_->of1 : gates_->of2;
    failed_ = tier.own != nullptr;
    const std::string text = fmt::format("{}: {} (codeword {} of logical page {}, {})", tier.named(), error.what(), i,
                                         read.stored.lpn, scope_);
    SC_REPORT_ERROR("wordline/ecc", text.c_str());
  }
  return verdict;
}

void RtlEcc::decode_in_gates(const SectorRead& read, unsigned i, Picoseconds start, Verdict& verdict) {
  const std::uint64_t address = read.stored.lpn;
  const CodeBits written = written_codeword(read, i);
  const std::uint64_t key = keyed_hash(read.key, i);
  Gates::Run run{};
  gates_->limit(read.iterations);
  if (read.reads == 1) {
    const ReadBits bits = read_codeword(written, read.errors[i], key);
    const std::vector<Beats> packets{beats_of(bits.hard)};
    run = Gates::run(*gates_->tier1, packets, gates_->of1, start);
    verdict.cycles = verdict.tier_cycles = run.cycles;
    if (!run.success) {
      const std::uint32_t before = run.cycles + kStreamCycles;
      verdict.tier = 2;
      gates_->tier2->set_request({0, kHardProfile, 0});
      run = Gates::run(*gates_->tier2, packets, gates_->of2, start + cycles_time(before, clock()));
      verdict.tier_cycles = run.cycles;
      verdict.cycles = before + run.cycles;
    }
  } else {
    const SoftLevel& level = soft_level(read.reads);
    const ReadBits bits = read_codeword(written, level, read.soft[i], key);
    std::vector<Beats> packets{beats_of(bits.hard), beats_of(bits.rel0)};
    if (level.regions > 2) packets.push_back(beats_of(bits.rel1));
    const unsigned profile = gates_->profile_of(read.llr);
    verdict.tier = 2;
    gates_->tier2->set_request({0, static_cast<std::uint8_t>(profile), static_cast<std::uint8_t>(packets.size() - 1)});
    run = Gates::run(*gates_->tier2, packets, gates_->of2, start);
    verdict.cycles = verdict.tier_cycles = run.cycles;
  }
  verdict.decoded = run.success;
  if (run.success) {
    compare(written, run.bits, verdict.tier);
    CodewordBytes bytes;
    pack(run.bits, bytes.data());
    verdict.crc_ok = open_codeword(bytes, codeword_address(address, i));
    if (verdict.crc_ok) {
      expect_written(written, run.bits, address, i, verdict.tier == 1 ? "tier 1 in gates" : "tier 2 in gates");
      ++decoded_compared_;
    }
  }
}

std::vector<std::string> RtlEcc::leave_evidence(const std::string& folder) const {
  std::vector<std::string> files;
  if (!failed_) return files;
  for (const TierInGates* tier : {&gates_->of1, &gates_->of2}) {
    if (tier->own == nullptr) continue;
    files.push_back(fmt::format("{}/{}.{}.vcd", folder, scope_, tier->member));
    tier->own->write_window(files.back());
  }
  return files;
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
  for (const TierInGates* tier : {&gates_->of1, &gates_->of2}) {
    const auto add_tier = [&](const char* what, const char* unit, const char* text, const std::uint64_t& count) {
      registry.add_to_sum(results::Name(what, {tier->member}), unit, text, [&count] { return count; });
    };
    add_tier("ecc.rtl.TIER.codewords", "codewords", "Codewords that went through the gates of this tier.",
             tier->codewords);
    add_tier("ecc.rtl.TIER.given_up", "codewords", "Of these: those that the tier gave up.", tier->given_up);
    add_tier("ecc.rtl.TIER.clocks", "clocks",
             "Clocks from the last beat in to the verdict, over all codewords of this tier in gates.", tier->clocks);
    add_tier("ecc.rtl.TIER.iterations", "iterations",
             "Iterations (tier 1) or layers (tier 2) that the block reports with its codewords.", tier->iterations);
    if (tier->own == nullptr) continue;
    const rtl::LoadedBlock& block = tier->own->block();
    for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
      const wordline_rtl_status& status = block.description().status[i];
      if (status.kind != WORDLINE_RTL_COUNTED) continue;
      add_block_counter(registry, tier->member, status.name, [&block, pin = status.pin] { return block.get(pin); });
    }
  }
}

std::string describe_blocks(const config::Ecc& config) {
  std::string text;
  const auto add = [&text](const char* member, const std::string& file, const rtl::Slot& slot) {
    if (file.empty()) return;
    try {
      const rtl::LoadedBlock block(file, slot);
      text += fmt::format("ecc.rtl.{}: module {} of {}, for the slot {}\n", member, block.description().top, file,
                          slot.name);
    } catch (const rtl::SlotError& error) {
      throw config::ConfigError(fmt::format("ecc.rtl.{}: error: {}", member, error.what()));
    }
  };
  add("tier1", config.rtl_tier1, rtl::ecc_decoder_slot());
  add("tier2", config.rtl_tier2, rtl::ecc_soft_decoder_slot());
  return text;
}

void explain_block_counters(results::Registry& registry) {
  add_block_counter(registry, "TIER", "NAME", [] { return std::uint64_t{0}; });
}

}  // namespace wordline::ecc
