// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "models/firmware/contract/contract.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// What a drive at rest has come to, as its firmware's tables in memory say, native or on RISC-V. `info`: as it was
/// booted with; `tcm`, `dram`: host memory behind WL_TCM_BASE and WL_DRAM_BASE.
///
/// The drive is shut down in this, without time: what lies in its write buffer is written to a free superblock, and
/// what is open is closed, not full as it may be. Victims keep the logical pages that are not moved yet.
[[nodiscard]] DriveState state_of_firmware(const wl_boot_info& info, const std::byte* tcm, const std::byte* dram);

}  // namespace wordline::precondition
