// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/initial_blocks.h"

#include <algorithm>

#include "models/firmware/contract/spare_blocks.h"
#include "models/nand/array_geometry.h"
#include "models/nand/block_faults.h"

namespace wordline::nand {
namespace {

/// Planes that are replaced together, one or all of a die.
struct Together {
  const ArrayGeometry& geometry;
  std::uint32_t first, count;  // planes
  const config::NandFaults& faults;
  std::uint64_t seed;

  [[nodiscard]] bool bad(std::uint32_t block) const {
    for (std::uint32_t plane = first; plane < first + count; ++plane) {
      if (factory_bad(geometry, faults, seed, plane, block)) return true;
    }
    return false;
  }
};

}  // namespace

InitialBlocks initial_blocks(const config::Config& config, const config::Layout& layout) {
  const config::NandGeometry& g = config.nand.geometry;
  const std::uint32_t blocks = config.nand.blocks_per_plane();
  const std::uint32_t spares = blocks - layout.superblocks;
  InitialBlocks found;
  found.table.resize(std::size_t{layout.dies} * g.planes * spares, WL_SPARE_FREE);
  found.superblock.resize(std::size_t{layout.dies} * g.planes * blocks, InitialBlocks::kNone);
  std::vector<bool> lost(layout.superblocks);
  const std::uint32_t together = g.plane_blocks == config::PlaneBlocks::kAny ? 1 : g.planes;
  for (std::uint32_t die = 0; die < layout.dies; ++die) {
    const ArrayGeometry geometry(config.nand, layout, DieId(static_cast<std::uint16_t>(die)));
    for (std::uint32_t plane = 0; plane < g.planes; plane += together) {
      const Together planes{geometry, plane, together, config.nand.faults, config.run.seed};
      std::uint32_t spare = layout.superblocks, needed = 0;
      const auto put = [&](std::uint32_t block, std::uint32_t virtual_block) {
        for (std::uint32_t p = plane; p < plane + together; ++p) {
          const std::size_t at = std::size_t{die} * g.planes + p;
          found.superblock[at * blocks + block] = virtual_block;
          if (block < layout.superblocks) continue;
          found.table[at * spares + block - layout.superblocks] = static_cast<std::uint16_t>(virtual_block + 1);
        }
      };
      for (std::uint32_t block = 0; block < layout.superblocks; ++block) {
        if (!planes.bad(block)) {
          put(block, block);
          continue;
        }
        ++needed;
        while (spare < blocks && planes.bad(spare)) ++spare;
        if (spare < blocks) {
          put(spare++, block);
        } else {
          lost[block] = true;
        }
      }
      for (std::uint32_t block = layout.superblocks; block < blocks; ++block) {
        if (!planes.bad(block)) continue;
        ++needed;
        for (std::uint32_t p = plane; p < plane + together; ++p) {
          const std::size_t at = std::size_t{die} * g.planes + p;
          found.table[at * spares + block - layout.superblocks] = WL_SPARE_BAD;
        }
      }
      found.bad += needed;
      found.worst_plane = std::max(found.worst_plane, needed);
    }
  }
  found.without_spare = static_cast<std::uint32_t>(std::count(lost.begin(), lost.end(), true));
  return found;
}

}  // namespace wordline::nand
