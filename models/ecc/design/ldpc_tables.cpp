// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the code's tables as a SystemVerilog package, so that RTL and model cannot differ in them.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "models/ecc/code/ldpc_code.h"

using namespace wordline::ecc;

namespace {

std::uint64_t reversed(std::uint64_t word) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < 64; ++bit) result |= (word >> bit & 1) << (63 - bit);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: ldpc_tables OUTPUT.sv\n";
    return EXIT_FAILURE;
  }
  std::ofstream out(argv[1]);
  const LdpcCode& code = LdpcCode::instance();
  out << "// Written by ldpc_tables from models/ecc/code/ldpc_base.h; do not edit.\n"
         "// Check j of block row r holds bit (j + shift) mod Z of block column c.\n"
         "package ldpc_base_pkg;\n"
      << "  localparam int unsigned BlockRows = " << kBlockRows << ";\n"
      << "  localparam int unsigned BlockColumns = " << kBlockColumns << ";\n"
      << "  localparam int unsigned Lifting = " << kLifting << ";\n"
      << "  localparam int unsigned StreamBeats = " << kStreamBeats << ";\n"
      << "  localparam int unsigned InformationBits = " << kInformationBits << ";  // the first shortened bit\n"
      << "  localparam int unsigned ShortenedBits = " << kShortenedBits << ";\n\n";

  // Elements of one dimension, and nothing to work out: Verilator takes a minute for what it has to compute here.
  out << "  // By block column, the first one in the lowest bits: up to four circulants {valid, row[2:0], "
         "shift[7:0]}.\n"
         "  localparam logic [47:0] ColumnCirculants[BlockColumns] = '{\n    ";
  for (unsigned c = 0; c < kBlockColumns; ++c) {
    std::uint64_t packed = 0;
    unsigned at = 0;
    for (const Circulant& k : code.column(c)) {
      packed |= std::uint64_t{0x800U | k.block << 8U | k.shift} << at;
      at += 12;
    }
    out << "48'd" << packed << (c + 1 == kBlockColumns ? "\n" : c % 6 == 5 ? ",\n    " : ", ");
  }
  out << "  };\n\n";

  unsigned circulants = 0;
  for (unsigned r = 0; r < kBlockRows; ++r) circulants += code.row(r).size;
  out << "  // The same by rows, rising columns within a row: the order in which min-sum takes them.\n"
         "  localparam int unsigned Circulants = "
      << circulants << ";\n  localparam int unsigned RowStart[BlockRows+1] = '{0";
  unsigned start = 0;
  for (unsigned r = 0; r < kBlockRows; ++r) out << ", " << (start += code.row(r).size);
  const auto list = [&](const char* name, auto value) {
    out << "};\n  localparam int unsigned " << name << "[Circulants] = '{";
    const char* comma = "";
    for (unsigned r = 0; r < kBlockRows; ++r) {
      for (const Circulant& k : code.row(r)) {
        out << comma << value(k);
        comma = ", ";
      }
    }
  };
  list("CirculantColumn", [](const Circulant& k) { return unsigned{k.block}; });
  list("CirculantShift", [](const Circulant& k) { return unsigned{k.shift}; });
  out << "};\n\n";

  out << "  // inverse(H_parity), element 8 r + c: bit 255 - k is a rotation by k of syndrome row c into parity column "
         "r.\n"
         "  localparam logic [Lifting-1:0] ReversedInverse[BlockRows*BlockRows] = '{\n";
  out << std::hex << std::setfill('0');
  for (unsigned i = 0; i < kBlockRows * kBlockRows; ++i) {
    out << "    256'h";
    const Lanes& inverse = code.inverse(i / kBlockRows, i % kBlockRows);
    for (const std::uint64_t word : inverse.word) out << std::setw(16) << reversed(word);
    out << (i + 1 < kBlockRows * kBlockRows ? ",\n" : "\n");
  }
  out << "  };\nendpackage\n";
  out.flush();
  if (!out) {
    std::cerr << "ldpc_tables: " << argv[1] << " cannot be written\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
