// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/start_values.h"

#include <fmt/format.h>

#include <stdexcept>

#include "rtl/verilated/verilated_top.h"

namespace wordline::rtl {
namespace {

// As VerilatedContext::randReset() takes them.
enum Start : int { kZeros = 0, kOnes = 1, kRandom = 2 };

Start start = kZeros;
int seed = 1;
int blocks = 0;  // made since start_with_random()

}  // namespace

void start_with_zeros() { start = kZeros; }
void start_with_ones() { start = kOnes; }

void start_with_random(int with_seed) {
  if (with_seed < 1 || with_seed > 1'000'000) {
    throw std::invalid_argument(fmt::format("start values: seed {}; 1 to 1000000", with_seed));
  }
  start = kRandom;
  seed = with_seed;
  blocks = 0;
}

StartContext::StartContext() {
  randReset(start);
  if (start == kRandom) randSeed(seed * 1000 + blocks++ % 1000);
}

}  // namespace wordline::rtl
