// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// my_decoder through the door that the drive uses: a codeword with so many wrong bits goes in, and what comes out and
// is called a success has to be the codeword. Source and sink wait at times.
//   bench codeword.hex
#include "bench.h"

namespace {

constexpr unsigned kBeats = 292;
constexpr unsigned kSentBits = 18688, kFirstZero = 16544, kZeros = 96;  // the shortened bits are never wrong

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::uint64_t> codeword = beats_of(argc > 1 ? argv[1] : "codeword.hex");
  if (codeword.size() != kBeats) {
    std::fprintf(stderr, "%zu beats, expected %u\n", codeword.size(), kBeats);
    return 1;
  }
  Bench bench;
  bench.set("max_iterations_i", 20);

  std::mt19937& random = bench.random;
  int problems = 0;
  std::printf("errors  decoded  clocks from the last beat in to the verdict (mean)\n");
  for (const unsigned errors : {0U, 1U, 10U, 20U, 40U, 60U, 80U}) {
    constexpr unsigned kWords = 10;
    unsigned decoded = 0;
    std::uint64_t waited = 0;
    for (unsigned word = 0; word < kWords; ++word) {
      std::vector<std::uint64_t> read = codeword;
      for (unsigned i = 0; i < errors;) {
        const unsigned bit = random() % kSentBits;
        const bool shortened = bit >= kFirstZero && bit < kFirstZero + kZeros;
        const std::uint64_t mask = std::uint64_t{1} << bit % 64;
        if (shortened || (read[bit / 64] ^ codeword[bit / 64]) & mask) continue;
        read[bit / 64] ^= mask;
        ++i;
      }
      bool offered = false;
      for (unsigned beat = 0; beat < kBeats;) {
        offered = offered || random() % 8 != 0;  // a beat that is offered stays
        bench.set("s_axis_tvalid_i", offered ? 1 : 0);
        bench.set("s_axis_tdata_i", read[beat]);
        bench.set("s_axis_tlast_i", beat + 1 == kBeats ? 1 : 0);
        bench.evaluate();
        const bool taken = offered && bench.get("s_axis_tready_o") != 0;
        bench.clock();
        if (taken) {
          ++beat;
          offered = false;
        }
      }
      bench.set("s_axis_tvalid_i", 0);
      for (bench.evaluate(); bench.get("m_axis_tvalid_o") == 0; bench.evaluate(), ++waited) {
        bench.clock();
        if (waited > 1'000'000) {
          std::fprintf(stderr, "no verdict\n");
          return 1;
        }
      }
      bool success = false, same = true;
      for (unsigned beat = 0; beat < kBeats;) {
        const bool ready = random() % 8 != 0;
        bench.set("m_axis_tready_i", ready ? 1 : 0);
        bench.evaluate();
        if (ready && bench.get("m_axis_tvalid_o") != 0) {
          success = (bench.get("m_axis_tuser_o") >> 8 & 1) != 0;
          same = same && bench.get("m_axis_tdata_o") == codeword[beat];
          if ((bench.get("m_axis_tlast_o") != 0) != (++beat == kBeats)) ++problems;
        }
        bench.clock();
      }
      bench.set("m_axis_tready_i", 0);
      decoded += success ? 1 : 0;
      if (success && !same) {
        std::printf("%u errors: called a success, and is not the codeword\n", errors);
        ++problems;
      }
    }
    std::printf("%6u  %2u of %2u  %.1f\n", errors, decoded, kWords, static_cast<double>(waited) / kWords);
    if (errors == 0 && decoded != kWords) ++problems;  // nothing to correct
  }
  bench.print_counters();
  return verdict(problems);
}
