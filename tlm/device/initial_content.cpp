// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/initial_content.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "models/checks/boot_info.h"
#include "models/firmware/contract/geometry.h"
#include "models/nand/initial_blocks.h"

namespace wordline::device {
namespace {

constexpr std::uint64_t kNoPpa = UINT64_MAX;
constexpr std::uint32_t kPadding = std::uint32_t{WL_SPARE_PADDING} << WL_SPARE_KIND_SHIFT;

/// PPA of the first logical page on the word line of `ppa`.
std::uint64_t word_line_of(const wl_geometry& geometry, std::uint32_t page_types, std::uint64_t ppa) {
  wl_location at = wl_locate(&geometry, static_cast<std::uint32_t>(ppa));
  at.page -= at.page % page_types;
  at.lpage = 0;
  return wl_ppa_of(&geometry, at);
}

/// Whether the firmware goes on with an open superblock.
bool goes_on(const config::Config& config, const config::Layout& layout, std::uint32_t filled_units) {
  return filled_units % precondition::units_at_once(config, layout) == 0;
}

/// With ftl.recovery: program units of each superblock that are not blank, whatever they hold. A mount reads up to the
/// first that is.
std::vector<std::uint32_t> used_units(const config::Config& config, const config::Layout& layout,
                                      const precondition::InitialState& state) {
  std::vector<std::uint32_t> used;
  if (config.ftl.recovery != config::Recovery::kScan) return used;
  used.resize(layout.superblocks);
  for (const precondition::Superblock& s : state.superblocks()) {
    const bool open = precondition::is_open(s.state);
    const std::uint32_t filled = open ? state.filled_units(s.number) : 0;
    if (open && goes_on(config, layout, filled))
      used[s.number] = filled;
    else if (open || s.state == precondition::SuperblockState::kClosed)
      used[s.number] = layout.dies * layout.programs_per_block;
  }
  return used;
}

/// What the sequential fill has at `ppa` where a unit of each row is parity (contract/parity.h).
nand::StoredLpage in_row_with_parity(const wl_geometry& geometry, std::uint64_t user_lpages, std::uint64_t ppa) {
  const auto data = [&](std::uint32_t lpn) -> nand::StoredLpage {
    if (lpn >= user_lpages) return {};
    return {data::LpageToken::uniform(Lpn(lpn), data::kVersionPrecondition), lpn, WL_SEQUENCE_FILL};
  };
  if (ppa == kNoPpa) return {};
  const std::uint32_t lpn = wl_parity_fill_lpn(&geometry, static_cast<std::uint32_t>(ppa));
  if (lpn != WL_NONE) return data(lpn);
  const std::uint64_t row = std::uint64_t{geometry.dies} * geometry.unit_lpages;
  const std::uint64_t begin = ppa - ppa % row;
  const auto first = wl_parity_fill_lpn(&geometry, static_cast<std::uint32_t>(begin));
  if (first >= user_lpages) return {};
  nand::StoredLpage sum{{}, 0, 0};
  for (std::uint32_t die = 0; die + 1 < geometry.dies; ++die) {
    const nand::StoredLpage one =
        data(first + die * geometry.unit_lpages + static_cast<std::uint32_t>(ppa % geometry.unit_lpages));
    sum = {sum.token ^ one.token, sum.lpn ^ one.lpn, sum.record ^ one.record};
  }
  return sum;
}

/// Calls `visit` with each block that belongs to a superblock, and its number.
template <class Visit>
void for_blocks(const config::Config& config, const config::Layout& layout, const Visit& visit) {
  std::vector<std::uint32_t> superblock;  // superblock by die, plane, block; empty: virtual blocks are physical ones
  if (config.ftl.spare_blocks != 0) superblock = nand::initial_blocks(config, layout).superblock;
  std::size_t at = 0;
  for (std::uint32_t die = 0; die < layout.dies; ++die) {
    for (std::uint32_t plane = 0; plane < config.nand.geometry.planes; ++plane) {
      for (std::uint32_t block = 0; block < config.nand.geometry.blocks_per_plane; ++block, ++at) {
        const std::uint32_t number = superblock.empty() ? block : superblock[at];
        if (number == nand::InitialBlocks::kNone) continue;
        visit(DieId(static_cast<std::uint16_t>(die)), PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block),
              number);
      }
    }
  }
}

}  // namespace

bool is_preconditioned(const config::Config& config, const precondition::InitialState* state) {
  return state != nullptr || config::boot_info_of(config, config::layout_of(config)).preconditioned != 0;
}

nand::Fill fill_of(const config::Config& config, const config::Layout& layout,
                   const precondition::InitialState* state) {
  if (!is_preconditioned(config, state)) return {};
  const wl_geometry geometry = wl_geometry_of(layout.dies, layout.lpages_per_mpage, layout.pages_per_program,
                                              layout.dies * (layout.pages_per_block / layout.pages_per_program));
  std::shared_ptr<const nand::InitialBlocks> blocks;  // null: virtual blocks are physical ones
  if (config.ftl.spare_blocks != 0) {
    blocks = std::make_shared<const nand::InitialBlocks>(nand::initial_blocks(config, layout));
  }
  const auto ppa_at = [geometry, blocks, lpages_per_page = layout.lpages_per_page, planes = config.nand.geometry.planes,
                       per_plane = config.nand.geometry.blocks_per_plane](
                          DieId die, const nand::LpageAddress& at) -> std::uint64_t {
    wl_location address{die.value(), at.block.value(), at.page.value(), at.plane.value() * lpages_per_page + at.lpage};
    if (blocks != nullptr) {
      const std::size_t plane = std::size_t{die.value()} * planes + at.plane.value();
      address.block = blocks->superblock[plane * per_plane + at.block.value()];
      if (address.block == nand::InitialBlocks::kNone) return kNoPpa;
    }
    return wl_ppa_of(&geometry, address);
  };
  const bool mounts = config.ftl.recovery == config::Recovery::kScan;
  if (state != nullptr) {
    return [ppa_at, state, geometry, used = used_units(config, layout, *state)](
               DieId die, const nand::LpageAddress& at) -> nand::StoredLpage {
      const std::uint64_t ppa = ppa_at(die, at);
      if (ppa >= state->ppas()) return {};
      const precondition::Content content = state->at(ppa);
      if (content.empty()) {
        const bool pads = !used.empty() && ppa % geometry.superblock_lpages / geometry.unit_lpages <
                                               used[ppa / geometry.superblock_lpages];
        return pads ? nand::StoredLpage{{}, 0xffffffff, kPadding} : nand::StoredLpage{};
      }
      const std::uint32_t version = content.valid() ? data::kVersionPrecondition : data::kVersionStale;
      const std::uint32_t record = content.valid() ? WL_SEQUENCE_FILL : WL_SEQUENCE_STALE;
      return {data::LpageToken::uniform(Lpn(content.lpn()), version), content.lpn(), record};
    };
  }
  if (config.ftl.parity == config::Parity::kDies) {
    return [ppa_at, geometry, user_lpages = layout.user_lpages](DieId die, const nand::LpageAddress& at) {
      return in_row_with_parity(geometry, user_lpages, ppa_at(die, at));
    };
  }
  // Places of nand.region lie behind those that the fill takes: the exported logical pages fit the other blocks.
  // With ftl.recovery the word line in which the fill ends is complete: no later program may destroy it.
  return
      [ppa_at, mounts, geometry, page_types = layout.page_types, user_lpages = layout.user_lpages + layout.map_pages](
          DieId die, const nand::LpageAddress& at) -> nand::StoredLpage {
        const std::uint64_t lpn = ppa_at(die, at);
        if (lpn >= user_lpages && mounts && word_line_of(geometry, page_types, lpn) < user_lpages)
          return {{}, 0xffffffff, kPadding};
        if (lpn >= user_lpages) return {};
        const auto owner = static_cast<std::uint32_t>(lpn);
        return {data::LpageToken::uniform(Lpn(owner), data::kVersionPrecondition), owner, WL_SEQUENCE_FILL};
      };
}

void open_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state) {
  std::map<std::uint32_t, std::uint32_t> units;  // units by superblock
  for (const precondition::Superblock& s : state.superblocks()) {
    if (!precondition::is_open(s.state)) continue;
    const std::uint32_t filled = state.filled_units(s.number);
    if (goes_on(config, layout, filled)) units[s.number] = filled;
  }
  if (units.empty()) return;
  for_blocks(config, layout, [&](DieId die, PlaneId plane, BlockId block, std::uint32_t number) {
    const auto open = units.find(number);
    if (open == units.end()) return;
    const std::uint32_t rows = (open->second + layout.dies - 1 - die.value()) / layout.dies;
    flash.die_at_start(die).start_open(plane, block, rows * layout.pages_per_program);
  });
}

void start_as(flash::FlashBackend& flash, data::TokenPool& pool, const precondition::FlashImage& image) {
  const precondition::Geometry& g = image.geometry;
  // Parity is made of tokens: those of several versions keep their numbers.
  for (std::size_t i = 0; i < image.pool.mixed_count(); ++i) {
    const data::LpageToken token = data::LpageToken::mixed(i);
    if (pool.intern(image.pool.expand(token)) != token) throw std::logic_error("the pool of a new drive is not empty");
  }
  for (std::uint32_t die = 0; die < g.dies; ++die) {
    for (std::uint32_t plane = 0; plane < g.planes; ++plane) {
      for (std::uint32_t number = 0; number < g.blocks; ++number) {
        nand::BlockImage block = image.block(die, plane, number);
        for (std::size_t i = 0; i < block.lpages.size(); ++i) {
          data::LpageToken& token = block.lpages[i].token;
          if (token.is_metadata() && !block.is_parity(block.page_of(i)))
            token = pool.keep(image.pool.metadata(token).data());
        }
        flash.die_at_start(DieId(static_cast<std::uint16_t>(die)))
            .start_as(PlaneId(static_cast<std::uint8_t>(plane)), BlockId(number), block);
      }
    }
  }
}

void wear_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state) {
  std::vector<std::uint32_t> erases(layout.superblocks, 0);
  for (const precondition::Superblock& s : state.superblocks()) erases[s.number] = s.erases;
  for_blocks(config, layout, [&](DieId die, PlaneId plane, BlockId block, std::uint32_t number) {
    flash.die_at_start(die).start_with_erases(plane, block, erases[number]);
  });
}

}  // namespace wordline::device
