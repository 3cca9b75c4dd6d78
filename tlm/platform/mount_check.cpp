// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/mount_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/firmware/contract/contract.h"
#include "models/firmware/contract/geometry.h"
#include "models/firmware/contract/map_port.h"
#include "models/firmware/firmware.h"
#include "tlm/device/initial_content.h"

namespace wordline::platform {

MountedContents::MountedContents(const config::Config& config, const config::Layout& layout,
                                 const precondition::InitialState* state, const precondition::FlashImage* image)
    : size_(layout.lpage), filled_(device::is_preconditioned(config, state)), state_(state) {
  if (image == nullptr) return;
  found_ = precondition::contents_of(*image);
  if (layout.page_types != layout.pages_per_program) beside_ = precondition::contents_beside(*image, layout.page_types);
}

bool MountedContents::may_become(std::uint64_t lba, std::uint64_t content) const {
  const auto at = beside_.find(static_cast<std::uint32_t>(size_.lpage_of(lba)));
  return at != beside_.end() && std::any_of(at->second.begin(), at->second.end(), [&](const data::LpageStamps& held) {
           return held[size_.lba_offset(lba)].bits() == content;
         });
}

std::uint64_t MountedContents::at(std::uint64_t lba) const {
  const auto lpn = static_cast<std::uint32_t>(size_.lpage_of(lba));
  if (found_.lpages() != 0) return found_[lpn][size_.lba_offset(lba)].bits();
  const bool mapped = filled_ && (state_ == nullptr || state_->is_full() || state_->is_mapped(lpn));
  return mapped ? data::LbaStamp(Lba(lba), data::kVersionPrecondition).bits() : 0;
}

namespace {

/// The firmware's map as the host reads it, by logical page, by map units or by pages of two sizes, in the cores' DRAM
/// or behind the MAP port.
class MapOfFirmware {
 public:
  MapOfFirmware(device::Drive& drive, const wl_boot_info& info)
      : drive_(drive), size_(wl_boot_map_unit(&info)), port_words_(wl_map_port_entry(&info)) {
    std::memcpy(&tables_, drive.tcm.data() + WL_FIRMWARE_CONTEXT_OFFSET + sizeof(struct wl_firmware_statistics),
                sizeof(tables_));
    by_page_ = info.ftl.map_page != 0;
  }

  /// A wl_map value.
  [[nodiscard]] std::uint32_t at(std::uint64_t lpn) const {
    if (!by_page_) return word(tables_.map, lpn);
    if (drive_.map_port != nullptr) return behind_port(lpn / size_, static_cast<std::uint32_t>(lpn % size_));
    if (tables_.in_small != 0 && (word(tables_.in_small, lpn / 32) >> lpn % 32 & 1U) != 0)
      return word(tables_.small_map, lpn);
    const std::uint32_t present = word(tables_.presence, lpn / size_) & 0xffffU;  // struct wl_presence
    return (present >> lpn % size_ & 1U) != 0 ? word(tables_.map, lpn / size_) + static_cast<std::uint32_t>(lpn % size_)
                                              : WL_MAP_DEALLOCATED;
  }
  /// The first logical page from `lpn` on whose value may be another than WL_MAP_INITIAL.
  [[nodiscard]] std::uint64_t next(std::uint64_t lpn) const {
    if (drive_.map_port == nullptr) return lpn;
    return std::max(lpn, drive_.map_port->next_written(lpn / size_ * port_words_) / port_words_ * size_);
  }

 private:
  /// Of a map unit of one logical page the entry alone says it (models/firmware/contract/map_port.h).
  [[nodiscard]] std::uint32_t behind_port(std::uint64_t unit, std::uint32_t k) const {
    const std::uint32_t value = drive_.map_port->word(unit * port_words_);
    if (port_words_ == 1 || value == WL_MAP_INITIAL) return value;
    const std::uint32_t present = drive_.map_port->word(unit * port_words_ + 1) & 0xffffU;  // struct wl_presence
    return (present >> k & 1U) != 0 ? value + k : WL_MAP_DEALLOCATED;
  }
  [[nodiscard]] std::uint32_t word(std::uint32_t table, std::uint64_t number) const {
    std::uint32_t value;
    std::memcpy(&value, drive_.dram.data() + (table - WL_DRAM_BASE) + number * sizeof(value), sizeof(value));
    return value;
  }

  device::Drive& drive_;
  std::uint32_t size_;
  std::uint64_t port_words_;
  bool by_page_;
  struct wl_tables tables_;
};

}  // namespace

void MountCheck::reached(host::RunBorder border) {
  if (border != host::RunBorder::kWorkloadBegins) return;
  at_ = drive_.now();
  wl_boot_info info;
  std::memcpy(&info, drive_.tcm.data(), sizeof(info));
  const wl_geometry geometry = wl_geometry_of(info.dies, info.planes * info.lpages_per_page, info.pages_per_program,
                                              info.dies * (info.pages / info.pages_per_program));
  const MapOfFirmware map(drive_, info);
  const std::uint32_t slots = wl_boot_map_port(&info) != 0 ? WL_MAP_BUFFER_PORT : WL_MAP_BUFFER_WINDOW;
  const data::HeldContents& contents = contents_.of_image();
  auto next = contents.held().begin();
  const std::uint64_t lpages = contents.lpages();
  for (std::uint64_t lpn = 0; lpn < lpages; ++lpn) {
    const std::uint64_t next_held = next != contents.held().end() ? next->lpn : lpages;
    lpn = std::min(next_held, map.next(lpn));
    if (lpn == lpages) break;
    const bool is_held = next_held == lpn;
    const data::LpageStamps expected = is_held ? (next++)->stamps : data::LpageStamps{};
    const std::uint32_t value = map.at(lpn);
    if (!is_held && value == WL_MAP_INITIAL) continue;
    data::LpageStamps held{};
    const bool on_flash = value >= WL_MAP_PPA0 && value < slots;
    if (on_flash && !is_held) {  // blank pages read as zeros, too
      problem_ =
          fmt::format("the mount is wrong: logical page {} is mapped to PPA {}, a scan of the same flash finds none",
                      lpn, value - WL_MAP_PPA0);
      return;
    }
    if (on_flash) {
      const wl_location at = wl_locate(&geometry, value - WL_MAP_PPA0);
      const nand::LpageAddress address{PlaneId(static_cast<std::uint8_t>(at.lpage / info.lpages_per_page)),
                                       BlockId(at.block), PageId(at.page), at.lpage % info.lpages_per_page};
      const nand::Die& die = drive_.flash.die(DieId(static_cast<std::uint16_t>(at.die)));
      held = drive_.buffer.pool().expand(die.lpage(address).token);
    }
    if (value == WL_MAP_LOST) continue;  // each read of it says so
    if (held == expected) continue;
    problem_ = fmt::format("the mount is wrong: logical page {} has version {}, a scan of the same flash finds {}", lpn,
                           held[0].version(), expected[0].version());
    return;
  }
}

}  // namespace wordline::platform
