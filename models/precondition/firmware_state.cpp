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
struct Entry {
  wl_superblock firmware{};
  Superblock superblock;
  std::uint32_t filled = 0;     // PPAs of it that may hold something
  std::uint32_t map_units = 0;  // map units that lie in it
};

/// A map unit, what an entry of the map stands for: a logical page, or those of a page that hold data.
struct MapUnit {
  std::uint32_t number;
  std::uint32_t present;  // logical pages by bit
};

class Shutdown {
 public:
  Shutdown(const wl_boot_info& info, const std::byte* tcm, const std::byte* dram)
      : info_(info),
        geometry_(geometry_of(info)),
        unit_lpages_(std::max<std::uint32_t>(info.ftl.map_page, 1)),
        superblock_map_units_(geometry_.superblock_lpages() / unit_lpages_),
        tcm_(tcm),
        dram_(dram) {
    std::memcpy(&tables_, tcm + WL_FIRMWARE_CONTEXT_OFFSET + sizeof(struct wl_firmware_statistics), sizeof(tables_));
    if (tables_.superblocks < WL_TCM_BASE || tables_.map < WL_DRAM_BASE ||
        tables_.superblock_bytes < sizeof(wl_superblock)) {
      throw std::runtime_error("the firmware has not said where its tables are: it has not booted");
    }
    read_superblocks();
  }

  DriveState state() {
    state_.geometry = geometry_;
    state_.ppas.resize(geometry_.ppas());
    read_owners();
    read_map();
    win_free(kFree +
             static_cast<std::uint32_t>((buffered_.size() + superblock_map_units_ - 1) / superblock_map_units_));
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

  void read_superblocks() {
    entries_.resize(geometry_.blocks);
    const std::byte* at = tcm_ + (tables_.superblocks - WL_TCM_BASE);
    for (std::uint32_t i = 0; i < geometry_.blocks; ++i, at += tables_.superblock_bytes) {
      Entry& entry = entries_[i];
      std::memcpy(&entry.firmware, at, sizeof(entry.firmware));
      entry.superblock.number = i;
      std::memcpy(&entry.superblock.erases, tcm_ + (tables_.erases - WL_TCM_BASE) + i * sizeof(std::uint32_t),
                  sizeof(std::uint32_t));
      entry.superblock.bad = entry.firmware.bad != 0;
      switch (entry.firmware.state) {
        case WL_SUPERBLOCK_FREE:
          break;
        case WL_SUPERBLOCK_RETIRED:
          entry.superblock.state = SuperblockState::kRetired;
          break;
        default:
          entry.superblock.state = SuperblockState::kClosed;
          entry.filled = geometry_.superblock_lpages();
      }
    }
  }

  [[nodiscard]] std::uint32_t map_units() const {
    return (geometry_.stored_lpages() + unit_lpages_ - 1) / unit_lpages_;
  }
  /// The logical pages of a map unit that exist.
  [[nodiscard]] std::uint32_t all_of(std::uint32_t unit) const {
    return (1U << std::min(unit_lpages_, geometry_.stored_lpages() - unit * unit_lpages_)) - 1;
  }

  void read_owners() {
    const std::uint32_t filled = info_.preconditioned != 0 ? map_units() : 0;
    for (const Entry& entry : entries_) {
      const std::uint32_t base = entry.superblock.number * superblock_map_units_;
      for (std::uint32_t at = base; at < base + entry.filled / unit_lpages_; ++at) {
        const std::uint32_t owner = wl_owner_resolve(in_dram(tables_.owners, at), at, filled);
        if (owner >= map_units()) continue;
        for (std::uint32_t bits = all_of(owner), i = 0; bits >> i != 0; ++i) {
          state_.ppas[std::uint64_t{at} * unit_lpages_ + i] = Content::of(owner * unit_lpages_ + i, false);
        }
      }
    }
  }

  /// `ppa`: the first of the map unit.
  void put(const MapUnit& unit, std::uint32_t ppa) {
    Entry& entry = entries_.at(ppa / geometry_.superblock_lpages());
    ++entry.map_units;
    for (std::uint32_t i = 0; unit.present >> i != 0; ++i) {
      if ((unit.present >> i & 1) == 0) continue;
      state_.ppas.at(ppa + i) = Content::of(unit.number * unit_lpages_ + i, true);
      ++entry.superblock.valid;
    }
  }

  void read_map() {
    for (std::uint32_t number = 0; number < map_units(); ++number) {
      const std::uint32_t entry = in_dram(tables_.map, number);
      const std::uint32_t value = wl_map_resolve(entry, number * unit_lpages_, info_.preconditioned);
      MapUnit unit{number, value >= WL_MAP_PPA0 ? all_of(number) : 0};
      std::uint32_t lost = value == WL_MAP_LOST ? 1 : 0;
      if (info_.ftl.map_page != 0 && entry != WL_MAP_INITIAL) {
        const std::uint32_t presence = in_dram(tables_.presence, number);
        unit.present = presence & 0xffff;
        lost = presence >> 16;
      }
      for (std::uint32_t i = 0; lost >> i != 0; ++i) {
        if ((lost >> i & 1) != 0) state_.lost.push_back(number * unit_lpages_ + i);
      }
      if (value >= WL_MAP_BUFFER) {
        buffered_.emplace_back(wl_map_slot(value), unit);
      } else if (value >= WL_MAP_PPA0) {
        put(unit, value - WL_MAP_PPA0);
      }
    }
  }

  /// What is open is given up with its room: where too few superblocks are free then, those with the least data are
  /// packed into some of them, as GC would have done.
  void win_free(std::uint32_t wanted) {
    const auto free = static_cast<std::uint32_t>(free_in_order().size());
    if (free >= wanted) return;
    const std::uint32_t missing = wanted - free;
    std::vector<std::uint32_t> packed;
    for (const Entry& entry : entries_) {
      if (entry.superblock.state == SuperblockState::kClosed && !entry.superblock.bad)
        packed.push_back(entry.superblock.number);
    }
    std::stable_sort(packed.begin(), packed.end(), [this](std::uint32_t a, std::uint32_t b) {
      return entries_[a].map_units < entries_[b].map_units;
    });
    std::uint64_t held = 0;
    std::size_t count = 0;
    do {
      if (count == packed.size()) throw std::runtime_error("the drive is too full to be shut down");
      held += entries_[packed[count++]].map_units;
    } while (count <= missing || held > (count - missing) * superblock_map_units_);
    packed.resize(count);
    repack(packed, missing);
  }

  /// What a superblock holds, in the order of its PPAs.
  void collect(std::uint32_t number, std::vector<MapUnit>& to) const {
    const std::uint64_t begin = std::uint64_t{number} * geometry_.superblock_lpages();
    for (std::uint64_t ppa = begin; ppa < begin + geometry_.superblock_lpages(); ppa += unit_lpages_) {
      MapUnit unit{0, 0};
      for (std::uint32_t i = 0; i < unit_lpages_; ++i) {
        const Content content = state_.ppas[ppa + i];
        if (content.valid()) unit = {content.lpn() / unit_lpages_, unit.present | 1U << i};
      }
      if (unit.present != 0) to.push_back(unit);
    }
  }

  /// Moves the data of some superblocks into all but `missing` of them.
  void repack(const std::vector<std::uint32_t>& packed, std::uint32_t missing) {
    std::vector<MapUnit> moved;
    for (const std::uint32_t number : packed) {
      collect(number, moved);
      std::fill_n(state_.ppas.begin() + static_cast<std::ptrdiff_t>(number) * geometry_.superblock_lpages(),
                  geometry_.superblock_lpages(), Content());
      ++entries_[number].superblock.erases;
      entries_[number].superblock.valid = entries_[number].map_units = 0;
      entries_[number].firmware.state = WL_SUPERBLOCK_OPEN;  // as young as can be
    }
    const std::vector<std::uint32_t> before = free_in_order();
    std::uint32_t tail = before.empty() ? WL_NONE : before.back();
    for (std::size_t i = packed.size() - missing; i < packed.size(); ++i) {
      entries_[packed[i]].superblock.state = SuperblockState::kFree;
      entries_[packed[i]].firmware.next = WL_NONE;
      entries_[packed[i]].filled = 0;
      if (tail != WL_NONE) entries_[tail].firmware.next = packed[i];
      tail = packed[i];
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const std::uint32_t number = packed[i / superblock_map_units_];
      put(moved[i], number * geometry_.superblock_lpages() +
                        static_cast<std::uint32_t>(i % superblock_map_units_) * unit_lpages_);
    }
  }

  /// As a drive whose capacitors last writes out its buffer.
  void write_buffered() {
    std::sort(buffered_.begin(), buffered_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Entry* open = nullptr;
    for (const auto& [slot, unit] : buffered_) {
      if (open == nullptr || open->filled == geometry_.superblock_lpages()) open = &next_free();
      put(unit, open->superblock.number * geometry_.superblock_lpages() + open->filled);
      open->filled += unit_lpages_;
    }
  }

  /// An open one may have gaps, where word lines are not filled in order.
  Entry& next_free() {
    const std::vector<std::uint32_t> free = free_in_order();
    if (free.empty()) throw std::runtime_error("the write buffer cannot be written out: no superblock is free");
    Entry& entry = entries_[free.front()];
    entry.superblock.state = SuperblockState::kClosed;
    entry.firmware.state = WL_SUPERBLOCK_OPEN;
    return entry;
  }

  /// The firmware links free superblocks by `next`.
  [[nodiscard]] std::vector<std::uint32_t> free_in_order() const {
    std::vector<bool> follows(entries_.size(), false);
    const auto is_free = [&](std::uint32_t number) {
      return number < entries_.size() && entries_[number].superblock.state == SuperblockState::kFree;
    };
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      if (is_free(i) && is_free(entries_[i].firmware.next)) follows[entries_[i].firmware.next] = true;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      if (!is_free(i) || follows[i]) continue;
      for (std::uint32_t at = i; is_free(at) && order.size() <= entries_.size(); at = entries_[at].firmware.next) {
        order.push_back(at);
      }
    }
    return order;
  }

  void order_superblocks() {
    for (const std::uint32_t number : free_in_order()) state_.superblocks.push_back(entries_[number].superblock);
    std::vector<const Entry*> used;
    for (const Entry& entry : entries_) {
      if (entry.superblock.state != SuperblockState::kFree) used.push_back(&entry);
    }
    // What is closed only now is the youngest.
    const auto age = [](const Entry& entry) {
      const bool open = entry.firmware.state == WL_SUPERBLOCK_OPEN || entry.firmware.state == WL_SUPERBLOCK_CLOSING;
      return open ? std::uint64_t{1} << 32 : std::uint64_t{entry.firmware.closed_at};
    };
    std::stable_sort(used.begin(), used.end(), [&](const Entry* a, const Entry* b) { return age(*a) < age(*b); });
    for (const Entry* entry : used) state_.superblocks.push_back(entry->superblock);
  }

  static constexpr std::uint32_t kFree = 3;  // one for the host beside what GC needs to be sure of going on

  const wl_boot_info& info_;
  Geometry geometry_;
  std::uint32_t unit_lpages_, superblock_map_units_;  // logical pages of a map unit, and map units of a superblock
  const std::byte* tcm_;
  const std::byte* dram_;
  wl_tables tables_{};
  std::vector<Entry> entries_;
  std::vector<std::pair<std::uint32_t, MapUnit>> buffered_;  // buffered by slot
  DriveState state_;
};

}  // namespace

DriveState state_of_firmware(const wl_boot_info& info, const std::byte* tcm, const std::byte* dram) {
  return Shutdown(info, tcm, dram).state();
}

}  // namespace wordline::precondition
