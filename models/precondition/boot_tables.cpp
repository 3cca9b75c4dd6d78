// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/boot_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::precondition {
namespace {

constexpr std::uint64_t kAlign = 64;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::uint8_t state_of(SuperblockState state) {
  switch (state) {
    case SuperblockState::kClosed:
      return WL_INITIAL_CLOSED;
    case SuperblockState::kRetired:
      return WL_INITIAL_RETIRED;
    case SuperblockState::kFree:
      break;
  }
  return WL_INITIAL_FREE;
}

}  // namespace

Geometry geometry_of(const wl_boot_info& info) {
  Geometry g;
  g.dies = info.dies;
  g.planes = info.planes;
  g.blocks = info.blocks;
  g.pages = info.pages;
  g.sectors_per_page = info.sectors_per_page;
  g.pages_per_program = info.pages_per_program;
  g.user_sectors = info.user_sectors;
  g.sector_bytes = 512U << info.ftl.sector_shift;
  return g;
}

std::uint64_t boot_table_bytes(const wl_boot_info& info) {
  return aligned(geometry_of(info).places() * sizeof(std::uint32_t)) +
         aligned(std::uint64_t{info.user_sectors} * sizeof(std::uint32_t)) +
         aligned(std::uint64_t{info.blocks} * sizeof(wl_initial_line)) + kAlign;
}

wl_initial_state write_boot_tables(const DriveState& state, std::byte* dram, wl_boot_info& info) {
  if (boot_table_bytes(info) > info.dram_bytes) {
    throw std::runtime_error(fmt::format("the tables of the initial state need {} bytes of DRAM, and there are {}",
                                         boot_table_bytes(info), info.dram_bytes));
  }
  wl_initial_state initial{};
  std::uint64_t end = info.dram_bytes / kAlign * kAlign;
  const auto take = [&](std::uint64_t bytes) {
    end -= aligned(bytes);
    return reinterpret_cast<std::uint32_t*>(dram + end);
  };
  const auto address = [&] { return static_cast<std::uint32_t>(WL_DRAM_BASE + end); };
  std::uint32_t* owners = take(state.places.size() * sizeof(std::uint32_t));
  initial.owners = address();
  std::uint32_t* map = take(std::uint64_t{info.user_sectors} * sizeof(std::uint32_t));
  initial.map = address();
  auto* lines = reinterpret_cast<wl_initial_line*>(take(state.superblocks.size() * sizeof(wl_initial_line)));
  initial.lines = address();
  info.dram_bytes = static_cast<std::uint32_t>(end);
  info.preconditioned = 1;

  std::fill(map, map + info.user_sectors, WL_MAP_DEALLOCATED);
  for (std::size_t place = 0; place < state.places.size(); ++place) {
    const Content content = state.places[place];
    owners[place] = content.empty() ? WL_NONE : content.lpn() + 1;
    if (content.valid()) map[content.lpn()] = static_cast<std::uint32_t>(place) + WL_MAP_PLACE0;
  }
  for (const std::uint32_t lpn : state.lost) map[lpn] = WL_MAP_LOST;
  for (std::size_t i = 0; i < state.superblocks.size(); ++i) {
    const Superblock& s = state.superblocks[i];
    lines[i] = {s.line, s.valid, s.erases, state_of(s.state), static_cast<std::uint8_t>(s.bad ? 1 : 0), 0};
  }
  return initial;
}

}  // namespace wordline::precondition
