// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/drive_state.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace wordline::precondition {
namespace {

constexpr std::uint32_t kLeastFree = 2;  // least free as models/firmware/space/superblocks.c

}  // namespace

Geometry geometry_of(const config::Config& config, const config::Layout& layout) {
  Geometry g;
  g.dies = layout.dies;
  g.planes = config.nand.geometry.planes;
  g.blocks = layout.superblocks;
  g.pages = layout.pages_per_block;
  g.lpages_per_page = layout.lpages_per_page;
  g.pages_per_program = layout.pages_per_program;
  g.user_lpages = static_cast<std::uint32_t>(layout.user_lpages);
  g.lpage_bytes = layout.lpage.bytes();
  g.map_pages = static_cast<std::uint32_t>(layout.map_pages);
  return g;
}

std::uint32_t units_at_once(const config::Config& config, const config::Layout& layout) {
  const std::uint32_t programs = layout.page_types / layout.pages_per_program;
  return config.ftl.recovery == config::Recovery::kNone || programs == 1 ? 1 : programs * layout.dies;
}

std::uint32_t filled_units(const Geometry& geometry, const Content* ppas, std::uint32_t superblock) {
  const std::uint32_t size = geometry.superblock_lpages();
  const std::size_t begin = std::size_t{superblock} * size;
  std::uint32_t filled = size;
  while (filled != 0 && ppas[begin + filled - 1].empty()) --filled;
  return (filled + geometry.lpages_per_program() - 1) / geometry.lpages_per_program();
}

std::string DriveState::problem() const {
  if (ppas.size() != geometry.ppas()) {
    return fmt::format("holds {} PPAs, and its geometry has {}", ppas.size(), geometry.ppas());
  }
  if (superblocks.size() != geometry.blocks) {
    return fmt::format("holds {} superblocks, and its geometry has {}", superblocks.size(), geometry.blocks);
  }
  std::vector<const Superblock*> by_number(geometry.blocks, nullptr);
  bool in_use = false;
  std::array<bool, 5> open{};  // open by SuperblockState
  std::uint32_t free = 0;
  for (const Superblock& s : superblocks) {
    if (s.number >= geometry.blocks || by_number[s.number] != nullptr) {
      return fmt::format("names superblock {} twice, or there is none", s.number);
    }
    by_number[s.number] = &s;
    if (s.state > SuperblockState::kOpenForGc) return fmt::format("superblock {} is in no known state", s.number);
    if (in_use && s.state == SuperblockState::kFree) {
      return fmt::format("superblock {} is free and stands behind one in use", s.number);
    }
    in_use = s.state != SuperblockState::kFree;
    if (!in_use) ++free;
    if (!is_open(s.state)) continue;
    if (std::exchange(open[static_cast<std::size_t>(s.state)], true)) {
      return fmt::format("superblock {} is the second one that is open for the same data", s.number);
    }
    // What GC has open is room for what it moves.
    if (s.state == SuperblockState::kOpenForGc) ++free;
    if (s.bad || filled_units(s.number) == geometry.programs_per_superblock()) {
      return fmt::format("superblock {} is open, and is bad or has no room", s.number);
    }
  }
  if (free < kLeastFree) {
    return fmt::format("has {} free superblocks, and GC needs {} to be sure of going on", free, kLeastFree);
  }
  std::vector<bool> seen(geometry.stored_lpages(), false);
  const std::uint32_t size = geometry.superblock_lpages();
  for (std::uint32_t number = 0; number < geometry.blocks; ++number) {
    const Superblock& s = *by_number[number];
    std::uint32_t valid = 0;
    for (std::uint64_t ppa = std::uint64_t{number} * size; ppa < (std::uint64_t{number} + 1) * size; ++ppa) {
      const Content c = ppas[ppa];
      if (c.empty() && !c.valid()) continue;
      if (s.state == SuperblockState::kFree) {
        return fmt::format("superblock {} is free and PPA {} in it holds data", number, ppa);
      }
      if (c.empty() || c.lpn() >= geometry.stored_lpages()) {
        return fmt::format("PPA {} holds a logical page that the drive does not export", ppa);
      }
      if (!c.valid()) continue;
      if (seen[c.lpn()]) return fmt::format("logical page {} is valid at two PPAs", c.lpn());
      seen[c.lpn()] = true;
      ++valid;
    }
    if (valid != s.valid || (valid != 0 && s.state != SuperblockState::kClosed && !is_open(s.state))) {
      return fmt::format("superblock {} says {} valid logical pages, and {} are", number, s.valid, valid);
    }
  }
  for (std::size_t i = 0; i < lost.size(); ++i) {
    if (lost[i] >= geometry.user_lpages || seen[lost[i]] || (i != 0 && lost[i] <= lost[i - 1])) {
      return fmt::format("lost logical page {} is not exported, valid somewhere, or out of order", lost[i]);
    }
  }
  return {};
}

std::string DriveState::problem_of_pages(std::uint32_t size) const {
  std::vector<bool> mapped((std::uint64_t{geometry.user_lpages} + size - 1) / size, false);
  for (std::size_t begin = 0; begin < ppas.size(); begin += size) {
    const Content* page = nullptr;  // some content of the PPAs that says which page it is
    bool valid = false;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Content& content = ppas[begin + i];
      if (content.empty()) continue;
      if (page == nullptr) page = &content;
      if (content.lpn() % size != i || content.lpn() / size != page->lpn() / size) {
        return fmt::format("logical page {} lies apart from the others of its page, at PPA {}", content.lpn(),
                           begin + i);
      }
      valid = valid || content.valid();
    }
    if (!valid) continue;
    if (mapped[page->lpn() / size]) {
      return fmt::format("logical pages of the page of logical page {} are valid in two pages of flash", page->lpn());
    }
    mapped[page->lpn() / size] = true;
  }
  return {};
}

bool is_full(const DriveState& state) {
  std::uint64_t valid = 0;
  for (const Superblock& s : state.superblocks) valid += s.valid;
  return valid == state.geometry.stored_lpages();
}

std::vector<bool> mapped_lpages(const DriveState& state) {
  std::vector<bool> mapped(state.geometry.stored_lpages(), false);
  for (const Content c : state.ppas) {
    if (c.valid()) mapped[c.lpn()] = true;
  }
  return mapped;
}

}  // namespace wordline::precondition
