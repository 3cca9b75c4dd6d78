// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/boot_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <stdexcept>

namespace wordline::precondition {
namespace {

constexpr std::uint64_t kAlign = WL_INITIAL_TABLE_ALIGN;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::uint8_t state_of(SuperblockState state) {
  switch (state) {
    case SuperblockState::kClosed:
      return WL_INITIAL_CLOSED;
    case SuperblockState::kRetired:
      return WL_INITIAL_RETIRED;
    case SuperblockState::kOpenForHost:
      return WL_INITIAL_OPEN_FOR_HOST;
    case SuperblockState::kOpenForGc:
      return WL_INITIAL_OPEN_FOR_GC;
    case SuperblockState::kFree:
      break;
  }
  return WL_INITIAL_FREE;
}

/// All entries of the map that are not PPAs are set already. Stores to it miss every cache, so two threads share the
/// PPAs; no logical page is valid twice, so they share no entry.
void write_lpages(const std::vector<Content>& ppas, const BootTables& tables) {
  const auto write = [&](std::size_t begin, std::size_t end) {
    for (std::size_t ppa = begin; ppa < end; ++ppa) {
      const Content content = ppas[ppa];
      tables.owners[ppa] = content.empty() ? WL_NONE : content.lpn() + 1;
      if (content.valid()) tables.map[content.lpn()] = static_cast<std::uint32_t>(ppa) + WL_MAP_PPA0;
    }
  };
  const std::size_t half = ppas.size() / 2;
  auto first_half = std::async(std::launch::async, write, 0, half);
  write(half, ppas.size());
  first_half.get();
}

/// Writes the tables by pages of `size` logical pages; counts in `superblocks` what the mapped pages have room for.
void write_pages(const DriveState& state, std::uint32_t size, const BootTables& tables) {
  std::vector<std::uint32_t> valid(state.geometry.blocks, 0);
  for (std::size_t ppa = 0; ppa < state.ppas.size(); ppa += size) {
    std::uint32_t page = WL_NONE, present = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Content content = state.ppas[ppa + i];
      if (!content.empty()) page = content.lpn() / size;
      if (content.valid()) present |= 1U << i;
    }
    tables.owners[ppa / size] = page == WL_NONE ? WL_NONE : page + 1;
    if (present == 0) continue;
    tables.map[page] = static_cast<std::uint32_t>(ppa) + WL_MAP_PPA0;
    tables.presence[page].present = static_cast<std::uint16_t>(present);
    valid[ppa / state.geometry.superblock_lpages()] += size;
  }
  for (const std::uint32_t lpn : state.lost) {
    tables.presence[lpn / size].lost |= static_cast<std::uint16_t>(1U << lpn % size);
  }
  for (std::uint32_t i = 0; i < state.geometry.blocks; ++i)
    tables.superblocks[i].valid = valid[tables.superblocks[i].superblock];
}

}  // namespace

Geometry geometry_of(const wl_boot_info& info) {
  Geometry g;
  g.dies = info.dies;
  g.planes = info.planes;
  g.blocks = info.blocks;
  g.pages = info.pages;
  g.lpages_per_page = info.lpages_per_page;
  g.pages_per_program = info.pages_per_program;
  g.user_lpages = info.user_lpages;
  g.lpage_bytes = 512U << info.ftl.lpage_shift;
  g.map_pages = wl_boot_map_pages(&info);
  return g;
}

std::uint64_t BootTableSizes::aligned_sum() const {
  return aligned(owners) + aligned(map) + aligned(presence) + aligned(superblocks);
}

BootTableSizes boot_table_sizes(const Geometry& geometry, std::uint32_t map_page) {
  const std::uint32_t map_unit = std::max<std::uint32_t>(map_page, 1);
  const std::uint64_t entries = (std::uint64_t{geometry.stored_lpages()} + map_unit - 1) / map_unit;
  BootTableSizes sizes;
  sizes.owners = geometry.ppas() / map_unit * sizeof(std::uint32_t);
  sizes.map = entries * sizeof(std::uint32_t);
  sizes.presence = map_page == 0 ? 0 : entries * sizeof(wl_presence);
  sizes.superblocks = std::uint64_t{geometry.blocks} * sizeof(wl_initial_superblock);
  return sizes;
}

PlacedTables place_boot_tables(std::byte* dram, wl_boot_info& info) {
  const BootTableSizes sizes = boot_table_sizes(geometry_of(info), info.ftl.map_page);
  if (sizes.aligned_sum() + kAlign > info.dram_bytes) {
    throw std::runtime_error(fmt::format("the tables of the initial state need {} bytes of DRAM, and there are {}",
                                         sizes.aligned_sum() + kAlign, info.dram_bytes));
  }
  PlacedTables placed;
  std::uint64_t end = info.dram_bytes / kAlign * kAlign;
  const auto take = [&](std::uint64_t bytes, std::uint32_t& address) -> void* {
    end -= aligned(bytes);
    address = static_cast<std::uint32_t>(WL_DRAM_BASE + end);
    return dram + end;
  };
  wl_initial_state& initial = placed.initial;
  placed.tables.owners = static_cast<std::uint32_t*>(take(sizes.owners, initial.owners));
  placed.tables.map = static_cast<std::uint32_t*>(take(sizes.map, initial.map));
  if (sizes.presence != 0) {
    placed.tables.presence = static_cast<wl_presence*>(take(sizes.presence, initial.presence));
  }
  placed.tables.superblocks = static_cast<wl_initial_superblock*>(take(sizes.superblocks, initial.superblocks));
  info.dram_bytes = static_cast<std::uint32_t>(end);
  info.preconditioned = 1;
  return placed;
}

std::uint32_t mapped_count(const std::vector<Superblock>& superblocks) {
  std::uint32_t mapped = 0;
  for (const Superblock& s : superblocks) mapped += s.valid;
  return mapped;
}

void fill_boot_tables(const DriveState& state, std::uint32_t map_page, const BootTables& tables) {
  for (std::size_t i = 0; i < state.superblocks.size(); ++i) {
    const Superblock& s = state.superblocks[i];
    tables.superblocks[i] = {s.number,
                             s.valid,
                             s.erases,
                             state_of(s.state),
                             static_cast<std::uint8_t>(s.bad ? 1 : 0),
                             0,
                             is_open(s.state) ? state.filled_units(s.number) : 0};
  }
  const std::uint64_t entries = boot_table_sizes(state.geometry, map_page).map / sizeof(std::uint32_t);
  std::fill(tables.map, tables.map + entries, WL_MAP_DEALLOCATED);
  if (map_page != 0) {
    std::fill(tables.presence, tables.presence + entries, wl_presence{});
    write_pages(state, map_page, tables);
    return;
  }
  write_lpages(state.ppas, tables);
  for (const std::uint32_t lpn : state.lost) tables.map[lpn] = WL_MAP_LOST;
}

wl_initial_state write_boot_tables(const DriveState& state, std::byte* dram, wl_boot_info& info) {
  PlacedTables placed = place_boot_tables(dram, info);
  fill_boot_tables(state, info.ftl.map_page, placed.tables);
  placed.initial.mapped_lpages = mapped_count(state.superblocks);
  return placed.initial;
}

}  // namespace wordline::precondition
