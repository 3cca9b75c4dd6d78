// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "models/ecc/decoders/decoder_table.h"

/// A Table without allocations, as decoder_table_header writes it.
namespace wordline::ecc::builtin {

/// Pieces of a distribution of clocks, among those of all.
struct Clocks {
  std::size_t first, count;
};
struct Row {
  unsigned bit_errors;
  double bit_flipping_failure;
  Clocks bit_flipping_clocks;
  double min_sum_failure;
  Clocks min_sum_clocks;
};
struct Soft {
  unsigned reads;
  std::size_t rows;  // rows behind those of the ones before
  double wrong[kMaxRegions], right[kMaxRegions];
};
struct SoftClocks {
  double severity, min_sum_failure;
  Clocks min_sum_clocks;
};

}  // namespace wordline::ecc::builtin
