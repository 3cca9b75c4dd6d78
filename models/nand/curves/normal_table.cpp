// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the quantiles of the normal distribution that the cell model draws from, as a header: each start of the
// program would spend a twentieth of its time on them.
//
// usage: nand_normal_table FILE
#include <fmt/core.h>

#include <cstdio>

#include "models/nand/vth.h"

int main(int argc, char** argv) {
  std::FILE* const file = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
  if (file == nullptr) {
    fmt::print(stderr, "usage: nand_normal_table FILE, which can be written\n");
    return 2;
  }
  fmt::print(file, "// By models/nand/curves/normal_table.cpp.\n#pragma once\n\n#include <array>\n\n");
  fmt::print(file, "namespace wordline::nand {{\n\n");
  fmt::print(file, "/// At the middles of as many equal shares of probability.\n");
  fmt::print(file, "inline constexpr std::array<double, {}> kNormalQuantiles{{\n",
             wordline::nand::kNormalQuantileCount);
  for (unsigned i = 0; i < wordline::nand::kNormalQuantileCount; ++i) {
    const double share = (i + 0.5) / wordline::nand::kNormalQuantileCount;
    fmt::print(file, "    {:a},\n", wordline::nand::normal_quantile(share));
  }
  fmt::print(file, "}};\n\n}}  // namespace wordline::nand\n");
  return std::fclose(file) == 0 ? 0 : 1;
}
