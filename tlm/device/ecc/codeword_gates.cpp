// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/codeword_gates.h"

#include <fmt/format.h>

#include <vector>

#include "models/ecc/code/ldpc_code.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

unsigned wrong_bits(const Beats& is, const Beats& right) {
  unsigned errors = 0;
  for (unsigned beat = 0; beat < kStreamBeats; ++beat)
    errors += static_cast<unsigned>(__builtin_popcountll(is[beat] ^ right[beat]));
  return errors;
}

struct Difference {
  unsigned beats = 0;
  std::string first;
};

/// Where the codeword that left the block is not the right one.
Difference difference(const BlockInGates& place, const Beats& is, const Beats& right, const char* said) {
  Difference found;
  for (unsigned beat = 0; beat < kStreamBeats; ++beat) {
    if (is[beat] == right[beat] || found.beats++ != 0) continue;
    found.first =
        fmt::format("{}: m_axis_tdata_o is {:016x}, {} {:016x}", place.place(beat), is[beat], said, right[beat]);
  }
  return found;
}

/// Throws rtl::SlotError when there is one.
void expect_none(const Difference& found) {
  if (found.beats != 0) throw rtl::SlotError(fmt::format("{}; {} wrong beats", found.first, found.beats));
}

}  // namespace

std::string difference_from_written(const CodeBits& written, const CodeBits& got, std::uint64_t address, unsigned half,
                                    const char* who) {
  if (got == written) return {};
  unsigned wrong = 0;
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) {
      wrong += static_cast<unsigned>(__builtin_popcountll(got[c].word[i] ^ written[c].word[i]));
    }
  }
  return fmt::format("{} made codeword {} of logical page {} with {} bits that are not those written", who, half,
                     address, wrong);
}

CodewordGates::CodewordGates(const tlm_if::SimulationContext& context, const config::Ecc& config,
                             tlm_if::RecorderIf* recorder, const std::string& scope)
    : scope_(scope), clock_(config.clock), gates_(context, config, recorder, scope, cycles_time(1, config.clock)) {}

CodewordGates::Decoded CodewordGates::decode(const data::TokenPool& pool, const LpageRead& read, unsigned i,
                                             Picoseconds start) {
  Decoded decoded;
  try {
    decode({pool, read, i, start}, decoded);
  } catch (const rtl::SlotError& error) {
    decoded.own_block = gates_.current().own != nullptr;
    decoded.problem = fmt::format("{}: {} (codeword {} of logical page {}, {})", gates_.current().named(), error.what(),
                                  i, read.stored.lpn, scope_);
  }
  return decoded;
}

void CodewordGates::record(const rtl::BlockRecordings& recordings) {
  codewords_ = recordings.of("ecc_decoder");
  soft_ = recordings.of("ecc_soft_decoder");
  encoded_ = recordings.of("ecc_encoder");
  data_ = recordings.of("stream_tap");
}

void CodewordGates::keep(const Task& task, const CodeBits& in, const CodeBits& written) const {
  const Beats is = beats_of(in), right = beats_of(written);
  codewords_->add(rtl::RecordedLine()
                      .number("page", task.read.stored.lpn)
                      .number("half", task.codeword)
                      .number("iterations", task.read.iterations.t1)
                      .number("errors", wrong_bits(is, right))
                      .beats("in", is)
                      .beats("right", right));
}

void CodewordGates::keep_soft(const Task& task, const std::vector<Beats>& packets, const LlrTable& llr,
                              const CodeBits& written) const {
  constexpr std::array kNames{"in", "rel0", "rel1"};
  const Beats right = beats_of(written);
  rtl::RecordedLine line;
  line.number("page", task.read.stored.lpn)
      .number("half", task.codeword)
      .number("iterations", task.read.iterations.t2)
      .number("errors", wrong_bits(packets.front(), right))
      .numbers("llr", {llr.begin(), llr.end()});
  for (std::size_t i = 0; i < packets.size(); ++i) line.beats(kNames.at(i), packets[i]);
  soft_->add(line.beats("right", right));
}

void CodewordGates::keep_data(const Task& task, const CodewordBytes& bytes) const {
  std::array<std::uint64_t, rtl::SlotTap::kBeats> beats{};
  for (unsigned b = 0; b < 8 * beats.size(); ++b) beats[b / 8] |= std::uint64_t{bytes[b]} << (8 * (b % 8));
  data_->add(
      rtl::RecordedLine().number("page", task.read.stored.lpn).number("half", task.codeword).beats("data", beats));
}

CodeBits CodewordGates::written_codeword(const Task& task, Decoded& decoded) {
  const std::uint32_t lpn = task.read.stored.lpn;
  CodewordBytes bytes = payload_of(task.pool.expand(task.read.stored.token), lpn, task.codeword);
  if (data_ != nullptr) keep_data(task, bytes);
  if (gates_.has_tap()) gates_.tap(bytes, {true, static_cast<std::uint8_t>(task.codeword), lpn});
  encode_codeword(bytes, codeword_address(lpn, task.codeword));
  const CodeBits bits = unpack(bytes.data());
  if (encoded_ != nullptr) {
    const Beats right = beats_of(bits);
    encoded_->add(rtl::RecordedLine()
                      .number("page", lpn)
                      .number("half", task.codeword)
                      .beats("in", right.data(), rtl::LdpcEncoder::kInformationBeats)
                      .beats("right", right));
  }
  if (!gates_.has_encoder()) return bits;
  const CodeBits encoded = gates_.encode(bits);
  if (gates_.encoder().own == nullptr) {
    decoded.problem = difference_from_written(bits, encoded, lpn, task.codeword, "the encoder in gates");
  } else {
    expect_none(difference(gates_.encoder(), beats_of(encoded), beats_of(bits), "the model makes"));
  }
  ++encoded_compared_;
  return encoded;
}

/// The codeword that came out of a block of somebody else's, against the one that was written. A codeword of the code
/// that is another one is no fault of the block: the CRC finds it. Bits that are none are.
void CodewordGates::compare(const CodeBits& written, const CodeBits& got, std::uint8_t tier) const {
  const BlockInGates& place = gates_.tier(tier);
  if (place.own == nullptr || got == written || LdpcCode::instance().is_codeword(got)) return;
  const Difference found = difference(place, beats_of(got), beats_of(written), "was written as");
  throw rtl::SlotError(
      fmt::format("{}; success is said of {} wrong beats, which are no codeword", found.first, found.beats));
}

/// User data back through the block in the stream: they have to be those of the host.
Gates::Delay CodewordGates::tap_back(CodewordBytes& bytes, const Task& task) {
  const std::uint32_t lpn = task.read.stored.lpn;
  const auto delay = gates_.tap(bytes, {false, static_cast<std::uint8_t>(task.codeword), lpn});
  const CodewordBytes host = payload_of(task.pool.expand(task.read.stored.token), lpn, task.codeword);
  Beats is{}, right{};
  for (unsigned b = 0; b < 8 * rtl::SlotTap::kBeats; ++b) {
    is[b / 8] |= std::uint64_t{bytes[b]} << (8 * (b % 8));
    right[b / 8] |= std::uint64_t{host[b]} << (8 * (b % 8));
  }
  expect_none(difference(gates_.stream(), is, right, "the host wrote"));
  return delay;
}

void CodewordGates::decode(const Task& task, Decoded& decoded) {
  const LpageRead& read = task.read;
  Decoder::Verdict& verdict = decoded.verdict;
  const CodeBits written = written_codeword(task, decoded);
  const std::uint64_t key = keyed_hash(read.key, task.codeword);
  Gates::Run run;
  gates_.limit(read.iterations);
  if (!read.soft) {
    const ReadBits bits = read_codeword(written, read.errors[task.codeword], key);
    const std::vector<Beats> packets{beats_of(bits.hard)};
    if (codewords_ != nullptr) keep(task, bits.hard, written);
    run = gates_.hard(packets, task.start);
    verdict.cycles = verdict.tier_cycles = run.cycles;
    if (!run.success) {
      const std::uint32_t before = run.cycles + kStreamCycles;
      verdict.tier = 2;
      if (soft_ != nullptr) keep_soft(task, packets, kHardLlr, written);
      run = gates_.soft(packets, kHardLlr, task.start + cycles_time(before, clock_));
      verdict.tier_cycles = run.cycles;
      verdict.cycles = before + run.cycles;
    }
  } else {
    const SoftLevel& level = soft_level(read.soft->reads);
    const ReadBits bits = read_codeword(written, level, read.soft->counts[task.codeword], key);
    std::vector<Beats> packets{beats_of(bits.hard), beats_of(bits.rel0)};
    if (level.regions > 2) packets.push_back(beats_of(bits.rel1));
    verdict.tier = 2;
    if (soft_ != nullptr) keep_soft(task, packets, read.soft->llr, written);
    run = gates_.soft(packets, read.soft->llr, task.start);
    verdict.cycles = verdict.tier_cycles = run.cycles;
  }
  verdict.decoded = run.success;
  if (!run.success) return;
  compare(written, run.bits, verdict.tier);
  CodewordBytes bytes;
  pack(run.bits, bytes.data());
  verdict.crc_ok = open_codeword(bytes, codeword_address(read.stored.lpn, task.codeword));
  if (!verdict.crc_ok) return;
  const std::string difference = difference_from_written(written, run.bits, read.stored.lpn, task.codeword,
                                                         verdict.tier == 1 ? "tier 1 in gates" : "tier 2 in gates");
  if (!difference.empty()) decoded.problem = difference;
  ++decoded_compared_;
  if (!gates_.has_tap()) return;
  const auto delay = tap_back(bytes, task);
  verdict.unload_latency = delay.latency;
  verdict.unload_held = delay.held;
}

void CodewordGates::register_statistics(results::Registry& registry) const {
  const auto add = [&](const char* path, const char* text, const std::uint64_t& count) {
    registry.add_to_sum(path, "codewords", text, [&count] { return count; });
  };
  add("ecc.rtl.decoded_compared",
      "Codewords decoded in gates whose CRC fits: their bits were compared with those that were written. A difference "
      "ends the run.",
      decoded_compared_);
  add("ecc.rtl.encoded_compared",
      "Codewords encoded in gates (ecc.rtl_encoder, ecc.rtl.encoder) whose parity was compared with that of the model.",
      encoded_compared_);
  gates_.register_statistics(registry);
}

}  // namespace wordline::ecc
