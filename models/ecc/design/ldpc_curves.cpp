// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the bit-true decoders do, as CSV, for the curves of docs/measurements/ecc.md (scripts/plot_ecc plots them):
//
//   ldpc_curves rate  READS WORDS SEED RATE...           channels of fixed error rate at the centre read
//   ldpc_curves count WORDS SEED ERRORS...               one read, exactly so many wrong bits
//   ldpc_curves words READS WORDS SEED RATE:SPACING...   every word of soft reads: what was read, what came of it
//
// READS is 1, 2, 3, 5 or 7. With one read, tier 1 gets ten times as many words as tier 2.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/ecc/calibration/calibration.h"

namespace {

using wordline::ecc::Measurement;

constexpr const char* kUsage =
    "usage: ldpc_curves rate READS WORDS SEED RATE...\n"
    "       ldpc_curves count WORDS SEED ERRORS...\n"
    "       ldpc_curves words READS WORDS SEED RATE:SPACING...\n";

std::uint64_t whole(const std::string& text) {
  std::size_t used = 0;
  const unsigned long long value = text.empty() || text[0] == '-' ? 0 : std::stoull(text, &used);
  if (used != text.size() || text.empty()) throw std::invalid_argument(fmt::format("`{}` is no whole number", text));
  return value;
}

double number(const std::string& text) {
  std::size_t used = 0;
  const double value = std::stod(text, &used);
  if (used != text.size()) throw std::invalid_argument(fmt::format("`{}` is no number", text));
  return value;
}

void print(const char* tier, unsigned reads, const std::string& at, const wordline::ecc::TierCount& count) {
  std::cout << tier << ',' << reads << ',' << at << ',' << count.words << ',' << count.failures << ','
            << count.mean_clocks() << std::endl;
}

void print(unsigned reads, const std::string& at, const Measurement& m) {
  if (reads == 1) print("bit_flipping", 1, at, m.bit_flipping);
  print("min_sum", reads, at, m.min_sum);
  if (m.miscorrections != 0) std::cerr << at << ": " << m.miscorrections << " miscorrections\n";
}

int run(const std::vector<std::string>& arguments) {
  const auto argument = [&](std::size_t i) {
    if (i >= arguments.size()) throw std::invalid_argument(fmt::format("too few arguments\n{}", kUsage));
    return arguments[i];
  };
  const std::string mode = argument(0);
  if (mode != "rate" && mode != "count" && mode != "words") {
    throw std::invalid_argument(fmt::format("`{}` is no curve\n{}", mode, kUsage));
  }
  const std::size_t first = mode == "count" ? 1 : 2;
  const auto reads = mode == "count" ? 1U : static_cast<unsigned>(whole(argument(1)));
  (void)wordline::ecc::soft_level(reads);
  const auto words = static_cast<unsigned>(whole(argument(first)));
  const std::uint64_t seed = whole(argument(first + 1));
  (void)argument(first + 2);
  if (mode == "words") {
    std::cout << "rate,spacing,wrong0,wrong1,wrong2,wrong3,right0,right1,right2,right3,ok,clocks\n";
  } else {
    std::cout << "tier,reads," << (mode == "rate" ? "rate" : "errors") << ",words,failures,mean_clocks\n";
  }
  for (std::size_t i = first + 2; i < arguments.size(); ++i) {
    const std::string& at = arguments[i];
    if (mode == "count") {
      print(1, at, wordline::ecc::measure_count(static_cast<unsigned>(whole(at)), words, seed));
    } else if (mode == "rate") {
      print(reads, at,
            reads == 1 ? wordline::ecc::measure_rate(number(at), words, seed)
                       : wordline::ecc::measure_soft_rate(reads, number(at), 1.0, words, seed));
    } else {
      const std::size_t colon = at.find(':');
      if (colon == std::string::npos) throw std::invalid_argument(fmt::format("`{}`: expected RATE:SPACING", at));
      const std::string rate = at.substr(0, colon);
      const std::string spacing = at.substr(colon + 1);
      const auto each = [&](const wordline::ecc::SoftCounts& counts, bool ok, std::uint32_t clocks) {
        std::cout << rate << ',' << spacing;
        for (const std::uint32_t bits : counts.wrong) std::cout << ',' << bits;
        for (const std::uint32_t bits : counts.right) std::cout << ',' << bits;
        std::cout << ',' << ok << ',' << clocks << '\n';
      };
      (void)wordline::ecc::measure_soft_rate(reads, number(rate), number(spacing), words, seed, each);
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "ldpc_curves: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
