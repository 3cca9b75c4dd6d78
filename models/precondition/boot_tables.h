// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// Geometry of a drive, as the boot information has it.
[[nodiscard]] Geometry geometry_of(const wl_boot_info& info);

/// What the firmware boots from (contract/initial_state.h), as it lies in DRAM.
struct BootTables {
  std::uint32_t* owners = nullptr;
  std::uint32_t* map = nullptr;
  wl_presence* presence = nullptr;  // null where the map is by logical pages
  wl_initial_superblock* superblocks = nullptr;
};

/// Bytes of each of them.
struct BootTableSizes {
  std::uint64_t owners = 0, map = 0, presence = 0, superblocks = 0;

  /// With what lies between them.
  [[nodiscard]] std::uint64_t aligned_sum() const;
};
/// `map_page`: logical pages of a page that is mapped as one (ftl.map = page); 0: each by itself.
[[nodiscard]] BootTableSizes boot_table_sizes(const Geometry& geometry, std::uint32_t map_page);

struct PlacedTables {
  BootTables tables;
  wl_initial_state initial{};  // but mapped_lpages
};
/// Takes the end of DRAM for them, which `info` then no longer counts. `dram`: host memory behind WL_DRAM_BASE. Throws
/// std::runtime_error when they do not fit.
[[nodiscard]] PlacedTables place_boot_tables(std::byte* dram, wl_boot_info& info);

void fill_boot_tables(const DriveState& state, std::uint32_t map_page, const BootTables& tables);

/// Logical pages that the map points to.
[[nodiscard]] std::uint32_t mapped_count(const std::vector<Superblock>& superblocks);

/// Writes the tables and the map; returns what the firmware gets.
wl_initial_state write_boot_tables(const DriveState& state, std::byte* dram, wl_boot_info& info);

}  // namespace wordline::precondition
