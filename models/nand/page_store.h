// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/nand/stored_lpage.h"

namespace wordline::nand {

/// Content of written pages: 16 bytes per logical page, so 64 per 16 KiB page. Pages of a block are written in order,
/// so content comes in chunks of pages that are recycled when the block is erased; nothing is allocated once the drive
/// has been as full as it gets.
class PageStore {
 public:
  using Extent = std::uint32_t;  // the chunks of one block
  static constexpr Extent kNone = 0xffffffff;

  PageStore(std::uint32_t pages_per_block, std::uint32_t lpages_per_page)
      : lpages_(lpages_per_page), chunks_per_block_((pages_per_block + kPagesPerChunk - 1) / kPagesPerChunk) {}

  Extent acquire() {
    if (!free_extents_.empty()) {
      const Extent extent = free_extents_.back();
      free_extents_.pop_back();
      return extent;
    }
    chunk_of_.resize(chunk_of_.size() + chunks_per_block_, kNone);
    return extents_++;
  }
  void release(Extent extent) {
    std::uint32_t* chunks = &chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_];
    for (std::uint32_t i = 0; i < chunks_per_block_; ++i) {
      if (chunks[i] != kNone) free_chunks_.push_back(chunks[i]);
      chunks[i] = kNone;
    }
    free_extents_.push_back(extent);
  }
  void write(Extent extent, std::uint32_t page, std::uint32_t lpage, const StoredLpage& stored) {
    std::uint32_t& chunk = chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_ + page / kPagesPerChunk];
    if (chunk == kNone) chunk = take_chunk();
    Chunk& c = chunks_[chunk];
    const std::uint32_t slot = page % kPagesPerChunk * lpages_ + lpage;
    c.tokens[slot] = stored.token;
    c.spares[slot] = {stored.lpn, stored.record};
  }
  [[nodiscard]] StoredLpage read(Extent extent, std::uint32_t page, std::uint32_t lpage) const {
    const Chunk& c = chunk(extent, page);
    const std::uint32_t slot = page % kPagesPerChunk * lpages_ + lpage;
    return {c.tokens[slot], c.spares[slot].lpn, c.spares[slot].record};
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return chunks_.size() * (kPagesPerChunk * lpages_ * (sizeof(data::LpageToken) + sizeof(Spare))) +
           chunks_.capacity() * sizeof(Chunk) +
           (chunk_of_.capacity() + free_chunks_.capacity() + free_extents_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kPagesPerChunk = 16;
  struct Spare {
    std::uint32_t lpn, record;
  };
  struct Chunk {
    std::vector<data::LpageToken> tokens;
    std::vector<Spare> spares;
  };

  [[nodiscard]] const Chunk& chunk(Extent extent, std::uint32_t page) const {
    return chunks_[chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_ + page / kPagesPerChunk]];
  }
  std::uint32_t take_chunk() {
    if (!free_chunks_.empty()) {
      const std::uint32_t index = free_chunks_.back();
      free_chunks_.pop_back();
      return index;
    }
    const std::size_t slots = static_cast<std::size_t>(kPagesPerChunk) * lpages_;
    chunks_.push_back({std::vector<data::LpageToken>(slots), std::vector<Spare>(slots)});
    return static_cast<std::uint32_t>(chunks_.size() - 1);
  }

  std::uint32_t lpages_;
  std::uint32_t chunks_per_block_;
  std::uint32_t extents_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> chunk_of_;  // extents_ x chunks_per_block_
  std::vector<std::uint32_t> free_chunks_;
  std::vector<Extent> free_extents_;
};

}  // namespace wordline::nand
