// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the code's tables as a SystemVerilog package, so that RTL and model cannot differ in them.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "models/ecc/code/ldpc_code.h"

using namespace wordline::ecc;

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

  out << "  // -1 where the block is zero.\n  localparam int Shift[BlockRows][BlockColumns] = '{\n";
  for (unsigned r = 0; r < kBlockRows; ++r) {
    out << "    '{";
    for (unsigned c = 0; c < kBlockColumns; ++c) out << kShift[r][c] << (c + 1 < kBlockColumns ? ", " : "}");
    out << (r + 1 < kBlockRows ? ",\n" : "\n");
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

  out << "  // inverse(H_parity): bit k of [r][c] is a rotation by k of syndrome row c into parity column r.\n"
         "  localparam logic [Lifting-1:0] Inverse[BlockRows][BlockRows] = '{\n";
  out << std::hex;
  for (unsigned r = 0; r < kBlockRows; ++r) {
    out << "    '{";
    for (unsigned c = 0; c < kBlockRows; ++c) {
      out << "256'h";
      for (unsigned i = 4; i-- > 0;) {
        out.width(16);
        out.fill('0');
        out << code.inverse(r, c).word[i];
      }
      out << (c + 1 < kBlockRows ? ",\n      " : "}");
    }
    out << (r + 1 < kBlockRows ? ",\n" : "\n");
  }
  out << "  };\nendpackage\n";
  out.flush();
  if (!out) {
    std::cerr << "ldpc_tables: " << argv[1] << " cannot be written\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
