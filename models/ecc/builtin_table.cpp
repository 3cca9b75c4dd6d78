// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/calibrated_decoder.h"

namespace wordline::ecc {
namespace {

constexpr std::uint32_t kIterationCycles = 73;   // bit flipping: one block column per clock
constexpr std::uint32_t kMaxIterations = 20;     // both tiers
constexpr std::uint32_t kMinSumIteration = 582;  // two phases of 291 circulants

/// Layers times 73 cycles (about 36.5 circulants, two phases).
constexpr std::uint32_t layers(double mean) { return static_cast<std::uint32_t>(mean * 73.0 + 0.5); }
/// Mean iterations at a bit error rate, less the 20 cycles by which the zero-syndrome exit comes before an iteration's
/// end (13 and 28 measured at 1e-3 and 3e-3).
constexpr std::uint32_t iterations(double mean) {
  return static_cast<std::uint32_t>(mean * kIterationCycles - 20 + 0.5);
}

}  // namespace

// Measured with a bit-exact C++ model and RTL of the decoder on the 8x73, Z = 256 code:
// "count": 2000 codewords with exactly this many errors, failures of each tier and mean layers of min-sum.
// "rate": codewords on a channel of fixed error rate; the row sits at the mean count, mean iterations of bit flipping.
// "rtl": cycles counted in RTL simulation.
Table builtin_table() {
  return {
      kMaxIterations * kIterationCycles,  // gives up after 20 iterations
      kMaxIterations * kMinSumIteration,  // 11640 cycles
      {
          // No error: the syndrome is zero when the last bit is in, so the exit comes at once (structure of the RTL).
          {0, 0.0, 1, 0.0, layers(8)},
          // Bit flipping 0/2000 by count; 1e-4 is the rate 1e-3 (mean 18.6 errors, 2/20000). 164 cycles: rtl at 1e-3.
          {20, 1.0e-4, 164, 0.0, layers(16.4)},
          // By count 0.0025 and 20.1 layers; 3.34 iterations: rate 2e-3 (mean 37.2).
          {40, 0.0025, iterations(3.34), 0.0, layers(20.1)},
          // By count 0.0135 and 23.4 layers; 267 cycles: rtl at 3e-3 (mean 55.8).
          {60, 0.0135, 267, 0.0, layers(23.4)},
          // By count 0.116 and 27.3 layers; 5.13 iterations: rate 4e-3 (mean 74.4).
          {80, 0.116, iterations(5.13), 0.0, layers(27.3)},
          // By count 0.603 and 32.2 layers; 6.90 iterations: rate 5e-3 (mean 93).
          {100, 0.603, iterations(6.90), 0.0, layers(32.2)},
          // By count. Iterations of the few bit flipping successes from here on: the slope of the two rows before
          // (ours).
          {110, 0.886, iterations(7.8), 0.0, layers(35.5)},
          {120, 0.988, iterations(8.7), 0.0, layers(39.6)},
          {130, 1.0, iterations(9.6), 0.0, layers(45.0)},
          // Min-sum 0/2000 by count (below 1.5e-3); 2.2e-4 continues the logit slope of the next two rows, and with it
          // the fold with the binomial gives the frame error rates measured at 6e-3 to 8.5e-3.
          {140, 1.0, iterations(9.6), 2.2e-4, layers(52.9)},
          {150, 1.0, iterations(9.6), 0.0075, layers(67.8)},  // by count, 15/2000
          {160, 1.0, iterations(9.6), 0.203,
           layers(93.7)},  // by count, 406/2000
                           // Same logit slope onwards (3.5 per 10 errors); layers near the limit of 160 (ours).
          {170, 1.0, iterations(9.6), 0.896, layers(120)},
          {180, 1.0, iterations(9.6), 0.9965, layers(140)},
          {190, 1.0, iterations(9.6), 1.0, layers(160)},
      },
  };
}

}  // namespace wordline::ecc
