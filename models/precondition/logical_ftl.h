// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/precondition/drive_state.h"
#include "models/precondition/logical_map_cache.h"

namespace wordline::precondition {

/// How the logical FTL chooses what to collect.
enum class Victims : std::uint8_t { kGreedy, kCostBenefit, kDChoices, kFifo };
/// The form nearest to a policy of the firmware, by its name; greedy for what has none of its own.
[[nodiscard]] Victims victims_of(std::string_view policy);

/// A page-mapping FTL without time: logical pages go one by one into the host's open superblock, and when few
/// superblocks are free GC copies victims into its own. Map, valid counts and erases are exact; program units and dies
/// are not there. It does tens of millions of logical page writes a second.
///
/// The write buffer is full, as under more writes than flash takes: what it holds is not on flash yet, and the data
/// that it replaces are stale already. On a drive of a few superblocks that is room.
///
/// GC keeps step with the writes as that of a paced drive does (models/firmware/space/pace.h): a write pays for the
/// copies that win its place back, more while there is less room than Shape::room, fewer while there is more.
///
/// With a map on flash each entry that changes, as data arrive in the buffer, are placed or copied, takes its map page
/// into a cache; the changed one that leaves it is written, to a superblock of map pages.
///
/// Accuracy: docs/states.md.
class LogicalFtl {
 public:
  struct Shape {
    std::uint32_t superblocks = 0, superblock_lpages = 0, user_lpages = 0;
    std::uint32_t reserve = 1;  // free superblocks that the host may not open, 1 at least
    Victims victims = Victims::kGreedy;
    std::uint32_t program_unit = 0;  // open superblocks are filled up to a multiple of it; 0: finish() leaves none
    std::uint32_t room = 0;    // superblocks of room that GC holds: free, the rest of open ones, what is copied of the
                               // victim; 0: one more than the reserve
    std::uint32_t buffer = 0;  // logical pages in the write buffer
    LogicalMapCache::Shape map{};  // the map on flash; none: it is in DRAM
  };
  explicit LogicalFtl(const Shape& shape);

  void write(std::uint32_t lpn);
  /// `count` writes of random logical pages.
  void overwrite(std::uint64_t count, std::uint64_t seed);
  /// Every logical page once.
  void fill_in_order();
  void fill_at_random(std::uint64_t seed);

  [[nodiscard]] std::uint64_t written() const { return written_; }  // by the host
  /// Logical pages that GC has copied, and map pages that were written.
  [[nodiscard]] std::uint64_t copied() const { return copied_; }
  /// (written + copied) / written since the counts of `written` and `copied`.
  [[nodiscard]] double waf_since(std::uint64_t written, std::uint64_t copied) const;

  /// What is in the write buffer goes to flash, and there is none from here on.
  void flush();

  /// Gives PPAs and superblocks away; the FTL is used up. With Shape::program_unit the drive goes on where it is: open
  /// superblocks stay open, full up to a multiple of it. Else they are closed.
  void finish(DriveState& state);
  /// Writes as overwrite() until the host's open superblock is half full, as it is on the average.
  void go_on_to_the_middle(std::uint64_t seed);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kBuckets =
      1024;  // None as the firmware: closed superblocks in buckets by valid logical pages
  enum class State : std::uint8_t { kFree, kOpen, kClosed, kVictim };
  struct Entry {
    std::uint32_t valid = 0, filled = 0, erases = 0, closed_at = 0;
    std::uint32_t prev = kNone, next = kNone;
    State state = State::kFree;
  };

  void place(std::uint32_t lpn, std::uint32_t& open);
  void place_host(std::uint32_t lpn);
  void entry_changes(std::uint32_t lpn);
  void write_map_page(std::uint32_t page);
  void write_changed_map_pages();
  void drop(std::uint32_t ppa);
  [[nodiscard]] std::uint32_t take_free();
  void free(std::uint32_t number);
  void close(std::uint32_t number);
  void close_all();
  [[nodiscard]] bool in_whole_units(std::uint32_t open) const;
  bool copy();
  bool take_victim();
  [[nodiscard]] double owed() const;
  [[nodiscard]] std::uint32_t choose();
  [[nodiscard]] std::uint32_t emptiest() const;
  [[nodiscard]] std::uint32_t best_benefit() const;
  [[nodiscard]] std::uint32_t best_of_draws();
  [[nodiscard]] std::uint32_t oldest() const;
  [[nodiscard]] std::uint32_t bucket_of(std::uint32_t valid) const { return valid >> bucket_shift_; }
  void insert(std::uint32_t number);
  void remove(std::uint32_t number, std::uint32_t bucket);

  Shape shape_;
  std::vector<Content> ppas_;
  std::vector<std::uint32_t> map_;  // by logical page: its PPA
  std::vector<Entry> table_;
  std::vector<std::uint32_t> head_, tail_;  // heads and tails of the buckets
  std::uint32_t bucket_shift_ = 0;
  std::uint32_t free_head_ = kNone, free_tail_ = kNone, free_ = 0;
  std::uint32_t host_ = kNone, gc_ = kNone, map_open_ = kNone;  // open superblocks
  std::uint32_t victim_ = kNone, victim_valid_ = 0, scan_ = 0;
  std::vector<std::uint32_t> buffer_;  // logical pages in the order of their writes, from `oldest_buffered_` on, round
  std::size_t oldest_buffered_ = 0;
  LogicalMapCache map_cache_;
  double credit_ = 0;  // copies that were paid for
  std::uint32_t closings_ = 0, taken_ = 0;
  std::uint64_t written_ = 0, copied_ = 0;
};

}  // namespace wordline::precondition
