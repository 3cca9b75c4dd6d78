// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/decoder_table.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace wordline::ecc {
namespace {

bool probability(double p) { return p >= 0.0 && p <= 1.0; }

/// The message for the first impossible value, or empty.
std::string fault(const TableRow& row, const TableRow* before) {
  if (!probability(row.bit_flipping_failure) || !probability(row.min_sum_failure)) {
    return "a probability of failure lies outside 0 to 1";
  }
  if (row.bit_errors > kCodewordBits) {
    return fmt::format("more bit errors than the {} bits of a codeword", kCodewordBits);
  }
  if (before != nullptr && row.bit_errors <= before->bit_errors) return "bit errors must rise from row to row";
  return {};
}

std::string fault(const SoftRow& row, const SoftRow* before) {
  if (!probability(row.min_sum_failure)) return "a probability of failure lies outside 0 to 1";
  if (!(row.severity >= 0)) return "a severity is at least 0";
  if (before != nullptr && row.severity <= before->severity) return "severity must rise from row to row";
  return {};
}

/// One table's lines; every method throws std::invalid_argument without file and line.
class Parser {
 public:
  void line(const std::string& text) {
    std::istringstream words(text);
    std::string first;
    if (!(words >> first)) return;
    if (first == "limits") {
      limits(words);
    } else if (first == "correlation") {
      if (!(words >> table_.correlation) || !at_end(words) || table_.correlation < -1 || table_.correlation > 1) {
        throw std::invalid_argument("expected `correlation R`, from -1 to 1");
      }
    } else if (first == "soft") {
      soft(words);
    } else if (table_.soft.empty()) {
      hard_row(text);
    } else {
      soft_row(text);
    }
  }
  [[nodiscard]] Table&& take() { return std::move(table_); }

 private:
  static bool at_end(std::istream& words) {
    std::string rest;
    return !(words >> rest);
  }

  void limits(std::istream& words) {
    long long bit_flipping = 0;
    long long min_sum = 0;
    if (!(words >> bit_flipping >> min_sum) || !at_end(words) || bit_flipping <= 0 || min_sum <= 0 ||
        bit_flipping > 1'000'000'000 || min_sum > 1'000'000'000) {
      throw std::invalid_argument("expected `limits BF_CLOCKS MS_CLOCKS`, two positive whole numbers");
    }
    if (table_.bit_flipping_limit != 0) throw std::invalid_argument("a second `limits` line");
    table_.bit_flipping_limit = static_cast<std::uint32_t>(bit_flipping);
    table_.min_sum_limit = static_cast<std::uint32_t>(min_sum);
  }

  void soft(std::istream& words) {
    SoftTable soft;
    if (!(words >> soft.reads)) throw std::invalid_argument("expected `soft READS wrong W... right W...`");
    const unsigned regions = soft_level(soft.reads).regions;
    if (soft.reads == 1) throw std::invalid_argument("one read is no soft read");
    for (const SoftTable& other : table_.soft) {
      if (other.reads == soft.reads) {
        throw std::invalid_argument(fmt::format("a second section of {} reads", soft.reads));
      }
    }
    const auto weights = [&](const char* name, std::array<double, kMaxRegions>& to) {
      std::string word;
      bool good = static_cast<bool>(words >> word) && word == name;
      for (unsigned r = 0; r < regions && good; ++r) good = static_cast<bool>(words >> to[r]) && to[r] >= 0;
      if (!good) {
        throw std::invalid_argument(
            fmt::format("expected `{}` and {} weights, at least 0, of {} reads", name, regions, soft.reads));
      }
    };
    weights("wrong", soft.weights.wrong);
    weights("right", soft.weights.right);
    if (!at_end(words)) throw std::invalid_argument("more weights than regions");
    table_.soft.push_back(soft);
  }

  void hard_row(const std::string& text) {
    std::istringstream words(text);
    long long errors = 0;
    TableRow row{};
    std::string bit_flipping;
    std::string min_sum;
    if (!(words >> errors >> row.bit_flipping_failure >> bit_flipping >> row.min_sum_failure >> min_sum) ||
        !at_end(words) || errors < 0 || errors > kCodewordBits) {
      throw std::invalid_argument(
          fmt::format("expected `BIT_ERRORS BF_FAILURE BF_CLOCKS MS_FAILURE MS_CLOCKS`, found `{}`", text));
    }
    row.bit_errors = static_cast<unsigned>(errors);
    row.bit_flipping_clocks = Latency::parse(bit_flipping);
    row.min_sum_clocks = Latency::parse(min_sum);
    const std::string what = fault(row, table_.rows.empty() ? nullptr : &table_.rows.back());
    if (!what.empty()) throw std::invalid_argument(what);
    table_.rows.push_back(row);
  }

  void soft_row(const std::string& text) {
    std::istringstream words(text);
    SoftRow row{};
    std::string clocks;
    if (!(words >> row.severity >> row.min_sum_failure >> clocks) || !at_end(words)) {
      throw std::invalid_argument(fmt::format("expected `SEVERITY MS_FAILURE MS_CLOCKS`, found `{}`", text));
    }
    row.min_sum_clocks = Latency::parse(clocks);
    auto& rows = table_.soft.back().rows;
    const std::string what = fault(row, rows.empty() ? nullptr : &rows.back());
    if (!what.empty()) throw std::invalid_argument(what);
    rows.push_back(row);
  }

  Table table_;
};

}  // namespace

void check_table(const Table& table) {
  if (table.rows.empty()) throw std::invalid_argument("no row; expected lines of bit errors, failures and clocks");
  if (table.bit_flipping_limit == 0 || table.min_sum_limit == 0) {
    throw std::invalid_argument("no line `limits BF_CLOCKS MS_CLOCKS`");
  }
  const TableRow* before = nullptr;
  for (const TableRow& row : table.rows) {
    const std::string what = fault(row, before);
    if (!what.empty()) throw std::invalid_argument(fmt::format("row of {} bit errors: {}", row.bit_errors, what));
    before = &row;
  }
  for (const SoftTable& soft : table.soft) {
    if (soft.rows.empty()) {
      throw std::invalid_argument(
          fmt::format("section of {} reads: no row; expected lines of severity, failure and clocks", soft.reads));
    }
    const SoftRow* previous = nullptr;
    for (const SoftRow& row : soft.rows) {
      const std::string what = fault(row, previous);
      if (!what.empty()) throw std::invalid_argument(fmt::format("section of {} reads: {}", soft.reads, what));
      previous = &row;
    }
  }
}

Table parse_table(std::istream& in, const std::string& name) {
  Parser parser;
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    if (const auto comment = line.find('#'); comment != std::string::npos) line.erase(comment);
    try {
      parser.line(line);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (in.bad()) throw std::runtime_error(fmt::format("{}: cannot be read to its end", name));
  Table table = parser.take();
  try {
    check_table(table);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format("{}: {}", name, error.what()));
  }
  return table;
}

Table load_table(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    throw std::runtime_error(
        fmt::format("{}: cannot be opened; ecc.table names the decoder's table, empty for the built-in", path));
  }
  return parse_table(in, path);
}

}  // namespace wordline::ecc
