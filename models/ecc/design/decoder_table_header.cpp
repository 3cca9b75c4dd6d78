// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the decoder's table as C++, so that a program need not read its text each time it starts.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "models/ecc/decoders/decoder_table.h"

using namespace wordline::ecc;

namespace {

/// Numbers in hexadecimal: what is read back is the same to the last bit.
class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) { out_ << std::hexfloat; }

  void write(const Table& table) {
    out_ << "// Written by decoder_table_header from models/ecc/decoders/decoder.table; do not edit.\n"
            "#pragma once\n\n"
            "#include \"models/ecc/decoders/builtin_rows.h\"\n\n"
            "namespace wordline::ecc::builtin {\n\n"
            "inline constexpr unsigned kBitFlippingLimit = "
         << table.bit_flipping_limit << ", kMinSumLimit = " << table.min_sum_limit
         << ";\ninline constexpr double kCorrelation = " << table.correlation
         << ";\n\ninline constexpr Row kRows[] = {\n";
    for (const TableRow& row : table.rows) {
      out_ << "    {" << row.bit_errors << ", " << row.bit_flipping_failure << ", ";
      place(row.bit_flipping_clocks);
      out_ << ", " << row.min_sum_failure << ", ";
      place(row.min_sum_clocks);
      out_ << "},\n";
    }
    out_ << "};\n\ninline constexpr Soft kSoft[] = {\n";
    for (const SoftTable& soft : table.soft) {
      out_ << "    {" << soft.reads << ", " << soft.rows.size() << ", {";
      for (const double weight : soft.weights.wrong) out_ << weight << ", ";
      out_ << "}, {";
      for (const double weight : soft.weights.right) out_ << weight << ", ";
      out_ << "}},\n";
    }
    out_ << "};\n\ninline constexpr SoftClocks kSoftRows[] = {\n";
    for (const SoftTable& soft : table.soft) {
      for (const SoftRow& row : soft.rows) {
        out_ << "    {" << row.severity << ", " << row.min_sum_failure << ", ";
        place(row.min_sum_clocks);
        out_ << "},\n";
      }
    }
    out_ << "};\n\ninline constexpr Latency::Piece kPieces[] = {\n" << pieces_ << "};\n\n}  // namespace\n";
  }

 private:
  void place(const Latency& latency) {
    out_ << "{" << count_ << ", " << latency.pieces().size() << "}";
    std::ostringstream text;
    text << std::hexfloat;
    for (const Latency::Piece& piece : latency.pieces()) {
      text << "    {" << piece.until << ", " << piece.from << "F, " << piece.to << "F},\n";
    }
    pieces_ += text.str();
    count_ += latency.pieces().size();
  }

  std::ostream& out_;
  std::string pieces_;
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: decoder_table_header TABLE OUTPUT.h\n";
    return EXIT_FAILURE;
  }
  try {
    const Table table = load_table(argv[1]);
    std::ofstream out(argv[2]);
    Writer(out).write(table);
    out.close();
    if (out) return EXIT_SUCCESS;
    std::cerr << argv[2] << ": cannot be written\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return EXIT_FAILURE;
}
