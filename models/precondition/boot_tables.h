// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "models/firmware/contract/contract.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// Geometry of a drive, as the boot information has it.
[[nodiscard]] Geometry geometry_of(const wl_boot_info& info);

/// Puts the map, its inverse and the table of superblocks (contract/initial_state.h) to the end of DRAM, which `info`
/// then no longer counts; returns what the firmware gets. `dram`: host memory behind WL_DRAM_BASE. Throws
/// std::runtime_error when they do not fit.
wl_initial_state write_boot_tables(const DriveState& state, std::byte* dram, wl_boot_info& info);

/// Bytes of these tables.
[[nodiscard]] std::uint64_t boot_table_bytes(const wl_boot_info& info);

}  // namespace wordline::precondition
