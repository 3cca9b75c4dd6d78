// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/firmware_state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/firmware/firmware.h"
#include "models/firmware/space/state.h"
#include "models/precondition/boot_tables.h"

namespace wordline::precondition {
namespace {

/// A superblock of the firmware on its way to one of the state.
struct Line {
  wl_line firmware{};
  Superblock superblock;
  std::uint32_t filled = 0;  // places of it that may hold something
};

class Shutdown {
 public:
  Shutdown(const wl_boot_info& info, const std::byte* tcm, const std::byte* dram)
      : info_(info), geometry_(geometry_of(info)), tcm_(tcm), dram_(dram) {
    std::memcpy(&tables_, tcm + WL_FIRMWARE_CONTEXT_OFFSET + sizeof(struct wl_firmware_statistics), sizeof(tables_));
    if (tables_.lines < WL_TCM_BASE || tables_.map < WL_DRAM_BASE || tables_.line_bytes < sizeof(wl_line)) {
      throw std::runtime_error("the firmware has not said where its tables are: it has not booted");
    }
    read_lines();
  }

  DriveState state() {
    state_.geometry = geometry_;
    state_.places.resize(geometry_.places());
    read_owners();
    read_map();
    win_free(kFree +
             static_cast<std::uint32_t>((buffered_.size() + geometry_.line_sectors() - 1) / geometry_.line_sectors()));
    write_buffered();
    order_superblocks();
    return std::move(state_);
  }

 private:
  [[nodiscard]] std::uint32_t in_dram(std::uint32_t table, std::uint64_t index) const {
    std::uint32_t value = 0;
    std::memcpy(&value, dram_ + (table - WL_DRAM_BASE) + index * sizeof(value), sizeof(value));
    return value;
  }

  void read_lines() {
    lines_.resize(geometry_.blocks);
    const std::byte* at = tcm_ + (tables_.lines - WL_TCM_BASE);
    for (std::uint32_t i = 0; i < geometry_.blocks; ++i, at += tables_.line_bytes) {
      Line& line = lines_[i];
      std::memcpy(&line.firmware, at, sizeof(line.firmware));
      line.superblock.line = i;
      std::memcpy(&line.superblock.erases, tcm_ + (tables_.erases - WL_TCM_BASE) + i * sizeof(std::uint32_t),
                  sizeof(std::uint32_t));
      line.superblock.bad = line.firmware.bad != 0;
      switch (line.firmware.state) {
        case WL_LINE_FREE:
          break;
        case WL_LINE_RETIRED:
          line.superblock.state = SuperblockState::kRetired;
          break;
        default:
          line.superblock.state = SuperblockState::kClosed;
          line.filled = geometry_.line_sectors();
      }
    }
  }

  void read_owners() {
    const std::uint32_t filled = info_.preconditioned != 0 ? info_.user_sectors : 0;
    for (const Line& line : lines_) {
      const std::uint64_t base = std::uint64_t{line.superblock.line} * geometry_.line_sectors();
      for (std::uint64_t place = base; place < base + line.filled; ++place) {
        const std::uint32_t owner =
            wl_owner_resolve(in_dram(tables_.owners, place), static_cast<std::uint32_t>(place), filled);
        if (owner < info_.user_sectors) state_.places[place] = Content::of(owner, false);
      }
    }
  }

  void put(std::uint32_t lpn, std::uint32_t place) {
    state_.places.at(place) = Content::of(lpn, true);
    ++lines_.at(place / geometry_.line_sectors()).superblock.valid;
  }

  void read_map() {
    for (std::uint32_t lpn = 0; lpn < info_.user_sectors; ++lpn) {
      const std::uint32_t value = wl_map_resolve(in_dram(tables_.map, lpn), lpn, info_.preconditioned);
      if (value == WL_MAP_LOST) state_.lost.push_back(lpn);
      if (value >= WL_MAP_BUFFER) {
        buffered_.emplace_back(value & ~WL_MAP_BUFFER, lpn);
      } else if (value >= WL_MAP_PLACE0) {
        put(lpn, value - WL_MAP_PLACE0);
      }
    }
  }

  /// What is open is given up with its room: where too few superblocks are free then, those with the least data are
  /// packed into some of them, as collection would have done.
  void win_free(std::uint32_t wanted) {
    const auto free = static_cast<std::uint32_t>(free_in_order().size());
    if (free >= wanted) return;
    const std::uint32_t missing = wanted - free;
    std::vector<std::uint32_t> packed;
    for (const Line& line : lines_) {
      if (line.superblock.state == SuperblockState::kClosed && !line.superblock.bad)
        packed.push_back(line.superblock.line);
    }
    std::stable_sort(packed.begin(), packed.end(), [this](std::uint32_t a, std::uint32_t b) {
      return lines_[a].superblock.valid < lines_[b].superblock.valid;
    });
    std::uint64_t valid = 0;
    std::size_t count = 0;
    do {
      if (count == packed.size()) throw std::runtime_error("the drive is too full to be shut down");
      valid += lines_[packed[count++]].superblock.valid;
    } while (count <= missing || valid > (count - missing) * geometry_.line_sectors());
    packed.resize(count);
    repack(packed, missing);
  }

  /// Moves the sectors of some superblocks into all but `missing` of them.
  void repack(const std::vector<std::uint32_t>& packed, std::uint32_t missing) {
    std::vector<std::uint32_t> lpns;
    for (const std::uint32_t number : packed) {
      const auto begin = state_.places.begin() + static_cast<std::ptrdiff_t>(number) * geometry_.line_sectors();
      const auto end = begin + geometry_.line_sectors();
      for (auto at = begin; at != end; ++at) {
        if (at->valid()) lpns.push_back(at->lpn());
      }
      std::fill(begin, end, Content());
      ++lines_[number].superblock.erases;
      lines_[number].superblock.valid = 0;
      lines_[number].firmware.state = WL_LINE_OPEN;  // as young as can be
    }
    const std::vector<std::uint32_t> before = free_in_order();
    std::uint32_t tail = before.empty() ? WL_NONE : before.back();
    for (std::size_t i = packed.size() - missing; i < packed.size(); ++i) {
      lines_[packed[i]].superblock.state = SuperblockState::kFree;
      lines_[packed[i]].firmware.next = WL_NONE;
      lines_[packed[i]].filled = 0;
      if (tail != WL_NONE) lines_[tail].firmware.next = packed[i];
      tail = packed[i];
    }
    for (std::size_t i = 0; i < lpns.size(); ++i) {
      const auto line = packed[i / geometry_.line_sectors()];
      put(lpns[i], line * geometry_.line_sectors() + static_cast<std::uint32_t>(i % geometry_.line_sectors()));
    }
  }

  /// As a drive whose capacitors last writes out its buffer.
  void write_buffered() {
    std::sort(buffered_.begin(), buffered_.end());
    Line* open = nullptr;
    for (const auto& [slot, lpn] : buffered_) {
      if (open == nullptr || open->filled == geometry_.line_sectors()) open = &next_free();
      put(lpn, open->superblock.line * geometry_.line_sectors() + open->filled++);
    }
  }

  /// An open one may have gaps, where word lines are not filled in order.
  Line& next_free() {
    const std::vector<std::uint32_t> free = free_in_order();
    if (free.empty()) throw std::runtime_error("the write buffer cannot be written out: no superblock is free");
    Line& line = lines_[free.front()];
    line.superblock.state = SuperblockState::kClosed;
    line.firmware.state = WL_LINE_OPEN;
    return line;
  }

  /// The firmware links free superblocks by `next`.
  [[nodiscard]] std::vector<std::uint32_t> free_in_order() const {
    std::vector<bool> follows(lines_.size(), false);
    const auto is_free = [&](std::uint32_t number) {
      return number < lines_.size() && lines_[number].superblock.state == SuperblockState::kFree;
    };
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      if (is_free(i) && is_free(lines_[i].firmware.next)) follows[lines_[i].firmware.next] = true;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      if (!is_free(i) || follows[i]) continue;
      for (std::uint32_t at = i; is_free(at) && order.size() <= lines_.size(); at = lines_[at].firmware.next) {
        order.push_back(at);
      }
    }
    return order;
  }

  void order_superblocks() {
    for (const std::uint32_t number : free_in_order()) state_.superblocks.push_back(lines_[number].superblock);
    std::vector<const Line*> used;
    for (const Line& line : lines_) {
      if (line.superblock.state != SuperblockState::kFree) used.push_back(&line);
    }
    // What is closed only now is the youngest.
    const auto age = [](const Line& line) {
      const bool open = line.firmware.state == WL_LINE_OPEN || line.firmware.state == WL_LINE_CLOSING;
      return open ? std::uint64_t{1} << 32 : std::uint64_t{line.firmware.closed_at};
    };
    std::stable_sort(used.begin(), used.end(), [&](const Line* a, const Line* b) { return age(*a) < age(*b); });
    for (const Line* line : used) state_.superblocks.push_back(line->superblock);
  }

  static constexpr std::uint32_t kFree = 3;  // one for the host beside what collection needs to be sure of going on

  const wl_boot_info& info_;
  Geometry geometry_;
  const std::byte* tcm_;
  const std::byte* dram_;
  wl_tables tables_{};
  std::vector<Line> lines_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> buffered_;  // slot, sector
  DriveState state_;
};

}  // namespace

DriveState state_of_firmware(const wl_boot_info& info, const std::byte* tcm, const std::byte* dram) {
  return Shutdown(info, tcm, dram).state();
}

}  // namespace wordline::precondition
