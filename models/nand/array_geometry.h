// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/config/config.h"
#include "models/nand/program_order.h"
#include "models/units/index.h"

namespace wordline::nand {

/// A logical page in a page of one die.
struct LpageAddress {
  PlaneId plane;
  BlockId block;
  PageId page;
  std::uint32_t lpage;
};

/// Sizes of one die, where a page lies in them, and checks of addresses. Holds no state. Planes, blocks and pages are
/// plain numbers inside the model; keys of randomness name them together with the die.
struct ArrayGeometry {
  /// Throws std::invalid_argument naming the keys when a size is 0 or sizes do not fit together.
  ArrayGeometry(const config::Nand& nand, const config::Layout& layout, DieId die);

  DieId die;
  std::uint32_t planes, blocks_per_plane;  // planes of both kinds
  config::BlockKinds kinds;
  std::uint32_t pages_per_block;  // pages per block of a block that has most
  std::uint32_t pages_per_program, page_types;
  std::uint32_t codewords_per_lpage;
  std::uint32_t wls_per_layer, layers;
  config::ProgramOrder order;

  [[nodiscard]] std::uint32_t lpages_per_page(std::uint32_t block) const { return kinds.of(block).lpages_per_page; }
  [[nodiscard]] std::uint32_t word_line(std::uint32_t page) const { return page / page_types; }
  [[nodiscard]] WordLinePosition position_of(std::uint32_t page) const {
    return word_line_position(order, layers, wls_per_layer, word_line(page));
  }
  /// h-layer.
  [[nodiscard]] unsigned layer(std::uint32_t page) const { return std::min(position_of(page).layer, layers - 1); }
  /// Number of a block in tables of the die.
  [[nodiscard]] std::size_t index(std::uint32_t plane, std::uint32_t block) const {
    return static_cast<std::size_t>(plane) * blocks_per_plane + block;
  }
  [[nodiscard]] std::size_t blocks() const { return static_cast<std::size_t>(planes) * blocks_per_plane; }
  /// Number of a block in keys.
  [[nodiscard]] std::uint64_t key(std::uint32_t plane, std::uint32_t block) const {
    return static_cast<std::uint64_t>(die.value()) << 40 | static_cast<std::uint64_t>(plane) << 32 | block;
  }
  /// Calls visitor(plane) for each bit of `mask`.
  template <class Visitor>
  void for_planes(std::uint32_t mask, Visitor&& visitor) const {
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      if ((mask >> plane & 1U) != 0) visitor(plane);
    }
  }

  // Throw std::logic_error naming the place.
  [[noreturn]] void reject(std::string_view what, std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  void check(PlaneId plane, BlockId block, PageId page) const;
  void check(const LpageAddress& at) const;
  void check_mask(std::uint32_t mask, BlockId block, PageId page) const;
  void check_unit(BlockId block, PageId page) const;
};

}  // namespace wordline::nand
