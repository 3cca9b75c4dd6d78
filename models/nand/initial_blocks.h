// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/config.h"

namespace wordline::nand {

/// The spare blocks (models/firmware/contract/spare_blocks.h) of a drive that was in use before: each factory-bad block
/// has got the first good spare of its plane, or where planes must address the same block, the first that is good in
/// all planes of the die.
struct InitialBlocks {
  std::vector<std::uint16_t> table;       // as the contract says
  std::vector<std::uint32_t> superblock;  // superblock by die, plane, physical block; kNone: it holds no virtual block
  std::uint32_t bad = 0;                  // blocks of all planes, spares included
  std::uint32_t worst_plane = 0;          // spares that the plane with the most bad blocks would need
  std::uint32_t without_spare = 0;        // superblocks of which a block has no spare

  static constexpr std::uint32_t kNone = 0xffffffff;
};

[[nodiscard]] InitialBlocks initial_blocks(const config::Config& config, const config::Layout& layout);

}  // namespace wordline::nand
