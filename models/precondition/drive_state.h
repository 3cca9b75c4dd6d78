// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/config/config.h"

/// The state of a drive before its first request: made by a logical model of the FTL, or read from a file, and handed
/// to firmware, dies and oracle. Between a made one and one that a run has left there is no difference.
namespace wordline::precondition {

/// What a state fits: the counts that number its PPAs. A state of another geometry means nothing.
struct Geometry {
  std::uint32_t dies = 0;
  std::uint32_t planes = 0;
  std::uint32_t blocks = 0;           // blocks of a plane, without spares: superblocks
  std::uint32_t pages = 0;            // pages of a block
  std::uint32_t lpages_per_page = 0;  // logical pages in a page of one plane
  std::uint32_t pages_per_program = 0;
  std::uint32_t user_lpages = 0;
  std::uint32_t lpage_bytes = 0;
  std::uint32_t map_pages = 0;  // with ftl.map_cache: logical pages of the map, behind the exported ones

  /// Logical pages that flash holds.
  [[nodiscard]] std::uint32_t stored_lpages() const { return user_lpages + map_pages; }
  [[nodiscard]] std::uint32_t lpages_per_program() const { return planes * lpages_per_page * pages_per_program; }
  [[nodiscard]] std::uint32_t programs_per_superblock() const { return dies * (pages / pages_per_program); }
  [[nodiscard]] std::uint32_t superblock_lpages() const { return programs_per_superblock() * lpages_per_program(); }
  [[nodiscard]] std::uint64_t ppas() const { return std::uint64_t{blocks} * superblock_lpages(); }

  friend bool operator==(const Geometry& a, const Geometry& b) {
    return a.dies == b.dies && a.planes == b.planes && a.blocks == b.blocks && a.pages == b.pages &&
           a.lpages_per_page == b.lpages_per_page && a.pages_per_program == b.pages_per_program &&
           a.user_lpages == b.user_lpages && a.lpage_bytes == b.lpage_bytes && a.map_pages == b.map_pages;
  }
};
[[nodiscard]] Geometry geometry_of(const config::Config& config, const config::Layout& layout);

/// Superblocks are closed, free or retired, as after a clean shutdown; but one for the data of the host and one for
/// those that GC moves may be open, as on a drive that is at work: their first program units are full, the rest is
/// erased.
enum class SuperblockState : std::uint8_t { kFree, kClosed, kRetired, kOpenForHost, kOpenForGc };
[[nodiscard]] constexpr bool is_open(SuperblockState state) {
  return state == SuperblockState::kOpenForHost || state == SuperblockState::kOpenForGc;
}

struct Superblock {
  std::uint32_t number = 0;
  std::uint32_t valid = 0;   // logical pages that the map points to
  std::uint32_t erases = 0;  // erases that made this state
  SuperblockState state = SuperblockState::kFree;
  bool bad = false;  // closed, to be retired when it is empty

  friend bool operator==(const Superblock& a, const Superblock& b) {
    return a.number == b.number && a.valid == b.valid && a.erases == b.erases && a.state == b.state && a.bad == b.bad;
  }
};

/// What lies at a PPA: nothing, or a logical page, valid when the map points here. Four bytes.
class Content {
 public:
  constexpr Content() = default;
  static constexpr Content of(std::uint32_t lpn, bool valid) { return Content((lpn + 1) | (valid ? kValid : 0)); }
  static constexpr Content from_bits(std::uint32_t bits) { return Content(bits); }
  [[nodiscard]] constexpr bool empty() const { return (bits_ & ~kValid) == 0; }
  [[nodiscard]] constexpr bool valid() const { return (bits_ & kValid) != 0; }
  [[nodiscard]] constexpr std::uint32_t lpn() const { return (bits_ & ~kValid) - 1; }
  constexpr void invalidate() { bits_ &= ~kValid; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }

 private:
  static constexpr std::uint32_t kValid = 1U << 31;  // PPAs fit 31 bits (contract/map.h), and logical pages are fewer
  constexpr explicit Content(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// What is open is full up to a multiple of so many program units where firmware goes on with it. With ftl.recovery and
/// word lines of several programs firmware has an order of its own, die after die, which is that of the states where
/// whole rows of word lines are full (models/firmware/space/cursors.h). It closes others.
[[nodiscard]] std::uint32_t units_at_once(const config::Config& config, const config::Layout& layout);

/// Program units of a superblock that hold something, which are its first ones. `ppas`: of the drive.
[[nodiscard]] std::uint32_t filled_units(const Geometry& geometry, const Content* ppas, std::uint32_t superblock);

struct DriveState {
  Geometry geometry;
  std::vector<Content> ppas;            // ppas in the order of contract/geometry.h
  std::vector<Superblock> superblocks;  // free ones in the order of their use, then the others, oldest first
  std::vector<std::uint32_t> lost;      // logical pages that reads end with an error for, ascending
  std::string origin;                   // how it was made, for people
  std::uint32_t waf_thousandths = 0;    // write amplification with which it was made, at the end; 0: not known

  [[nodiscard]] std::uint32_t filled_units(std::uint32_t superblock) const {
    return precondition::filled_units(geometry, ppas.data(), superblock);
  }
  /// Nothing wrong: empty. Else what contradicts itself.
  [[nodiscard]] std::string problem() const;
  /// What keeps it from being a map of pages of `size` logical pages (ftl.map = page), each whole and aligned in one
  /// page of flash; empty: nothing.
  [[nodiscard]] std::string problem_of_pages(std::uint32_t size) const;
};

/// The logical pages of `state`, by number, map pages behind them, that are mapped: whether a read finds data there.
[[nodiscard]] std::vector<bool> mapped_lpages(const DriveState& state);
/// All of them.
[[nodiscard]] bool is_full(const DriveState& state);

}  // namespace wordline::precondition
