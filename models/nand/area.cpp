// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/area.h"

#include <cmath>
#include <stdexcept>

namespace wordline::nand {

double relative_area(const BlockCost& cost) {
  if (!(cost.page > 0) || !(cost.pages_per_block > 0) || !(cost.blocks > 0) || cost.bits_per_cell < 1 ||
      cost.bits_per_cell > 4) {
    throw std::invalid_argument("nand area: page, pages per block, blocks and bits per cell must be above zero");
  }
  const double tau = 2.0 * cost.bits_per_cell;
  return cost.page * ((cost.pages_per_block / tau + cost.block_overhead) + cost.page_overhead / cost.blocks);
}

double relative_cost_per_bit(const BlockCost& cost) { return relative_area(cost) / (cost.page * cost.pages_per_block); }

ArrayArea array_area(const ArrayPair& pair, double driver_share) {
  const double first = static_cast<double>(pair.first.count());
  const double second = static_cast<double>(pair.second.count());
  return {first + second, driver_share * first + driver_share * second};
}

bool same_area(const ArrayPair& a, const ArrayPair& b) {
  const double x = array_area(a).total();
  const double y = array_area(b).total();
  return std::fabs(x - y) <= 1e-9 * x;
}

double second_share(const ArrayPair& pair) {
  return static_cast<double>(pair.second.count()) / static_cast<double>((pair.first + pair.second).count());
}

double cell_area(const config::Nand& nand, const config::Layout& layout) {
  const auto block = [&](const config::BlockKind& kind) {
    return static_cast<double>(kind.page.count()) * kind.pages / layout.page_types;
  };
  const double plane = nand.geometry.blocks_per_plane * block(config::BlockKinds(nand, layout).large()) +
                       nand.region.blocks_per_plane * block(layout.small);
  return nand.geometry.planes * plane;
}

}  // namespace wordline::nand
