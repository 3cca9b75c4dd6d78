// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_nvme [COMMANDS [SEED [KEY=VALUE...]]]: as the test, for longer, on the small drive with these settings. Exit
// code 1 when something failed.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <systemc>

#include "testbenches/fuzz/nvme/nvme_fuzz.h"

int sc_main(int argc, char** argv) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  try {
    return wordline::fuzz::fuzz_nvme(WORDLINE_SMALL_DRIVE, {argv + std::min(argc, 3), argv + argc},
                                     argument(1, 100'000), argument(2, 1))
        .print();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
