// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/config/config.h"
#include "models/units/index.h"

namespace wordline::nand {

/// Where word line number `word_line` of a block lies: h-layer and v-layer.
struct WordLinePosition {
  std::uint32_t layer;
  std::uint32_t v_layer;
  friend bool operator==(const WordLinePosition& a, const WordLinePosition& b) {
    return a.layer == b.layer && a.v_layer == b.v_layer;
  }
};

/// Word lines are numbered in the order in which they are programmed: layer by layer (horizontal), or v-layer by
/// v-layer (vertical). In mixed order the controller chooses, so numbers count layer by layer and a word line may be
/// programmed as soon as the one below it in its v-layer is: v-layers are isolated from each other (Shim, SNU 2020,
/// section 4.2).
[[nodiscard]] inline WordLinePosition word_line_position(config::ProgramOrder order, std::uint32_t layers,
                                                         std::uint32_t wls_per_layer, std::uint32_t word_line) {
  if (order == config::ProgramOrder::kVertical) return {word_line % layers, word_line / layers};
  return {word_line / wls_per_layer, word_line % wls_per_layer};
}

/// h-layer of a page, from the geometry alone; 0 is the top.
[[nodiscard]] inline unsigned layer_of_page(const config::NandGeometry& geometry, const config::Layout& layout,
                                            PageId page) {
  const std::uint32_t layers = std::max(1U, geometry.layers);
  const WordLinePosition position = word_line_position(geometry.order, layers, std::max(1U, geometry.wls_per_layer),
                                                       page.value() / std::max(1U, layout.page_types));
  return std::min(position.layer, layers - 1);
}

}  // namespace wordline::nand
