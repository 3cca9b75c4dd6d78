// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/block_table.h"

#include <algorithm>

namespace wordline::nand {

BlockTable::BlockTable(const ArrayGeometry& geometry, bool dated) : geometry_(geometry), blocks_(geometry.blocks()) {
  if (dated) written_s_.resize(blocks_.size());
  if (geometry_.order == config::ProgramOrder::kMixed) next_layer_.resize(blocks_.size() * geometry_.wls_per_layer);
}

bool BlockTable::set_now(std::uint32_t seconds) {
  if (seconds == now_s_) return false;
  now_s_ = seconds;
  return true;
}

bool BlockTable::written(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = at(plane, block);
  if (b.untouched()) return false;
  if (geometry_.order != config::ProgramOrder::kMixed) return page < b.next_page;
  const WordLinePosition position = geometry_.position_of(page);
  return position.layer < next_layer(plane, block, position.v_layer);
}

bool BlockTable::next_in_order(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  if (geometry_.order != config::ProgramOrder::kMixed) {
    const Block& b = at(plane, block);
    return page == (b.untouched() ? 0 : b.next_page);
  }
  const WordLinePosition position = geometry_.position_of(page);
  return next_layer(plane, block, position.v_layer) == position.layer;
}

bool BlockTable::ends_torn(std::uint32_t plane, std::uint32_t block) const {
  const Block& b = at(plane, block);
  return !b.untouched() && b.next_page % geometry_.page_types != 0 &&
         detail(b, geometry_.word_line(b.next_page)).torn();
}

bool BlockTable::next_word_line(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
  const Block& b = at(plane, block);
  const std::uint32_t types = geometry_.page_types;
  return !b.untouched() && page == (b.next_page + types - 1) / types * types;
}

void BlockTable::use_up(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  Block& b = at(plane, block);
  const bool first = b.untouched() || b.next_page == 0;
  if (first && !written_s_.empty()) written_s_[index(b)] = now_s_;
  // Mixed order: how far each v-layer is; next_page only marks the block as in use.
  b.next_page = std::max(b.untouched() ? 0 : b.next_page, page + geometry_.pages_per_program);
  if (geometry_.order != config::ProgramOrder::kMixed) return;
  const WordLinePosition position = geometry_.position_of(page);
  std::uint16_t& next = next_layer(plane, block, position.v_layer);
  next = std::max(next, static_cast<std::uint16_t>(position.layer + 1));
}

void BlockTable::tear(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  detail_for_change(at(plane, block), geometry_.word_line(page)).flags |= WordLineDetail::kTorn;
  use_up(plane, block, page);
}

void BlockTable::erase(std::uint32_t plane, std::uint32_t block, bool fails) {
  Block& b = at(plane, block);
  b.extent = PageStore::kNone;
  forget_details(b);
  for (std::uint32_t v = 0; v < geometry_.wls_per_layer && !next_layer_.empty(); ++v) next_layer(plane, block, v) = 0;
  b.next_page = 0;
  b.forget_reads();
  if (fails || b.special != 0) {
    BlockExtra& extra = extra_for_change(b);
    extra.torn = fails;
    extra.failed = extra.failed || fails;
    extra.slc_mode = false;
    b.special = extra.is_special() ? 1 : 0;
  }
  ++b.erases;
}

void BlockTable::interrupt_erase(std::uint32_t plane, std::uint32_t block) {
  Block& b = at(plane, block);
  b.extent = PageStore::kNone;
  forget_details(b);
  b.next_page = 0;
  tear_all(b);
  extra_for_change(b).slc_mode = false;
}

BlockExtra& BlockTable::extra_for_change(Block& b) {
  if (extras_.empty()) extras_.resize(blocks_.size());
  b.special = 1;
  return extras_[index(b)];
}

WordLineDetail& BlockTable::detail_for_change(Block& b, std::uint32_t word_line) {
  BlockExtra& extra = extra_for_change(b);
  if (extra.detail == BlockExtra::kNoDetail) {
    if (free_details_.empty()) {
      free_details_.push_back(static_cast<std::uint32_t>(details_.size()));
      details_.emplace_back(geometry_.pages_per_block / geometry_.page_types);
    }
    extra.detail = free_details_.back();
    free_details_.pop_back();
  }
  return details_[extra.detail][word_line];
}

void BlockTable::forget_details(Block& b) {
  if (extra(b).detail == BlockExtra::kNoDetail) return;
  BlockExtra& extra = extra_for_change(b);
  std::fill(details_[extra.detail].begin(), details_[extra.detail].end(), WordLineDetail{});
  free_details_.push_back(extra.detail);
  extra.detail = BlockExtra::kNoDetail;
  b.special = extra.is_special() ? 1 : 0;
}

std::size_t BlockTable::memory_bytes() const {
  std::size_t details = details_.capacity() * sizeof(details_[0]);
  for (const auto& d : details_) details += d.capacity() * sizeof(d[0]);
  return blocks_.capacity() * sizeof(Block) + details + extras_.capacity() * sizeof(BlockExtra) +
         written_s_.capacity() * sizeof(written_s_[0]) + next_layer_.capacity() * sizeof(next_layer_[0]);
}

}  // namespace wordline::nand
