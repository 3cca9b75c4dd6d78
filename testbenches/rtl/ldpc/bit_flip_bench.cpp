// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Codewords per CPU second of the Verilated tier-1 decoder, clocked from a plain main:
//   bench_rtl_bit_flip [errors per codeword = 28] [codewords = 20000]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "testbenches/rtl/ldpc/bit_flip_stream.h"

using namespace wordline;

int main(int argc, char** argv) {
  const unsigned errors = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 28;
  const unsigned codewords = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 20'000;
  if (errors > 1000 || codewords == 0) {
    std::fprintf(stderr, "usage: bench_rtl_bit_flip [errors per codeword, at most 1000] [codewords, at least 1]\n");
    return EXIT_FAILURE;
  }
  constexpr unsigned kDistinct = 256;  // then over again
  std::vector<ecc::CodeBits> words;
  for (unsigned i = 0; i < kDistinct; ++i) {
    words.push_back(testing::random_codeword(1, i));
    testing::add_errors(words.back(), errors, 1, i);
  }

  rtl::LdpcBitFlipDecoder decoder;
  decoder.set_output_ready(true);
  std::uint64_t clocks = 0;
  std::uint64_t iterations = 0;
  unsigned sent = 0;
  unsigned beat = 0;
  unsigned received = 0;
  unsigned failed = 0;
  const std::clock_t begin = std::clock();
  while (received < codewords) {
    if (sent < codewords) {
      decoder.offer(words[sent % kDistinct][beat / 4].word[beat % 4], beat + 1 == ecc::kStreamBeats);
    } else {
      decoder.nothing_offered();
    }
    if (sent < codewords && decoder.input_ready() && ++beat == ecc::kStreamBeats) {
      beat = 0;
      ++sent;
    }
    if (decoder.output_valid() && decoder.output_last()) {
      ++received;
      failed += decoder.success() ? 0 : 1;
      iterations += decoder.iterations();
    }
    decoder.clock();
    ++clocks;
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%u errors: %.0f codewords/CPU s, %.1f ns/clock, %.1f clocks/codeword, %.2f iterations, %u of %u failed\n",
              errors, codewords / seconds, seconds * 1e9 / static_cast<double>(clocks),
              static_cast<double>(clocks) / codewords, static_cast<double>(iterations) / codewords, failed, codewords);
  return EXIT_SUCCESS;
}
