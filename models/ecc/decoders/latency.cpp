// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <stdexcept>

namespace wordline::ecc {
namespace {

/// The number at `at`, which then lies behind it.
std::uint64_t parse_number(const char*& at, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(at, text.data() + text.size(), value);
  if (error != std::errc() || value > 1'000'000'000) {
    throw std::invalid_argument(
        fmt::format("`{}` are no clocks; expected CLOCKS, or CLOCKS:WORDS,FROM-TO:WORDS,...", text));
  }
  at = end;
  return value;
}

}  // namespace

Latency::Latency(const std::vector<Span>& spans) {
  std::uint64_t words = 0;
  for (const Span& span : spans) words += span.words;
  if (words == 0) throw std::invalid_argument("a distribution of clocks without words");
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.words == 0 || span.from == 0 || span.to < span.from || (i > 0 && span.from <= spans[i - 1].to)) {
      throw std::invalid_argument("clocks must rise, from 1, and every number of words be positive");
    }
    before += span.words;
    const bool point = span.from == span.to;
    pieces_.push_back({static_cast<double>(before) / static_cast<double>(words),
                       static_cast<float>(point ? span.from : span.from - 0.5),
                       static_cast<float>(point ? span.to : span.to + 0.5)});
  }
  find_starts();
}

Latency Latency::parse(const std::string& text) {
  const char* at = text.c_str();  // ends with a zero, which no form accepts
  std::vector<Span> spans;
  do {
    Span span{};
    span.from = span.to = static_cast<std::uint32_t>(parse_number(at, text));
    if (*at == '-') span.to = static_cast<std::uint32_t>(parse_number(++at, text));
    if (*at == ':') {
      span.words = parse_number(++at, text);
    } else if (spans.empty() && span.from == span.to) {
      span.words = 1;
    }
    spans.push_back(span);
  } while (*at++ == ',');
  if (at != text.data() + text.size() + 1)
    throw std::invalid_argument(fmt::format("`{}`: expected CLOCKS, or CLOCKS:WORDS,FROM-TO:WORDS,...", text));
  return Latency(spans);
}

void Latency::find_starts() {
  std::size_t piece = 0;
  for (unsigned part = 0; part < kParts; ++part) {
    while (piece + 1 < pieces_.size() && pieces_[piece].until <= static_cast<double>(part) / kParts) ++piece;
    starts_[part] = static_cast<std::uint16_t>(piece);
  }
}

double Latency::mean() const {
  double sum = 0;
  double start = 0;
  for (const Piece& piece : pieces_) {
    sum += (piece.until - start) * (piece.from + piece.to) / 2;
    start = piece.until;
  }
  return sum;
}

std::vector<Latency::Span> spans_of(const std::map<std::uint32_t, std::uint64_t>& clocks,
                                    unsigned (*bin)(std::uint32_t)) {
  std::vector<Latency::Span> spans;
  for (const auto& [value, words] : clocks) {
    if (bin != nullptr && !spans.empty() && bin(spans.back().to) == bin(value)) {
      spans.back().to = value;
      spans.back().words += words;
    } else {
      spans.push_back({value, value, words});
    }
  }
  return spans;
}

void write_spans(std::ostream& out, const std::vector<Latency::Span>& spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (i > 0) out << ',';
    out << spans[i].from;
    if (spans[i].to != spans[i].from) out << '-' << spans[i].to;
    out << ':' << spans[i].words;
  }
}

}  // namespace wordline::ecc
