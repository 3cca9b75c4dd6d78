// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/array_geometry.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::nand {

ArrayGeometry::ArrayGeometry(const config::Nand& nand, const config::Layout& layout, DieId id)
    : die(id),
      planes(nand.geometry.planes),
      blocks_per_plane(nand.blocks_per_plane()),
      kinds(nand, layout),
      pages_per_block(layout.pages_per_block),
      pages_per_program(layout.pages_per_program),
      page_types(std::max(1U, layout.page_types)),
      codewords_per_lpage(layout.lpage.codewords()),
      wls_per_layer(std::max(1U, nand.geometry.wls_per_layer)),
      layers(std::max(1U, nand.geometry.layers)),
      order(nand.geometry.order) {
  if (planes == 0 || planes > 32 || blocks_per_plane == 0 || pages_per_block == 0 || pages_per_program == 0 ||
      layout.lpages_per_page == 0 || pages_per_block % pages_per_program != 0) {
    throw std::invalid_argument("nand.geometry: needs 1 to 32 planes, blocks, pages and logical pages");
  }
  if (order == config::ProgramOrder::kMixed && pages_per_program != page_types) {
    throw std::invalid_argument("nand.program_order: mixed needs nand.program = wordline");
  }
  const config::BlockKind& small = layout.small;
  if (nand.region.blocks_per_plane != 0 &&
      (small.pages == 0 || small.pages > pages_per_block || small.pages % pages_per_program != 0 ||
       small.lpages_per_page == 0 || small.lpages_per_page > layout.lpages_per_page)) {
    throw std::invalid_argument(
        "nand.region: needs pages of whole logical pages, and no more of either than other blocks");
  }
}

void ArrayGeometry::reject(std::string_view what, std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  throw std::logic_error(
      fmt::format("nand die {} plane {} block {} page {}: {}", die.value(), plane, block, page, what));
}

void ArrayGeometry::check(PlaneId plane, BlockId block, PageId page) const {
  const std::uint32_t pages = kinds.of(block.value()).pages;
  if (plane.value() < planes && block.value() < blocks_per_plane && page.value() < pages) return;
  reject(fmt::format("outside the die of {} planes, {} blocks, {} pages", planes, blocks_per_plane, pages),
         plane.value(), block.value(), page.value());
}

void ArrayGeometry::check(const LpageAddress& at) const {
  check(at.plane, at.block, at.page);
  const std::uint32_t lpages = lpages_per_page(at.block.value());
  if (at.lpage < lpages) return;
  reject(fmt::format("logical page {} of a page of {}", at.lpage, lpages), at.plane.value(), at.block.value(),
         at.page.value());
}

void ArrayGeometry::check_mask(std::uint32_t mask, BlockId block, PageId page) const {
  if (mask == 0 || (planes < 32 && mask >> planes != 0)) {
    reject(fmt::format("plane mask {} selects no plane, or one beyond {}", mask, planes), 0, block.value(),
           page.value());
  }
  check(PlaneId(0), block, page);
}

void ArrayGeometry::check_unit(BlockId block, PageId page) const {
  check(PlaneId(0), block, page);
  if (page.value() % pages_per_program == 0) return;
  reject(fmt::format("a program starts at a multiple of {} pages", pages_per_program), 0, block.value(), page.value());
}

}  // namespace wordline::nand
