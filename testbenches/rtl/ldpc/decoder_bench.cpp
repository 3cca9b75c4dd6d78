// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Codewords per CPU second of the Verilated decoders on a mixed load, three ways: clock by clock from a plain main; in
// bursts from an SC_METHOD that sleeps as long as each burst took; clock by clock from an SC_METHOD on an sc_clock.
//   bench_rtl_decoders [plain|bursts|clocked] [codewords of tier 1 = 20000] [codewords of tier 2 = 4000]
// And what the hardware would carry, from its clocks for a stream of codewords without a pause:
//   bench_rtl_decoders throughput
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "rtl/verilated/ldpc_bit_flip_decoder.h"
#include "rtl/verilated/ldpc_min_sum_decoder.h"
#include "testbenches/rtl/ldpc/codewords.h"

using namespace wordline;

namespace {

constexpr unsigned kDistinct = 256;  // codewords, then over again
constexpr std::uint64_t kSeed = 1;

struct Word {
  std::vector<std::uint64_t> beats;  // planes one after the other
  rtl::LdpcMinSumDecoder::Request request;
};

Word flatten(const testing::Received& r, rtl::LdpcMinSumDecoder::Request request) {
  Word word{{}, request};
  for (unsigned plane = 0; plane <= request.soft_planes; ++plane) {
    for (const ecc::Lanes& column : plane == 0 ? r.bits : plane == 1 ? r.rel0 : r.rel1) {
      word.beats.insert(word.beats.end(), column.word.begin(), column.word.end());
    }
  }
  return word;
}

Word hard_word(unsigned index, unsigned errors) {
  testing::Received r{testing::random_codeword(kSeed, index), {}, {}};
  testing::add_errors(r.bits, errors, kSeed, index);
  return flatten(r, {});
}

/// Tier 1: 0 to 70 errors. Tier 2: what tier 1 gives up, 80 to 150 errors, and one in four with three or seven reads.
std::vector<Word> load(bool tier2) {
  const testing::SoftChannel three(3, 1.3e-2);
  const testing::SoftChannel seven(7, 1.5e-2);
  std::vector<Word> words;
  for (unsigned i = 0; i < kDistinct; ++i) {
    if (tier2 && i % 8 == 0) {
      words.push_back(flatten(three.read(testing::random_codeword(kSeed, i), kSeed, i), {0, 1, 1}));
    } else if (tier2 && i % 8 == 4) {
      words.push_back(flatten(seven.read(testing::random_codeword(kSeed, i), kSeed, i), {0, 2, 2}));
    } else {
      const auto draw = static_cast<unsigned>(keyed_hash(kSeed, 5, i));
      words.push_back(hard_word(i, tier2 ? 80 + draw % 71 : draw % 71));
    }
  }
  return words;
}

void set_request(rtl::LdpcBitFlipDecoder&, const Word&) {}
void set_request(rtl::LdpcMinSumDecoder& decoder, const Word& word) { decoder.set_request(word.request); }

/// A source and a sink that are always ready, one clock at a time.
template <class Decoder>
class ByClock {
 public:
  ByClock(Decoder& decoder, const std::vector<Word>& words, unsigned count)
      : decoder_(decoder), words_(words), count_(count) {
    decoder.set_output_ready(true);
  }

  [[nodiscard]] bool done() const { return received_ == count_; }
  [[nodiscard]] unsigned failed() const { return failed_; }

  void clock() {
    const Word* word = sent_ < count_ ? &words_[sent_ % kDistinct] : nullptr;
    if (word != nullptr) {
      set_request(decoder_, *word);
      decoder_.offer(word->beats[beat_], (beat_ + 1) % ecc::kStreamBeats == 0);
      if (decoder_.input_ready() && ++beat_ == word->beats.size()) {
        beat_ = 0;
        ++sent_;
      }
    } else {
      decoder_.nothing_offered();
    }
    if (decoder_.output_valid() && decoder_.output_last()) {
      ++received_;
      failed_ += decoder_.success() ? 0 : 1;
    }
    decoder_.clock();
  }

 private:
  Decoder& decoder_;
  const std::vector<Word>& words_;
  const unsigned count_;
  unsigned sent_ = 0;
  std::size_t beat_ = 0;
  unsigned received_ = 0;
  unsigned failed_ = 0;
};

/// The same, a burst at a time.
template <class Decoder>
class ByBurst {
 public:
  ByBurst(Decoder& decoder, const std::vector<Word>& words, unsigned count)
      : decoder_(decoder), words_(words), count_(count), out_(ecc::kStreamBeats) {}

  [[nodiscard]] bool done() const { return received_ == count_; }
  [[nodiscard]] unsigned failed() const { return failed_; }

  /// Returns its clocks.
  std::uint64_t burst() {
    const Word* word = sent_ < count_ ? &words_[sent_ % kDistinct] : nullptr;
    const std::uint64_t* in = nullptr;
    unsigned beats = 0;
    if (word != nullptr) {
      set_request(decoder_, *word);
      in = word->beats.data() + beat_;
      beats = ecc::kStreamBeats - static_cast<unsigned>(beat_ % ecc::kStreamBeats);
    }
    const auto b = decoder_.run(in, beats, out_.data() + out_beat_, ecc::kStreamBeats - out_beat_, 1'000'000);
    beat_ += b.beats_in;
    if (word != nullptr && beat_ == word->beats.size()) {
      beat_ = 0;
      ++sent_;
    }
    out_beat_ += b.beats_out;
    if (b.packet_out) {
      out_beat_ = 0;
      ++received_;
      failed_ += decoder_.success() ? 0 : 1;
    }
    return b.clocks;
  }

 private:
  Decoder& decoder_;
  const std::vector<Word>& words_;
  const unsigned count_;
  std::vector<std::uint64_t> out_;
  unsigned sent_ = 0;
  std::size_t beat_ = 0;
  unsigned out_beat_ = 0;
  unsigned received_ = 0;
  unsigned failed_ = 0;
};

/// One event per burst.
template <class Decoder>
class BurstModule : public sc_core::sc_module {
 public:
  sc_core::sc_event start;
  ByBurst<Decoder> words;

  BurstModule(const sc_core::sc_module_name&, Decoder& decoder, const std::vector<Word>& list, unsigned count)
      : words(decoder, list, count) {
    SC_HAS_PROCESS(BurstModule);
    SC_METHOD(step);
    sensitive << start;
    dont_initialize();
  }

 private:
  void step() {
    if (!words.done()) next_trigger(static_cast<double>(words.burst()) * sc_core::sc_time(2, sc_core::SC_NS));
  }
};

/// One event per clock.
template <class Decoder>
class ClockModule : public sc_core::sc_module {
 public:
  sc_core::sc_event start;
  sc_core::sc_in<bool> clk{"clk"};
  ByClock<Decoder> words;

  ClockModule(const sc_core::sc_module_name&, Decoder& decoder, const std::vector<Word>& list, unsigned count)
      : words(decoder, list, count) {
    SC_HAS_PROCESS(ClockModule);
    SC_METHOD(step);
    sensitive << start;
    dont_initialize();
  }

 private:
  void step() {
    words.clock();
    if (words.done()) {
      sc_core::sc_pause();
    } else {
      next_trigger(clk.posedge_event());
    }
  }
};

template <class Action>
void measure(const char* name, const rtl::AxiStreamBlock& decoder, unsigned count, Action action) {
  const std::uint64_t before = decoder.clocks();
  const std::clock_t begin = std::clock();
  const unsigned failed = action();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const auto clocks = static_cast<double>(decoder.clocks() - before);
  std::printf("%-42s %8.0f codewords/CPU s  %6.1f ns/clock  %7.1f clocks/codeword  %u of %u failed\n", name,
              count / seconds, seconds * 1e9 / clocks, clocks / count, failed, count);
}

unsigned argument(int argc, char** argv, int i, unsigned otherwise) {
  return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
}

template <class Decoder>
void carry(const char* what, const std::vector<Word>& words) {
  Decoder decoder;
  const std::uint64_t begin = decoder.clocks();
  ByBurst stream(decoder, words, kDistinct);
  while (!stream.done()) stream.burst();
  const double clocks = static_cast<double>(decoder.clocks() - begin) / kDistinct;
  std::printf("%-28s %8.0f %8u %10.0f %10.0f\n", what, clocks, stream.failed(), ecc::kCodewordBytes * 400 / clocks,
              ecc::kCodewordBytes * 500 / clocks);
}

void throughput() {
  std::printf("%-28s %8s %8s %10s %10s\n", "256 codewords", "clocks", "failed", "MB/s@400", "MB/s@500");
  for (const unsigned errors : {0U, 40U, 60U, 70U, 80U, 90U, 100U}) {
    std::vector<Word> words;
    for (unsigned i = 0; i < kDistinct; ++i) words.push_back(hard_word(i, errors));
    carry<rtl::LdpcBitFlipDecoder>(("tier 1, " + std::to_string(errors) + " errors").c_str(), words);
  }
  for (const unsigned errors : {80U, 100U, 120U, 140U, 160U, 200U}) {
    std::vector<Word> words;
    for (unsigned i = 0; i < kDistinct; ++i) words.push_back(hard_word(i, errors));
    carry<rtl::LdpcMinSumDecoder>(("tier 2, " + std::to_string(errors) + " errors").c_str(), words);
  }
  for (const auto& [reads, rate] : {std::pair{3U, 1.3e-2}, std::pair{7U, 1.5e-2}}) {
    const testing::SoftChannel channel(reads, rate);
    const auto profile = static_cast<std::uint8_t>(reads == 3 ? 1 : 2);
    std::vector<Word> words;
    for (unsigned i = 0; i < kDistinct; ++i) {
      words.push_back(flatten(channel.read(testing::random_codeword(kSeed, i), kSeed, i), {0, profile, profile}));
    }
    carry<rtl::LdpcMinSumDecoder>(reads == 3 ? "tier 2, 3 reads at 1.3e-2" : "tier 2, 7 reads at 1.5e-2", words);
  }
}

template <class Module>
unsigned simulate(Module& module) {
  module.start.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  return module.words.failed();
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "bursts";
  if (mode == "throughput") {
    throughput();
    return EXIT_SUCCESS;
  }
  const unsigned count1 = argument(argc, argv, 2, 20'000);
  const unsigned count2 = argument(argc, argv, 3, 4'000);
  if ((mode != "plain" && mode != "bursts" && mode != "clocked") || count1 == 0 || count2 == 0) {
    std::fprintf(stderr,
                 "usage: bench_rtl_decoders [plain|bursts|clocked|throughput] [codewords of tier 1] [of tier 2]\n");
    return EXIT_FAILURE;
  }
  const std::vector<Word> words1 = load(false);
  const std::vector<Word> words2 = load(true);
  rtl::LdpcBitFlipDecoder tier1;
  rtl::LdpcMinSumDecoder tier2;
  if (mode == "plain") {
    const auto plain = [](auto& decoder, const std::vector<Word>& words, unsigned count) {
      ByClock loop(decoder, words, count);
      while (!loop.done()) loop.clock();
      return loop.failed();
    };
    measure("tier 1, plain", tier1, count1, [&] { return plain(tier1, words1, count1); });
    measure("tier 2, plain", tier2, count2, [&] { return plain(tier2, words2, count2); });
  } else if (mode == "bursts") {
    BurstModule module1("tier1", tier1, words1, count1);
    BurstModule module2("tier2", tier2, words2, count2);
    measure("tier 1, SC_METHOD, an event per burst", tier1, count1, [&] { return simulate(module1); });
    measure("tier 2, SC_METHOD, an event per burst", tier2, count2, [&] { return simulate(module2); });
  } else {
    sc_core::sc_clock clk("clk", sc_core::sc_time(2, sc_core::SC_NS));
    ClockModule module1("tier1", tier1, words1, count1);
    ClockModule module2("tier2", tier2, words2, count2);
    module1.clk(clk);
    module2.clk(clk);
    measure("tier 1, SC_METHOD, an event per clock", tier1, count1, [&] { return simulate(module1); });
    measure("tier 2, SC_METHOD, an event per clock", tier2, count2, [&] { return simulate(module2); });
  }
  return EXIT_SUCCESS;
}
