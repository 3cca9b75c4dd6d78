// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/units/quantity.h"

namespace wordline::nand {

/// Relative chip area of a block, eq. (2) of Bang et al., "Application-aware Design Parameter Exploration of NAND Flash
/// Memory" (JSTS 2013): C_b = S_p { (N_p / tau + O_b) + O_p / N_b }. Only ratios of two results mean anything: the
/// source calls it bits per block, and adds overheads per page and per block as if of one unit.
struct BlockCost {
  double page = 1;             // S_p, in any unit
  double pages_per_block = 1;  // N_p
  double blocks = 1;           // N_b
  unsigned bits_per_cell = 1;  // tau = 2 per bit: 2 SLC, 4 MLC; beyond two bits the rule is continued, not sourced
  double block_overhead = 3;   // O_b, 2 to 5
  double page_overhead = 5;    // O_p, 1 to 10
};
[[nodiscard]] double relative_area(const BlockCost& cost);
/// The cost of a block over the bits that the block holds: what a bit costs.
[[nodiscard]] double relative_cost_per_bit(const BlockCost& cost);

/// Two cell arrays of a die side by side: their word lines have the lengths of the two page sizes (Kim et al., TVLSI
/// 2016). Eq. (1): cells A_c1 + A_c2 and row decoders A_d1 + A_d2 take the same area for every split of the same sum,
/// because a driver grows with the word line that it drives.
struct ArrayPair {
  Bytes first, second;  // page sizes
};
struct ArrayArea {
  double cells;     // cells in bytes of word line per row
  double decoders;  // decoders in the same unit
  [[nodiscard]] double total() const { return cells + decoders; }
};
/// `driver_share`: area of a row decoder over that of the cells which it drives (assumed; it cancels in eq. (1)).
[[nodiscard]] ArrayArea array_area(const ArrayPair& pair, double driver_share = 0.05);
/// Whether two dies have the same array area: eq. (1).
[[nodiscard]] bool same_area(const ArrayPair& a, const ArrayPair& b);
/// Share of the capacity in the second array, when both have as many word lines.
[[nodiscard]] double second_share(const ArrayPair& pair);

/// Area of the cells of a die, in bytes of word line times word lines: the sum over the blocks of both kinds. A cell is
/// as large in both.
[[nodiscard]] double cell_area(const config::Nand& nand, const config::Layout& layout);

}  // namespace wordline::nand
