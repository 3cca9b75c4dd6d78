// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/die.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/nand/bit_error_draw.h"
#include "models/nand/cell_model.h"
#include "models/nand/page_store.h"
#include "models/nand/timing.h"
#include "models/units/keyed_random.h"

namespace wordline::nand {

namespace {

constexpr std::uint32_t kUntouched = 0xffffffff;  // as the fill left it
constexpr std::uint64_t kPurposeBlockFactor = 0x626c6f636b;
constexpr std::uint64_t kPurposeLastingErrors = 0x6c617374;
constexpr std::uint64_t kPurposeReadNoise = 0x6e6f697365;

/// What a die remembers of every block, touched or not.
struct Block {
  std::uint32_t next_page = kUntouched;  // pages below are programmed
  std::uint32_t erases = 0;
  std::uint32_t reads = 0;  // since the erase
  PageStore::Extent extent = PageStore::kNone;
};

}  // namespace

struct Die::State {
  State(const config::Nand& nand, const config::Layout& l, DieId id, std::uint64_t run_seed, Fill f)
      : die(id),
        seed(run_seed),
        planes(nand.geometry.planes),
        blocks_per_plane(nand.geometry.blocks_per_plane),
        pages_per_block(l.pages_per_block),
        pages_per_program(l.pages_per_program),
        sectors_per_page(l.sectors_per_page),
        pages_per_layer(l.page_types * std::max(1U, nand.geometry.wls_per_layer)),
        layers(std::max(1U, nand.geometry.layers)),
        fill(std::move(f)),
        plans(nand, l),
        cells(CellModel::shared(nand)),
        blocks(static_cast<std::size_t>(planes) * blocks_per_plane),
        store(l.pages_per_block, l.sectors_per_page) {
    if (planes == 0 || planes > 32 || blocks_per_plane == 0 || pages_per_block == 0 || pages_per_program == 0 ||
        sectors_per_page == 0 || pages_per_block % pages_per_program != 0) {
      throw std::invalid_argument("nand.geometry: needs 1 to 32 planes, blocks, pages and sectors");
    }
  }

  DieId die;
  std::uint64_t seed;
  std::uint32_t planes, blocks_per_plane, pages_per_block, pages_per_program, sectors_per_page;
  std::uint32_t pages_per_layer, layers;
  Fill fill;
  ArrayPlans plans;
  std::shared_ptr<const CellModel> cells;
  std::vector<Block> blocks;
  PageStore store;
  Counters counters;
  mutable std::shared_ptr<const BitErrorDraw> draw;  // of the codeword length last asked for
  mutable unsigned draw_bits = 0;

  [[noreturn]] void reject(const std::string& what, std::uint32_t plane, std::uint32_t block,
                           std::uint32_t page) const {
    throw std::logic_error("nand die " + std::to_string(die.value()) + " plane " + std::to_string(plane) + " block " +
                           std::to_string(block) + " page " + std::to_string(page) + ": " + what);
  }
  void check(PlaneId plane, BlockId block, PageId page) const {
    if (plane.value() >= planes || block.value() >= blocks_per_plane || page.value() >= pages_per_block) {
      reject("outside the die of " + std::to_string(planes) + " planes, " + std::to_string(blocks_per_plane) +
                 " blocks, " + std::to_string(pages_per_block) + " pages",
             plane.value(), block.value(), page.value());
    }
  }
  void check_mask(std::uint32_t mask, BlockId block, PageId page) const {
    if (mask == 0 || (planes < 32 && mask >> planes != 0)) {
      reject("plane mask " + std::to_string(mask) + " selects no plane, or one beyond " + std::to_string(planes), 0,
             block.value(), page.value());
    }
    check(PlaneId(0), block, page);
  }
  void check_unit(BlockId block, PageId page) const {
    check(PlaneId(0), block, page);
    if (page.value() % pages_per_program != 0) {
      reject("a program starts at a multiple of " + std::to_string(pages_per_program) + " pages", 0, block.value(),
             page.value());
    }
  }
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
  [[nodiscard]] unsigned layer(std::uint32_t page) const { return std::min(page / pages_per_layer, layers - 1); }

  [[nodiscard]] bool filled(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
    if (!fill) return false;
    for (std::uint32_t s = 0; s < sectors_per_page; ++s) {
      const StoredSector stored =
          fill(die, {PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block), PageId(page), s});
      if (!stored.token.is_zero() || stored.lpn != 0xffffffff) return true;
    }
    return false;
  }
  /// Whether a unit may be programmed at `page`: the next one in order, never over what the fill put there.
  [[nodiscard]] bool accepts(std::uint32_t plane, std::uint32_t block, std::uint32_t page) const {
    const Block& b = at(plane, block);
    if (b.next_page != kUntouched) return page == b.next_page;
    return page == 0 && !filled(plane, block, 0);
  }
};

Die::Die(const config::Nand& nand, const config::Layout& layout, DieId id, std::uint64_t seed, Fill fill)
    : state_(std::make_unique<State>(nand, layout, id, seed, std::move(fill))) {}
Die::~Die() = default;

Plan Die::plan_read(BlockId block, PageId page) const {
  state_->check(PlaneId(0), block, page);
  return state_->plans.read(state_->plans.page_type(page.value()));
}

Plan Die::plan_program(BlockId block, PageId page) const {
  state_->check_unit(block, page);
  return state_->plans.program(state_->plans.page_type(page.value()));
}

Plan Die::plan_erase(BlockId block) const {
  state_->check(PlaneId(0), block, PageId(0));
  return state_->plans.erase();
}

void Die::commit_read(std::uint32_t plane_mask, BlockId block, PageId page) {
  state_->check_mask(plane_mask, block, page);
  state_->for_planes(plane_mask, [&](std::uint32_t plane) { ++state_->at(plane, block.value()).reads; });
  ++state_->counters.page_reads;
  state_->counters.energy += state_->plans.read(state_->plans.page_type(page.value())).energy();
}

OperationStatus Die::commit_program(std::uint32_t plane_mask, BlockId block, PageId page, const StoredSector* sectors) {
  State& s = *state_;
  s.check_mask(plane_mask, block, page);
  s.check_unit(block, page);
  ++s.counters.programs;
  s.counters.energy += s.plans.program(s.plans.page_type(page.value())).energy();

  bool accepted = true;
  s.for_planes(plane_mask,
               [&](std::uint32_t plane) { accepted = accepted && s.accepts(plane, block.value(), page.value()); });
  if (!accepted) return OperationStatus::kFail;

  for (std::uint32_t p = 0; p < s.pages_per_program; ++p) {
    s.for_planes(plane_mask, [&](std::uint32_t plane) {
      Block& b = s.at(plane, block.value());
      if (b.extent == PageStore::kNone) b.extent = s.store.acquire();
      for (std::uint32_t i = 0; i < s.sectors_per_page; ++i, ++sectors) {
        s.store.write(b.extent, page.value() + p, i, sectors->token, sectors->lpn);
      }
      b.next_page = page.value() + p + 1;
      s.counters.sectors_programmed += s.sectors_per_page;
    });
  }
  return OperationStatus::kOk;
}

OperationStatus Die::commit_erase(std::uint32_t plane_mask, BlockId block) {
  State& s = *state_;
  s.check_mask(plane_mask, block, PageId(0));
  s.for_planes(plane_mask, [&](std::uint32_t plane) {
    Block& b = s.at(plane, block.value());
    if (b.extent != PageStore::kNone) s.store.release(b.extent);
    b.extent = PageStore::kNone;
    b.next_page = 0;
    b.reads = 0;
    ++b.erases;
  });
  ++s.counters.erases;
  s.counters.energy += s.plans.erase().energy();
  return OperationStatus::kOk;
}

StoredSector Die::sector(const SectorAddress& at) const {
  const State& s = *state_;
  s.check(at.plane, at.block, at.page);
  if (at.sector >= s.sectors_per_page) {
    s.reject("sector " + std::to_string(at.sector) + " of a page of " + std::to_string(s.sectors_per_page),
             at.plane.value(), at.block.value(), at.page.value());
  }
  const Block& b = s.at(at.plane.value(), at.block.value());
  if (b.next_page == kUntouched) return s.fill ? s.fill(s.die, at) : StoredSector{};
  if (at.page.value() >= b.next_page) return {};
  return {s.store.token(b.extent, at.page.value(), at.sector), s.store.lpn(b.extent, at.page.value(), at.sector)};
}

bool Die::programmed(PlaneId plane, BlockId block, PageId page) const {
  state_->check(plane, block, page);
  const Block& b = state_->at(plane.value(), block.value());
  if (b.next_page == kUntouched) return state_->filled(plane.value(), block.value(), page.value());
  return page.value() < b.next_page;
}

double Die::rber(PlaneId plane, BlockId block, PageId page, unsigned step) const {
  const State& s = *state_;
  s.check(plane, block, page);
  const Block& b = s.at(plane.value(), block.value());
  const std::uint64_t where =
      static_cast<std::uint64_t>(s.die.value()) << 40 | static_cast<std::uint64_t>(plane.value()) << 32 | block.value();
  const double rate = s.cells->rber(s.plans.page_type(page.value()), s.layer(page.value()), step, b.erases, b.reads) *
                      s.cells->block_factor(keyed_hash(s.seed, kPurposeBlockFactor, where));
  return rate < 0.5 ? rate : 0.5;
}

unsigned Die::bit_errors(PlaneId plane, BlockId block, PageId page, unsigned codeword, unsigned bits,
                         unsigned step) const {
  const State& s = *state_;
  const double rate = rber(plane, block, page, step);
  if (s.draw_bits != bits) {
    s.draw = BitErrorDraw::shared(bits);
    s.draw_bits = bits;
  }
  const Block& b = s.at(plane.value(), block.value());
  const std::uint64_t where =
      static_cast<std::uint64_t>(s.die.value()) << 40 | static_cast<std::uint64_t>(plane.value()) << 32 | block.value();
  const std::uint64_t what = static_cast<std::uint64_t>(page.value()) << 32 | codeword;
  const std::uint64_t place = keyed_hash(s.seed, kPurposeLastingErrors, where, what, b.erases);
  const std::uint64_t read = keyed_hash(place, kPurposeReadNoise, static_cast<std::uint64_t>(b.reads) << 8 | step);
  return s.draw->count(rate, place, read);
}

const Die::Counters& Die::counters() const { return state_->counters; }

std::uint32_t Die::erase_count(PlaneId plane, BlockId block) const {
  state_->check(plane, block, PageId(0));
  return state_->at(plane.value(), block.value()).erases;
}

std::size_t Die::memory_bytes() const {
  return sizeof(State) + state_->blocks.capacity() * sizeof(Block) + state_->store.memory_bytes();
}

}  // namespace wordline::nand
