// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/ecc/calibration/calibration.h"
#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/ecc/decoders/min_sum_decoder.h"
#include "models/ecc/decoders/normal.h"
#include "models/units/keyed_random.h"

namespace wordline::ecc {
namespace {

constexpr std::uint64_t kPurposeWord = 0x776f7264;
constexpr std::uint64_t kPurposeError = 0x6572726f72;
constexpr std::uint64_t kPurposeRate = 0x72617465;
constexpr std::uint64_t kPurposeSoft = 0x736f6674;
constexpr unsigned kDifferentWords = 64;  // what the decoders do depends on the errors; min-sum's ties on the word too

std::vector<CodeBits> codewords(std::uint64_t seed) {
  std::vector<CodeBits> words(kDifferentWords);
  for (unsigned w = 0; w < kDifferentWords; ++w) {
    for (unsigned c = 0; c < kInformationColumns; ++c) {
      for (unsigned i = 0; i < 4; ++i) words[w][c].word[i] = keyed_hash(seed, kPurposeWord, w, c, i);
    }
    words[w][kShortenedColumn] = words[w][kShortenedColumn] & ~kShortenedLanes;
    LdpcCode::instance().encode(words[w]);
  }
  return words;
}

/// Bit of the code for a stored bit: the shortened ones are skipped.
unsigned code_bit(unsigned stored) { return stored < kInformationBits ? stored : stored + kShortenedBits; }

void need_words(unsigned words) {
  if (words == 0) throw std::invalid_argument("decoder calibration: needs at least one word");
}

/// A word that went through both tiers.
struct Pair {
  bool given_up;         // given up by tier 1
  std::uint32_t clocks;  // clocks of tier 2; the greatest number when it gave up
};

/// Sums of normal scores (ranks, ties at their middle). With the copula of CalibratedDecoder and a share p given up,
/// the expected sum is the correlation times words times the density at the quantile of p.
void add_scores(std::vector<Pair>& pairs, Measurement& m) {
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.clocks < b.clocks; });
  const auto words = static_cast<double>(pairs.size());
  const auto given_up =
      static_cast<double>(std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.given_up; }));
  if (given_up < 20 || words - given_up < 20) return;  // too few to tell
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t end = i;
    double tied = 0;
    while (end < pairs.size() && pairs[end].clocks == pairs[i].clocks) tied += pairs[end++].given_up ? 1 : 0;
    m.score += tied * normal_quantile(static_cast<double>(i + end) / 2 / words);
    i = end;
  }
  m.full_score = words * normal_density(normal_quantile(given_up / words));
}

/// Puts exactly `errors` wrong bits into a codeword.
void corrupt_count(unsigned errors, std::uint64_t seed, std::uint64_t frame, CodeBits& bits) {
  CodeBits flips{};
  unsigned placed = 0;
  for (std::uint64_t i = 0; placed < errors; ++i) {
    const unsigned bit =
        code_bit(static_cast<unsigned>(keyed_hash(seed, kPurposeError, errors, frame, i) % kCodewordBits));
    if (flips[bit / kLifting].test(bit % kLifting)) continue;
    flips[bit / kLifting].flip(bit % kLifting);
    ++placed;
  }
  for (unsigned c = 0; c < kBlockColumns; ++c) bits[c] ^= flips[c];
}

/// `corrupt(frame, bits)` puts the errors of that frame into a codeword.
template <class Corrupt>
Measurement measure(unsigned words, std::uint64_t seed, Corrupt corrupt) {
  need_words(words);
  const std::vector<CodeBits> written = codewords(seed);
  MinSumDecoder min_sum;
  Measurement m;
  std::vector<Pair> pairs;
  for (std::uint64_t frame = 0; frame < std::uint64_t{words} * kBitFlippingShare; ++frame) {
    const CodeBits& word = written[frame % kDifferentWords];
    CodeBits bits = word;
    corrupt(frame, bits);
    CodeBits repaired = bits;
    const BitFlippingResult first = BitFlippingDecoder::decode(repaired);
    m.bit_flipping.add(first.ok, first.cycles);
    if (first.ok && repaired != word) ++m.miscorrections;
    if (frame >= words) continue;
    const MinSumResult second = min_sum.decode(bits);
    m.min_sum.add(second.ok, second.cycles);
    if (second.ok && bits != word) ++m.miscorrections;
    pairs.push_back({!first.ok, second.ok ? second.cycles : std::numeric_limits<std::uint32_t>::max()});
  }
  add_scores(pairs, m);
  return m;
}

/// `draw(frame)` gives the counts of that frame.
template <class Draw>
Measurement measure_soft(const SoftLevel& level, unsigned words, std::uint64_t seed, Draw draw,
                         const EachSoftWord& each) {
  need_words(words);
  const std::vector<CodeBits> written = codewords(seed);
  MinSumDecoder min_sum;
  Measurement m;
  for (std::uint64_t frame = 0; frame < words; ++frame) {
    const CodeBits& word = written[frame % kDifferentWords];
    const SoftCounts counts = draw(frame);
    ReadBits read =
        read_codeword(word, level, counts, keyed_hash(seed, kPurposeError, level.reads, frame, counts.errors()));
    const MinSumResult result = min_sum.decode(read.hard, read.rel0, read.rel1, level.llr);
    m.min_sum.add(result.ok, result.cycles);
    if (result.ok && read.hard != word) ++m.miscorrections;
    if (each) each(counts, result.ok, result.cycles);
  }
  return m;
}

/// Counts of one word of a channel: binomial errors, then their regions.
SoftCounts draw_word(const SoftLevel& level, const SoftChannel& channel, std::uint64_t key) {
  const unsigned errors = draw_binomial(kCodewordBits, channel.error_rate(), unit_interval(keyed_hash(key, 1)));
  return draw_soft_counts(level, channel, errors, keyed_hash(key, 2));
}

double mean_severity(const SeverityWeights& weights, const SoftChannel& channel) {
  double sum = 0;
  for (unsigned r = 0; r < kMaxRegions; ++r) {
    sum += weights.wrong[r] * channel.wrong[r] + weights.right[r] * channel.right[r];
  }
  return sum * kCodewordBits;
}

}  // namespace

double TierCount::mean_clocks() const {
  double sum = 0;
  for (const auto& [value, count] : clocks) sum += static_cast<double>(value) * static_cast<double>(count);
  return words > failures ? sum / static_cast<double>(words - failures) : 0.0;
}

Measurement measure_count(unsigned errors, unsigned words, std::uint64_t seed) {
  if (errors > kCodewordBits) throw std::invalid_argument("decoder calibration: more errors than bits");
  return measure(words, seed, [&](std::uint64_t frame, CodeBits& bits) { corrupt_count(errors, seed, frame, bits); });
}

Measurement measure_flow(unsigned errors, unsigned words, std::uint64_t seed) {
  if (errors > kCodewordBits) throw std::invalid_argument("decoder calibration: more errors than bits");
  need_words(words);
  const std::vector<CodeBits> written = codewords(seed);
  MinSumDecoder min_sum;
  Measurement m;
  for (std::uint64_t frame = 0; frame < words; ++frame) {
    const CodeBits& word = written[frame % kDifferentWords];
    CodeBits bits = word;
    corrupt_count(errors, seed, frame, bits);
    CodeBits repaired = bits;
    const BitFlippingResult first = BitFlippingDecoder::decode(repaired);
    m.bit_flipping.add(first.ok, first.cycles);
    if (!first.ok) {
      repaired = bits;
      const MinSumResult second = min_sum.decode(repaired);
      m.min_sum.add(second.ok, second.cycles);
      if (!second.ok) continue;
    }
    if (repaired != word) ++m.miscorrections;
  }
  return m;
}

Measurement measure_rate(double rate, unsigned words, std::uint64_t seed) {
  if (!(rate > 0.0 && rate < 1.0)) throw std::invalid_argument("decoder calibration: an error rate lies in (0, 1)");
  return measure(words, seed, [&](std::uint64_t frame, CodeBits& bits) {
    // Gaps between errors are geometric.
    double stored = -1;
    for (std::uint64_t i = 0;; ++i) {
      const double u = 1.0 - unit_interval(keyed_hash(seed, kPurposeRate, frame, i));  // (0, 1]
      stored += 1.0 + std::floor(std::log(u) / std::log1p(-rate));
      if (stored >= kCodewordBits) return;
      const unsigned bit = code_bit(static_cast<unsigned>(stored));
      bits[bit / kLifting].flip(bit % kLifting);
    }
  });
}

Measurement measure_soft_rate(unsigned reads, double rate, double spacing, unsigned words, std::uint64_t seed,
                              const EachSoftWord& each) {
  const SoftLevel& level = soft_level(reads);
  SoftLevel spaced = level;
  spaced.spacing *= spacing;
  const SoftChannel channel = symmetric_channel(spaced, rate);
  return measure_soft(
      level, words, seed,
      [&](std::uint64_t frame) { return draw_word(level, channel, keyed_hash(seed, kPurposeRate, reads, frame)); },
      each);
}

Measurement measure_severity(unsigned reads, double severity, unsigned words, std::uint64_t seed) {
  const SoftLevel& level = soft_level(reads);
  const SeverityWeights& weights = severity_weights(reads);
  if (severity == 0) {
    SoftCounts clean;
    clean.right[level.regions - 1] = kCodewordBits;
    return measure_soft(level, words, seed, [&](std::uint64_t) { return clean; }, {});
  }
  double low = 1e-9;
  double high = 0.2;
  if (!(severity > 0 && severity < mean_severity(weights, symmetric_channel(level, high)))) {
    throw std::invalid_argument(fmt::format("decoder calibration: no channel has a severity of {:f}", severity));
  }
  for (unsigned i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (mean_severity(weights, symmetric_channel(level, middle)) < severity ? low : high) = middle;
  }
  const SoftChannel channel = symmetric_channel(level, low);
  return measure_soft(level, words, seed,
                      [&](std::uint64_t frame) {
                        for (std::uint64_t i = 0;; ++i) {
                          const SoftCounts counts = draw_word(
                              level, channel,
                              keyed_hash(seed, kPurposeSoft, reads, static_cast<std::uint64_t>(severity), frame, i));
                          if (std::abs(weights.severity(counts) - severity) <= 0.5) return counts;
                        }
                      },
                      {});
}

}  // namespace wordline::ecc
