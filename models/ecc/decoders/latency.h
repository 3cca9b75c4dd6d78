// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// How many clocks a decoder takes when it succeeds: a distribution by its quantile function, in straight pieces.
///
/// As text: `CLOCKS` when it is always the same, else comma-separated `CLOCKS:WORDS` (so many words took exactly that)
/// or `FROM-TO:WORDS` (they spread evenly over FROM to TO, both included), rising.
/// It says nothing of words that are given up: these take all clocks there are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace wordline::ecc {

class Latency {
 public:
  struct Span {
    std::uint32_t from;
    std::uint32_t to;
    std::uint64_t words;
  };

  /// A straight piece of the quantile function.
  struct Piece {
    double until;  // u below which it applies
    float from;
    float to;
  };

  /// Always so many clocks.
  Latency(std::uint32_t clocks) : Latency(std::vector<Span>{{clocks, clocks, 1}}) {}
  Latency() : Latency(1U) {}
  /// Throws std::invalid_argument unless there are words, every span counts at least one and they rise without overlap.
  explicit Latency(const std::vector<Span>& spans);

  /// The pieces of another latency.
  Latency(const Piece* pieces, std::size_t count) : pieces_(pieces, pieces + count) { find_starts(); }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

  /// Throws std::invalid_argument on any other text.
  [[nodiscard]] static Latency parse(const std::string& text);

  /// u in [0, 1).
  [[nodiscard]] double quantile(double u) const {
    std::size_t i = starts_[std::min(static_cast<unsigned>(u * kParts), kParts - 1)];
    while (i + 1 < pieces_.size() && u >= pieces_[i].until) ++i;
    const Piece& piece = pieces_[i];
    if (piece.from == piece.to) return piece.from;
    const double start = i == 0 ? 0 : pieces_[i - 1].until;
    return piece.from + (piece.to - piece.from) * std::min(1.0, (u - start) / (piece.until - start));
  }
  [[nodiscard]] std::uint32_t clocks(double u) const { return static_cast<std::uint32_t>(quantile(u) + 0.5); }
  [[nodiscard]] double mean() const;

 private:
  static constexpr unsigned kParts = 32;

  void find_starts();

  std::vector<Piece> pieces_;
  // Where a search begins: pieces below belong to u of the parts before.
  std::array<std::uint16_t, kParts> starts_{};
};

/// Clocks measured (and how often), brought together in spans of neighbours in the same `bin`; without, all apart.
[[nodiscard]] std::vector<Latency::Span> spans_of(const std::map<std::uint32_t, std::uint64_t>& clocks,
                                                  unsigned (*bin)(std::uint32_t) = nullptr);
void write_spans(std::ostream& out, const std::vector<Latency::Span>& spans);

}  // namespace wordline::ecc
