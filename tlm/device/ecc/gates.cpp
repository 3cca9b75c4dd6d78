// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/gates.h"

#include <fmt/format.h>

#include "models/checks/load.h"
#include "rtl/verilated/ldpc_bit_flip_decoder.h"
#include "rtl/verilated/ldpc_min_sum_decoder.h"
#include "tlm/device/ecc/block_statistics.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kLimit = 100'000;  // clocks: far beyond what any block takes
constexpr unsigned kHardProfile = 0;       // profile of the tables of the min-sum block as it comes out of reset

unsigned iterations_of(const rtl::Tier1Decoder& block) { return block.iterations(); }
unsigned iterations_of(const rtl::Tier2Decoder& block) { return block.layers(); }

template <class OfSlot>
std::unique_ptr<OfSlot> own_block(BlockInGates& place) {
  try {
    auto block = std::make_unique<OfSlot>(place.file);
    place.own = &block->stream();
    return block;
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("ecc.rtl.{}: error: {}", place.member, error.what()));
  }
}

/// The block of the file, or the shipped one.
template <class Base, class Shipped, class OfSlot>
std::unique_ptr<Base> block_of(BlockInGates& place) {
  if (place.file.empty()) return std::make_unique<Shipped>();
  return own_block<OfSlot>(place);
}

[[noreturn]] void stuck(const rtl::AxiStreamBlock& block, const BlockInGates& place, const std::string& what) {
  const std::uint64_t codeword = place.own == nullptr ? place.codewords : place.own->codewords();
  throw rtl::SlotError(fmt::format("codeword {}, clock {}: {}, {}", codeword, block.clocks(), what,
                                   block.busy()
                                       ? fmt::format("for {} clocks", kLimit)
                                       : "and busy_o is low with a codeword inside: the drive stops the clock"));
}

}  // namespace

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

void Traced::attach(const tlm_if::SimulationContext& context, rtl::AxiStreamBlock& block, tlm_if::RecorderIf* to,
                    const std::string& scope) {
  this->context = &context;
  recorder = to;
  if (recorder == nullptr) return;
  for (const rtl::StatusSignal& s : block.status()) {
    signals.push_back(s.bits == 1 ? recorder->add_bit(scope, s.name) : recorder->add_vector(scope, s.name, s.bits));
  }
}

void Traced::handshake(const rtl::AxiStreamBlock& block, std::size_t sampled, std::size_t driven) {
  const std::vector<rtl::StatusSignal> pins = block.status();
  set(sampled, at - period, pins[sampled].value);
  set(driven, at, pins[driven].value);
  at += period;
}

void Traced::all(const rtl::AxiStreamBlock& block) {
  const std::vector<rtl::StatusSignal> pins = block.status();
  for (const std::size_t sampled : {kInValid, kOutReady}) set(sampled, at - period, pins[sampled].value);
  for (const std::size_t driven : {kInReady, kOutValid}) set(driven, at, pins[driven].value);
  show(block);
}

void Traced::show(const rtl::AxiStreamBlock& block) {
  const std::vector<rtl::StatusSignal> pins = block.status();
  for (std::size_t i = kInside; i < pins.size(); ++i) set(i, at, pins[i].value);
  at += period;
}

void Traced::rest(const rtl::AxiStreamBlock& block, Picoseconds when) {
  at = when;
  show(block);
}

std::string BlockInGates::named() const {
  return own == nullptr ? fmt::format("{} in gates", member) : fmt::format("ecc.rtl.{} = {}", member, file);
}

std::string BlockInGates::place(unsigned beat) const {
  return fmt::format("codeword {}, beat {}, clock {}", own->codewords() - 1, beat, own->clock_of_beat(beat));
}

Gates::Gates(const tlm_if::SimulationContext& context, const config::Ecc& config, tlm_if::RecorderIf* recorder,
             const std::string& scope, Picoseconds period)
    : tier1_{"tier1", config.rtl.tier1},
      tier2_{"tier2", config.rtl.tier2},
      of_encoder_{"encoder", config.rtl.encoder},
      of_tap_{"tap", config.rtl.tap},
      hard_(block_of<rtl::Tier1Decoder, rtl::LdpcBitFlipDecoder, rtl::SlotTier1>(tier1_)),
      soft_(block_of<rtl::Tier2Decoder, rtl::LdpcMinSumDecoder, rtl::SlotTier2>(tier2_)) {
  if (config.rtl_encoder || !of_encoder_.file.empty()) {
    encoder_ = block_of<rtl::AxiStreamBlock, rtl::LdpcEncoder, rtl::SlotEncoder>(of_encoder_);
  }
  if (!of_tap_.file.empty()) tap_ = own_block<rtl::SlotTap>(of_tap_);
  tier1_.trace.attach(context, *hard_, recorder, scope + ".tier1");
  tier2_.trace.attach(context, *soft_, recorder, scope + ".tier2");
  if (of_encoder_.own != nullptr) of_encoder_.trace.attach(context, *encoder_, recorder, scope + ".encoder");
  if (tap_ != nullptr) of_tap_.trace.attach(context, *tap_, recorder, scope + ".tap");
  for (BlockInGates* place : {&tier1_, &tier2_, &of_encoder_, &of_tap_}) {
    place->trace.period = period;
    if (place->own == nullptr || recorder == nullptr || recorder->folder().empty()) continue;
    place->own->block().trace(fmt::format("{}/{}.{}.fst", recorder->folder(), scope, place->member));
  }
}

Gates::~Gates() = default;

bool Gates::has_own_block() const {
  return tier1_.own != nullptr || tier2_.own != nullptr || of_encoder_.own != nullptr || of_tap_.own != nullptr;
}

template <class Block>
Gates::Run Gates::run(Block& block, const std::vector<Beats>& packets, BlockInGates& place, Picoseconds start) {
  current_ = &place;
  Traced& trace = place.trace;
  const bool record = trace.active();
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
      if (burst.beats_in == 0) stuck(block, place, fmt::format("beat {} is not taken (s_axis_tready_o)", sent));
      sent += burst.beats_in;
    }
  }
  if (record) {
    trace.set(Traced::kInValid, trace.at - trace.period, 0);
    trace.at = start;
    block.on_clock([&trace, &block] { trace.show(block); });
  }
  Run result;
  while (!block.output_valid()) {
    const auto burst = block.run(nullptr, 0, nullptr, 0, 1);
    if (burst.clocks == 0 || result.cycles > kLimit) stuck(block, place, "no verdict (m_axis_tvalid_o)");
    ++result.cycles;
  }
  --result.cycles;  // the verdict is seen in the clock after it
  const Picoseconds verdict = trace.at;
  result.success = block.success();
  ++place.codewords;
  place.given_up += result.success ? 0 : 1;
  place.clocks += result.cycles;
  place.iterations += iterations_of(block);
  if (record) block.on_clock({});
  const bool shown = record && result.success;  // bits that are given up go nowhere
  if (shown) {
    trace.set(Traced::kOutValid, trace.at - trace.period, 1);
    block.on_clock([&trace, &block] { trace.handshake(block, Traced::kOutReady, Traced::kOutValid); });
  }
  Beats out;
  for (unsigned got = 0; got < out.size();) {
    const auto burst = block.run(nullptr, 0, out.data() + got, static_cast<unsigned>(out.size()) - got, kLimit);
    if (burst.beats_out == 0) stuck(block, place, fmt::format("beat {} does not come (m_axis_tvalid_o)", got));
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

Gates::Delay Gates::pass(rtl::AxiStreamBlock& block, BlockInGates& place, const std::uint64_t* in, unsigned beats_in,
                         std::uint64_t* out, unsigned beats_out) {
  current_ = &place;
  Traced& trace = place.trace;
  const bool record = trace.active();
  if (record) {
    trace.at = trace.context->now();
    block.on_clock([&trace, &block] { trace.all(block); });
  }
  std::uint64_t clocks = 0, all_in = 0;
  unsigned sent = 0;
  for (unsigned got = 0; got < beats_out;) {
    const auto burst = block.run(in + sent, beats_in - sent, out + got, beats_out - got, kLimit);
    if (burst.beats_in == 0 && burst.beats_out == 0) {
      stuck(block, place,
            sent < beats_in ? fmt::format("beat {} is not taken (s_axis_tready_o)", sent)
                            : fmt::format("beat {} does not come (m_axis_tvalid_o)", got));
    }
    clocks += burst.clocks;
    if (sent < beats_in && sent + burst.beats_in == beats_in) all_in = clocks;
    sent += burst.beats_in;
    got += burst.beats_out;
  }
  if (record) {
    block.on_clock({});
    for (const std::size_t sampled : {Traced::kInValid, Traced::kOutReady}) {
      trace.set(sampled, trace.at - trace.period, 0);
    }
  }
  return {static_cast<std::uint32_t>(clocks - std::min<std::uint64_t>(clocks, beats_out)),
          static_cast<std::uint32_t>(all_in - std::min<std::uint64_t>(all_in, beats_in))};
}

Gates::Run Gates::hard(const std::vector<Beats>& packets, Picoseconds start) {
  return run(*hard_, packets, tier1_, start);
}

Gates::Run Gates::soft(const std::vector<Beats>& packets, const LlrTable& llr, Picoseconds start) {
  const unsigned profile = packets.size() == 1 ? kHardProfile : profile_of(llr);
  soft_->set_request({0, static_cast<std::uint8_t>(profile), static_cast<std::uint8_t>(packets.size() - 1)});
  return run(*soft_, packets, tier2_, start);
}

CodeBits Gates::encode(const CodeBits& bits) {
  const Beats in = beats_of(bits);
  Beats out{};
  const Delay delay =
      pass(*encoder_, of_encoder_, in.data(), rtl::LdpcEncoder::kInformationBeats, out.data(), kStreamBeats);
  ++of_encoder_.codewords;
  of_encoder_.clocks += kStreamBeats + delay.latency;
  return bits_of(out);
}

Gates::Delay Gates::tap(CodewordBytes& bytes, const rtl::SlotTap::Request& request) {
  std::array<std::uint64_t, rtl::SlotTap::kBeats> in{}, out{};
  for (unsigned i = 0; i < 8 * in.size(); ++i) in[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  tap_->set_request(request);
  // Handshakes are put to the test where no time is counted.
  tap_->wait_at_times(request.write ? 1 : 0);
  const Delay delay = pass(*tap_, of_tap_, in.data(), rtl::SlotTap::kBeats, out.data(), rtl::SlotTap::kBeats);
  for (unsigned i = 0; i < 8 * out.size(); ++i) bytes[i] = static_cast<std::uint8_t>(out[i / 8] >> (8 * (i % 8)));
  if (request.write) return {};
  ++of_tap_.codewords;
  of_tap_.clocks += delay.latency;
  return delay;
}

void Gates::limit(const IterationLimits& limits) {
  if (limits == iterations_) return;
  iterations_ = limits;
  hard_->set_max_iterations(static_cast<std::uint8_t>(limits.t1));
  soft_->set_max_iterations(limits.t2);
}

/// The table that has these magnitudes; the last one is rewritten when none has.
unsigned Gates::profile_of(const LlrTable& llr) {
  const auto found = std::find(profiles_.begin(), profiles_.end(), llr);
  if (found != profiles_.end()) return static_cast<unsigned>(found - profiles_.begin());
  profiles_.back() = llr;
  soft_->set_llr_table(static_cast<unsigned>(profiles_.size()) - 1, llr);
  return static_cast<unsigned>(profiles_.size()) - 1;
}

std::vector<std::string> Gates::write_windows(const std::string& folder, const std::string& scope) const {
  std::vector<std::string> files;
  for (const BlockInGates* place : {&tier1_, &tier2_, &of_encoder_, &of_tap_}) {
    if (place->own == nullptr) continue;
    files.push_back(fmt::format("{}/{}.{}.vcd", folder, scope, place->member));
    place->own->write_window(files.back());
  }
  return files;
}

void Gates::register_statistics(results::Registry& registry) const {
  for (const BlockInGates* place : {&tier1_, &tier2_, &of_encoder_, &of_tap_}) {
    const bool is_tier = place == &tier1_ || place == &tier2_;
    if (!is_tier && place->own == nullptr) continue;
    add_passages(
        registry, place->member, [place] { return place->codewords; }, [place] { return place->clocks; });
    if (is_tier) {
      registry.add_to_sum(results::Name("ecc.rtl.TIER.given_up", {place->member}), "codewords",
                          "Codewords that the tier gave up.", [place] { return place->given_up; });
      registry.add_to_sum(results::Name("ecc.rtl.TIER.iterations", {place->member}), "iterations",
                          "Iterations (tier 1) or layers (tier 2) that the block reports with its codewords.",
                          [place] { return place->iterations; });
    }
    if (place->own != nullptr) add_block_counters(registry, place->member, place->own->block());
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
  add("tier1", config.rtl.tier1, rtl::slot_of(rtl::SlotId::kEccDecoder));
  add("tier2", config.rtl.tier2, rtl::slot_of(rtl::SlotId::kEccSoftDecoder));
  add("encoder", config.rtl.encoder, rtl::slot_of(rtl::SlotId::kEccEncoder));
  add("tap", config.rtl.tap, rtl::slot_of(rtl::SlotId::kStreamTap));
  add("read_retry", config.rtl.read_retry, rtl::slot_of(rtl::SlotId::kReadRetry));
  return text;
}

}  // namespace wordline::ecc
