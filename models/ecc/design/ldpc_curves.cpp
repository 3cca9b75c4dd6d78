// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Frame error rates of both decoders on channels of fixed bit error rate, as in docs/ecc.md:
//
//   ldpc_curves WORDS SEED RATE...
#include <cstdlib>
#include <iostream>

#include "models/ecc/calibration.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: ldpc_curves WORDS SEED RATE...\n";
    return EXIT_FAILURE;
  }
  try {
    std::cout << "| rate | bit flipping fails | mean cycles | min-sum fails | mean cycles |\n|---|---|---|---|---|\n";
    for (int i = 3; i < argc; ++i) {
      const auto words = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
      const auto m = wordline::ecc::measure_rate(std::strtod(argv[i], nullptr), words, std::strtoull(argv[2], nullptr, 10));
      std::cout << "| " << argv[i] << " | " << m.bit_flipping_failures << "/" << m.bit_flipping_words << " | "
                << m.bit_flipping_cycles << " | " << m.min_sum_failures << "/" << m.min_sum_words << " | "
                << m.min_sum_cycles << " |" << std::endl;
      if (m.miscorrections != 0) std::cerr << "rate " << argv[i] << ": " << m.miscorrections << " miscorrections\n";
    }
  } catch (const std::exception& error) {
    std::cerr << "ldpc_curves: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
