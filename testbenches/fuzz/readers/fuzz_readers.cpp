// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_readers [INPUTS [SEED [KIND]]]: as the test, for longer. Exit code 1 when something failed.
#include <cstdlib>
#include <systemc>

#include "testbenches/fuzz/readers/reader_fuzz.h"

int sc_main(int argc, char** argv) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  return wordline::fuzz::fuzz_readers(argument(1, 1'000'000), argument(2, 1), argc > 3 ? argv[3] : "").print();
}
