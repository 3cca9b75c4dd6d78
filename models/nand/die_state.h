// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to die*.cpp.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/nand/bit_error_draw.h"
#include "models/nand/cell_model.h"
#include "models/nand/die.h"
#include "models/nand/page_store.h"
#include "models/nand/program_order.h"
#include "models/nand/program_rates.h"
#include "models/nand/timing.h"
#include "models/units/keyed_random.h"

namespace wordline::nand {

/// What a die remembers of every block, touched or not: 20 bytes, because a large drive reads blocks at random.
struct Block {
  static constexpr std::uint32_t kUntouched = 0xffffffff;  // as the fill left it

  std::uint32_t next_page = kUntouched;  // pages below are programmed
  std::uint32_t erases : 31;
  std::uint32_t special : 1;  // a BlockExtra says more
  std::uint32_t reads = 0;    // since the erase
  PageStore::Extent extent = PageStore::kNone;
  // The word line that is read most, if there is one (majority vote of Boyer and Moore), and by how many reads at
  // least.
  std::uint16_t hot_word_line = 0;
  std::uint16_t hot_reads = 0;

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

  Block() : erases(0), special(0) {}
};

/// What few blocks have.
struct BlockExtra {
  static constexpr std::uint32_t kNoDetail = 0xffffffff;
  std::uint32_t detail = kNoDetail;
  bool torn = false;    // an erase was interrupted
  bool failed = false;  // grown bad
};

/// A word line that is not as every other one.
struct WordLineDetail {
  static constexpr std::uint8_t kTorn = 1, kCoarse = 2;
  ProgramRates::Set set = ProgramRates::kDefault;
  std::uint8_t flags = 0;
};

struct Die::State {
  static constexpr std::uint64_t kPurposeBlockFactor = 0x626c6f636b;
  static constexpr std::uint64_t kPurposeLastingErrors = 0x6c617374;
  static constexpr std::uint64_t kPurposeReadNoise = 0x6e6f697365;
  static constexpr std::uint64_t kPurposeWordLineNoise = 0x72746e;
  static constexpr std::uint64_t kPurposeLayerSpeed = 0x7370656564;
  static constexpr std::uint64_t kPurposeFactoryBad = 0x626164;
  static constexpr std::uint64_t kPurposeProgramFails = 0x7066;
  static constexpr std::uint64_t kPurposeEraseFails = 0x6566;
  static constexpr double kTornRate = 0.25;

  State(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t run_seed, Fill content);

  DieId die;
  std::uint64_t seed;
  std::uint32_t planes, blocks_per_plane, pages_per_block, pages_per_program, sectors_per_page, page_types;
  std::uint32_t wls_per_layer, layers;
  config::ProgramOrder order;
  config::NandFaults faults;
  Fill fill;
  ArrayPlans plans;
  std::shared_ptr<const CellModel> cells;
  std::shared_ptr<ProgramRates> rates;
  std::vector<Block> blocks;
  std::vector<BlockExtra> extras;         // of all blocks, once one of them has something to say
  std::vector<std::uint32_t> written_s;   // page_age: second of the run in which the block's first page was programmed
  std::vector<std::uint16_t> next_layer;  // mixed order: of each v-layer of each block
  std::vector<std::vector<WordLineDetail>> details;  // by Block::detail; empty: free
  std::vector<std::uint32_t> free_details;
  PageStore store;
  Counters counters;
  std::uint32_t now_s = 0;
  mutable std::shared_ptr<const BitErrorDraw> draw;  // of the codeword length last asked for
  mutable unsigned draw_bits = 0;
  struct LastRate {  // codewords of a page are asked for one after the other
    std::uint32_t plane = 0xffffffff, block = 0, page = 0, reads = 0;
    ReadParameters parameters;
    double rate = 0;
  };
  mutable LastRate last_rate;

  [[noreturn]] void reject(const std::string& what, std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  void check(PlaneId plane, BlockId block, PageId page) const;
  void check_mask(std::uint32_t mask, BlockId block, PageId page) const;
  void check_unit(BlockId block, PageId page) const;

  template <class Visitor>
  void for_planes(std::uint32_t mask, Visitor&& visitor) const {
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      if ((mask >> plane & 1U) != 0) visitor(plane);
    }
  }
  [[nodiscard]] const Block& at(std::uint32_t plane, std::uint32_t block) const {
    return blocks[static_cast<std::size_t>(plane) * blocks_per_plane + block];
  }
  [[nodiscard]] Block& at(std::uint32_t plane, std::uint32_t block) {
    return blocks[static_cast<std::size_t>(plane) * blocks_per_plane + block];
  }
  [[nodiscard]] std::uint32_t word_line(std::uint32_t page) const { return page / page_types; }
  [[nodiscard]] WordLinePlace place_of(std::uint32_t page) const {
    return word_line_place(order, layers, wls_per_layer, word_line(page));
  }
  [[nodiscard]] unsigned layer(std::uint32_t page) const { return std::min(place_of(page).layer, layers - 1); }
  [[nodiscard]] std::uint16_t& next_in_v_layer(std::uint32_t plane, std::uint32_t block, std::uint32_t v_layer) {
    return next_layer[(static_cast<std::size_t>(plane) * blocks_per_plane + block) * wls_per_layer + v_layer];
  }
  /// Whether the block holds something at `page`, of which the fill is not part.
  [[nodiscard]] bool written(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Counts the unit at `page` as used up.
  void use_up(std::uint32_t plane, std::uint32_t block, std::uint32_t page);
  /// Number of a block in keys.
  [[nodiscard]] std::uint64_t where(std::uint32_t plane, std::uint32_t block) const {
    return static_cast<std::uint64_t>(die.value()) << 40 | static_cast<std::uint64_t>(plane) << 32 | block;
  }

  [[nodiscard]] WordLineDetail detail(const Block& b, std::uint32_t word_line) const {
    const BlockExtra e = extra(b);
    return e.detail == BlockExtra::kNoDetail ? WordLineDetail{} : details[e.detail][word_line];
  }
  [[nodiscard]] std::size_t index(const Block& b) const { return static_cast<std::size_t>(&b - blocks.data()); }
  [[nodiscard]] BlockExtra extra(const Block& b) const { return b.special != 0 ? extras[index(b)] : BlockExtra{}; }
  BlockExtra& extra_for_change(Block& b) {
    if (extras.empty()) extras.resize(blocks.size());
    b.special = 1;
    return extras[index(b)];
  }
  WordLineDetail& detail_for_change(Block& b, std::uint32_t word_line);
  void forget_details(Block& b);

  [[nodiscard]] bool filled(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  /// Whether a unit may be programmed at `page`: the next one in order, never over what the fill put there.
  [[nodiscard]] bool accepts(std::uint32_t plane, std::uint32_t block, std::uint32_t page, ProgramPass pass,
                             const StoredSector* sectors, std::uint32_t mask) const;
  [[nodiscard]] bool factory_bad(std::uint32_t plane, std::uint32_t block) const;
  [[nodiscard]] double failure_probability(double rated, std::uint32_t erases) const;
  [[nodiscard]] bool program_fails(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  [[nodiscard]] bool erase_fails(std::uint32_t plane, std::uint32_t block) const;
  /// Pages of the unit at `page` are used up and cannot be read.
  void tear(std::uint32_t plane, std::uint32_t block, std::uint32_t page);

  [[nodiscard]] ProgramRates::Place place(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  [[nodiscard]] ProgramRates::Place place_with_speed(std::uint32_t plane, std::uint32_t block,
                                                     std::uint32_t page) const;
  [[nodiscard]] References references(const ReadParameters& parameters, double extra) const;
  /// Reads of the block as they disturb this page: those of a neighbour in its v-layer count more.
  [[nodiscard]] std::uint32_t disturbing_reads(const Block& b, std::uint32_t page) const;
  /// Of block and word line, on the rate.
  [[nodiscard]] double factor(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const;
  [[nodiscard]] double rate(std::uint32_t plane, std::uint32_t block, std::uint32_t page,
                            const ReadParameters& parameters) const;
};

}  // namespace wordline::nand
