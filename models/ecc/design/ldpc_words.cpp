// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Words for another decoder: what was written, what was read, what the bit-true decoders made of it.
//
//   ldpc_words WORDS SEED READS:RATE...
//
// First a line `base ROWS COLUMNS Z` and ROWS lines of shifts, -1 where the block is zero. Then for each word
//   word READS RATE WRITTEN READ REL0 REL1 TIER1 TIER2
// The five bit strings and the two results are hexadecimal, 16 digits for each beat of 64 bits, most significant first
// in a beat; a result is `-` when the decoder gave up (tier 1: also when it did not run, on more than one read).
#include <fmt/format.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/units/keyed_random.h"

namespace {

using namespace wordline::ecc;
using wordline::keyed_hash;

std::string hex(const CodeBits& bits) {
  std::ostringstream out;
  out << std::hex << std::setfill('0');
  for (const Lanes& column : bits) {
    for (const std::uint64_t word : column.word) out << std::setw(16) << word;
  }
  return out.str();
}

void print_base() {
  std::cout << "base " << kBlockRows << ' ' << kBlockColumns << ' ' << kLifting << '\n';
  for (unsigned r = 0; r < kBlockRows; ++r) {
    for (unsigned c = 0; c < kBlockColumns; ++c) std::cout << (c == 0 ? "" : " ") << kShift[r][c];
    std::cout << '\n';
  }
}

void print_word(const SoftLevel& level, double rate, std::uint64_t key, MinSumDecoder& min_sum) {
  const wordline::data::TokenPool pool;
  const auto lpn = static_cast<std::uint32_t>(keyed_hash(key, 1) >> 40);
  const CodeBits written =
      make_codeword(pool, wordline::data::LpageToken::uniform(wordline::Lpn(lpn), 2), lpn, key % 2);
  const unsigned errors = draw_binomial(kCodewordBits, rate, wordline::unit_interval(keyed_hash(key, 2)));
  const SoftCounts counts = draw_soft_counts(level, symmetric_channel(level, rate), errors, keyed_hash(key, 3));
  const ReadBits read = read_codeword(written, level, counts, keyed_hash(key, 4));
  CodeBits first = read.hard;
  const bool first_ok = level.reads == 1 && BitFlippingDecoder::decode(first).ok;
  CodeBits second = read.hard;
  const bool second_ok = min_sum.decode(second, read.rel0, read.rel1, level.llr).ok;
  std::cout << "word " << level.reads << ' ' << rate << ' ' << hex(written) << ' ' << hex(read.hard) << ' '
            << hex(read.rel0) << ' ' << hex(read.rel1) << ' ' << (first_ok ? hex(first) : "-") << ' '
            << (second_ok ? hex(second) : "-") << '\n';
}

int run(int argc, char** argv) {
  if (argc < 4) throw std::invalid_argument("usage: ldpc_words WORDS SEED READS:RATE...");
  const auto words = std::stoul(argv[1]);
  const auto seed = std::stoull(argv[2]);
  MinSumDecoder min_sum;
  print_base();
  for (int i = 3; i < argc; ++i) {
    const std::string point = argv[i];
    const std::size_t colon = point.find(':');
    if (colon == std::string::npos) throw std::invalid_argument(fmt::format("`{}`: expected READS:RATE", point));
    const SoftLevel& level = soft_level(static_cast<unsigned>(std::stoul(point)));
    const double rate = std::stod(point.substr(colon + 1));
    for (unsigned long word = 0; word < words; ++word) {
      print_word(level, rate, keyed_hash(seed, level.reads, static_cast<std::uint64_t>(rate * 1e9), word), min_sum);
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "ldpc_words: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
