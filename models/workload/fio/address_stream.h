// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/workload/distribution.h"
#include "models/workload/fio/job.h"
#include "models/workload/fio/random_map.h"
#include "models/workload/fio/size_draw.h"
#include "models/workload/permutation.h"

namespace wordline::workload::fio {

/// Blocks of 512 bytes that a job works on.
struct Region {
  std::uint64_t first = 0;
  std::uint64_t nlb = 0;
  std::uint64_t room = 0;  // from `first` to the end of the device, at least nlb
};

/// Where the requests of one job go, and how long they are.
///
/// Sequential: each direction keeps a position; the pass of a direction is over at the region's end. As in fio the last
/// request may reach beyond it where the device goes on; where it does not, the pass is over when not even the smallest
/// request fits. Gaps and zones: the sequence goes around at the device's end alone. Random, uniform: every block once
/// in a pass, for all directions together, unless norandommap. Requests of one size need no memory for that, others a
/// bit a block. Other distributions draw with replacement.
class AddressStream {
 public:
  struct Extent {
    std::uint64_t first = 0;  // first from the drive's begin
    std::uint32_t nlb = 0;
  };

  AddressStream(const Job& job, const Region& region, std::uint64_t seed, std::uint64_t number);

  /// The extent of request `number`, which is of `op`. Nothing: the pass of this direction is over.
  [[nodiscard]] std::optional<Extent> next(Op op, std::uint64_t number);
  /// The random map has no extent left that was not accessed in this pass.
  [[nodiscard]] bool covered() const;
  /// The sequence of `op` from the begin again.
  void rewind(Op op);
  /// All directions and the random map from the begin again.
  void begin_pass();

 private:
  struct Direction {
    SizeDraw sequential_size, random_size;
    std::uint64_t align = 8;   // alignment of random offsets
    std::uint64_t starts = 0;  // where a random request can begin
    BlockDraw draw;            // draw without a map
    std::vector<AccessZone> zones;
    std::uint64_t position = 0;  // position behind the last request, from the region's begin
    std::uint64_t begin = 0;     // begin of the last request
    bool began = false;
  };

  void set_up_map();
  [[nodiscard]] bool is_random(const Direction& direction, Op op, std::uint64_t number) const;
  [[nodiscard]] Extent random(Direction& direction, std::uint64_t number);
  [[nodiscard]] Extent mapped(Direction& direction, std::uint64_t number);
  [[nodiscard]] std::uint64_t drawn(const Direction& direction, std::uint64_t number) const;
  [[nodiscard]] std::optional<Extent> sequential(Direction& direction, std::uint64_t number);
  [[nodiscard]] std::optional<std::uint64_t> skipped(std::uint64_t position) const;
  void next_zone(Direction& direction);

  const Pattern pattern_;
  const Region region_;
  const bool goes_around_;  // a sequence with gaps
  const std::uint64_t seed_;
  const std::uint64_t number_;  // number of the job
  ByOp<Direction> directions_;
  enum class Map : std::uint8_t { kNone, kOneSize, kMarked } map_ = Map::kNone;
  Permutation order_;  // kOneSize
  std::uint64_t next_ = 0, pass_ = 0;
  RandomMap marked_;             // kMarked
  std::uint64_t unit_ = 8;       // unit of marked_, in LBAs
  std::uint64_t zone_done_ = 0;  // zonemode=strided: blocks of the zone that are done
  std::uint64_t zone_first_ = 0;
};

}  // namespace wordline::workload::fio
