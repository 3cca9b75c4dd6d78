// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/nand/array_geometry.h"
#include "models/nand/page_store.h"
#include "models/nand/program_rates.h"

namespace wordline::nand {

/// What a die remembers of every block, touched or not: 20 bytes, because a large drive reads blocks at random.
struct Block {
  static constexpr std::uint32_t kUntouched = 0xffffffff;  // the block is as the fill left it

  std::uint32_t next_page = kUntouched;  // pages below are programmed
  std::uint32_t erases : 31;
  std::uint32_t special : 1;  // a BlockExtra has more
  std::uint32_t reads = 0;    // reads since the erase
  PageStore::Extent extent = PageStore::kNone;
  // The word line that is read most, if there is one (majority vote of Boyer and Moore), and by how many reads at
  // least.
  std::uint16_t hot_word_line = 0;
  std::uint16_t hot_reads = 0;

  Block() : erases(0), special(0) {}

  [[nodiscard]] bool untouched() const { return next_page == kUntouched; }
  void count_read(std::uint32_t word_line) {
    ++reads;
    const auto wl = static_cast<std::uint16_t>(word_line);
    if (hot_reads == 0) hot_word_line = wl;
    if (hot_word_line != wl) {
      --hot_reads;
    } else if (hot_reads != 0xffff) {
      ++hot_reads;
    }
  }
  void forget_reads() { reads = hot_reads = hot_word_line = 0; }
};

/// What few blocks have.
struct BlockExtra {
  static constexpr std::uint32_t kNoDetail = 0xffffffff;
  std::uint32_t detail = kNoDetail;
  bool torn = false;      // an erase was interrupted
  bool failed = false;    // grown bad
  bool slc_mode = false;  // its word lines hold one page each

  [[nodiscard]] bool is_special() const { return detail != kNoDetail || torn || failed || slc_mode; }
};

/// A word line that is not as every other one.
struct WordLineDetail {
  static constexpr std::uint8_t kTorn = 1, kCoarse = 2;
  ProgramRates::Set set = ProgramRates::kDefault;
  std::uint8_t flags = 0;

  [[nodiscard]] bool torn() const { return (flags & kTorn) != 0; }
  [[nodiscard]] bool coarse() const { return (flags & kCoarse) != 0; }
};

/// The blocks of a die: how far each is programmed, how often it was erased and read, when it was written, and what is
/// out of the ordinary about its word lines. Content is PageStore's, what a block is allowed to do is Die's.
///
/// Memory: 20 bytes per block; 8 more once one block of the die is special, four bytes per word line of those that are.
class BlockTable {
 public:
  /// `dated`: keeps the second in which the first page of a block was programmed.
  BlockTable(const ArrayGeometry& geometry, bool dated);

  [[nodiscard]] const Block& at(std::uint32_t plane, std::uint32_t block) const {
    return blocks_[geometry_.index(plane, block)];
  }
  [[nodiscard]] Block& at(std::uint32_t plane, std::uint32_t block) { return blocks_[geometry_.index(plane, block)]; }
  [[nodiscard]] BlockExtra extra(const Block& b) const { return b.special != 0 ? extras_[index(b)] : BlockExtra{}; }
  [[nodiscard]] WordLineDetail detail(const Block& b, std::uint32_t word_line) const {
    const BlockExtra e = extra(b);
    return e.detail == BlockExtra::kNoDetail ? WordLineDetail{} : details_[e.detail][word_line];
  }
  /// Whether the block holds something at `page`, of which the fill is not part.
  [[nodiscard]] bool written(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Whether `page` is the next one to program, in the order of the device; the fill does not count.
  [[nodiscard]] bool next_in_order(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Whether the word line that was programmed last takes more programs, and cannot be read: the others may be left
  /// out.
  [[nodiscard]] bool ends_torn(std::uint32_t plane, std::uint32_t block) const;
  /// Whether `page` is the first of the word line after that one.
  [[nodiscard]] bool next_word_line(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Seconds since the block was written; 0 without dates, and where only the fill is.
  [[nodiscard]] std::uint32_t age(const Block& b) const {
    return written_s_.empty() || b.untouched() ? 0 : now_s_ - written_s_[index(b)];
  }
  [[nodiscard]] bool dated() const { return !written_s_.empty(); }
  /// Seconds that data have aged since the beginning of the run.
  [[nodiscard]] std::uint32_t now() const { return now_s_; }

  /// Time of the run, in seconds. Returns whether it is another one.
  bool set_now(std::uint32_t seconds);
  /// The program unit at `page` is used up.
  void use_up(std::uint32_t plane, std::uint32_t block, std::uint32_t page);
  /// ... and cannot be read.
  void tear(std::uint32_t plane, std::uint32_t block, std::uint32_t page);
  [[nodiscard]] WordLineDetail& detail_for_change(Block& b, std::uint32_t word_line);
  /// The block is programmed in SLC mode until it is erased.
  void use_slc_mode(Block& b) { extra_for_change(b).slc_mode = true; }
  /// An operation on the block has failed for good.
  void fail(Block& b) { extra_for_change(b).failed = true; }
  /// The cells of the block are half way between erased and programmed: nothing in it can be read.
  void tear_all(Block& b) { extra_for_change(b).torn = true; }
  /// The block is erased, or, when the erase `fails`, left half way and grown bad. Content is released before.
  void erase(std::uint32_t plane, std::uint32_t block, bool fails);
  /// An erase was cut short.
  void interrupt_erase(std::uint32_t plane, std::uint32_t block);

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  [[nodiscard]] std::size_t index(const Block& b) const { return static_cast<std::size_t>(&b - blocks_.data()); }
  BlockExtra& extra_for_change(Block& b);
  void forget_details(Block& b);
  [[nodiscard]] const std::uint16_t& next_layer(std::uint32_t plane, std::uint32_t block, std::uint32_t v_layer) const {
    return next_layer_[geometry_.index(plane, block) * geometry_.wls_per_layer + v_layer];
  }
  [[nodiscard]] std::uint16_t& next_layer(std::uint32_t plane, std::uint32_t block, std::uint32_t v_layer) {
    return next_layer_[geometry_.index(plane, block) * geometry_.wls_per_layer + v_layer];
  }

  const ArrayGeometry& geometry_;
  std::vector<Block> blocks_;
  std::vector<BlockExtra> extras_;         // extras of all blocks, once one of them is special
  std::vector<std::uint32_t> written_s_;   // second of the run in which the block's first page was programmed
  std::vector<std::uint16_t> next_layer_;  // mixed order: of each v-layer of each block
  std::vector<std::vector<WordLineDetail>> details_;  // details by BlockExtra::detail
  std::vector<std::uint32_t> free_details_;
  std::uint32_t now_s_ = 0;
};

}  // namespace wordline::nand
