// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/nand/stored_lpage.h"

namespace wordline::nand {

/// Content of written pages: 12 bytes per logical page, so 48 per 16 KiB page. Pages of a block are written in order,
/// so content comes in chunks of pages that are recycled when the block is erased; nothing is allocated once the drive
/// has been as full as it gets. A page whose content is not what its owner wrote as a whole takes 8 bytes more, as do
/// the others of its chunk.
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
  /// Calls `drop` with each content of metadata in it: what has it, has it alone.
  template <class Drop>
  void each_metadata(Extent extent, Drop drop) const {
    const std::uint32_t* chunks = &chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_];
    for (std::uint32_t i = 0; i < chunks_per_block_; ++i) {
      if (chunks[i] == kNone || chunks_[chunks[i]].tokens == nullptr) continue;
      const Chunk& c = chunks_[chunks[i]];
      for (std::size_t slot = 0; slot < slots(); ++slot)
        if (c.tokens[slot].is_metadata()) drop(c.tokens[slot]);
    }
  }
  void write(Extent extent, std::uint32_t page, std::uint32_t lpage, const StoredLpage& stored) {
    std::uint32_t& chunk = chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_ + page / kPagesPerChunk];
    if (chunk == kNone) chunk = take_chunk();
    chunks_[chunk].write(page % kPagesPerChunk * lpages_ + lpage, slots(), stored);
  }
  [[nodiscard]] StoredLpage read(Extent extent, std::uint32_t page, std::uint32_t lpage) const {
    return chunk(extent, page).read(page % kPagesPerChunk * lpages_ + lpage);
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t tokens = 0;
    for (const Chunk& c : chunks_) tokens += c.tokens != nullptr ? slots() * sizeof(data::LpageToken) : 0;
    return chunks_.size() * slots() * sizeof(Slot) + tokens + chunks_.capacity() * sizeof(Chunk) +
           (chunk_of_.capacity() + free_chunks_.capacity() + free_extents_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kPagesPerChunk = 16;
  static constexpr std::uint32_t kOwners = 1U << 31U;  // numbers of logical pages in a token
  struct Slot {
    std::uint32_t version, lpn, record;

    /// The content that nearly every page has: one version of its owner, a logical page of the host; or zeros.
    [[nodiscard]] data::LpageToken token() const {
      const bool owned = version != data::kVersionZero && lpn < kOwners;
      return owned ? data::LpageToken::uniform(Lpn(lpn), version) : data::LpageToken();
    }
  };
  struct Chunk {
    std::unique_ptr<Slot[]> slots;
    std::unique_ptr<data::LpageToken[]> tokens;  // contents of all slots, once one is not Slot::token(); null: none is

    void write(std::uint32_t slot, std::size_t count, const StoredLpage& stored) {
      slots[slot] = {stored.token.version(), stored.lpn, stored.record};
      if (tokens == nullptr) {
        if (slots[slot].token() == stored.token) return;
        tokens = std::make_unique<data::LpageToken[]>(count);
        for (std::size_t i = 0; i < count; ++i) tokens[i] = slots[i].token();
      }
      tokens[slot] = stored.token;
    }
    [[nodiscard]] StoredLpage read(std::uint32_t slot) const {
      return {tokens == nullptr ? slots[slot].token() : tokens[slot], slots[slot].lpn, slots[slot].record};
    }
  };

  [[nodiscard]] std::size_t slots() const { return static_cast<std::size_t>(kPagesPerChunk) * lpages_; }
  [[nodiscard]] const Chunk& chunk(Extent extent, std::uint32_t page) const {
    return chunks_[chunk_of_[static_cast<std::size_t>(extent) * chunks_per_block_ + page / kPagesPerChunk]];
  }
  std::uint32_t take_chunk() {
    if (!free_chunks_.empty()) {
      const std::uint32_t index = free_chunks_.back();
      free_chunks_.pop_back();
      chunks_[index].tokens = nullptr;
      return index;
    }
    chunks_.push_back({std::make_unique<Slot[]>(slots()), nullptr});
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
