// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/nand/die.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "tlm/device/flash/flash_backend.h"

/// What the flash of a drive holds before a run. A null state: fresh, or filled in order by the rule that firmware and
/// dies share (models/firmware/contract/geometry.h).
namespace wordline::device {

/// Logical pages hold data before the first request.
[[nodiscard]] bool is_preconditioned(const config::Config& config, const precondition::InitialState* state);

/// What a die holds where nothing has been written in the run: the content of the state that the drive begins with.
[[nodiscard]] nand::Fill fill_of(const config::Config& config, const config::Layout& layout,
                                 const precondition::InitialState* state);

/// Blocks of open superblocks are full up to their next program unit. Units go over the dies in turn.
void open_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state);

/// Flash as another run has left it. `pool`: of the drive's contents.
void start_as(flash::FlashBackend& flash, data::TokenPool& pool, const precondition::FlashImage& image);

/// The erases of a superblock have worn the blocks that it lies in.
void wear_blocks(flash::FlashBackend& flash, const config::Config& config, const config::Layout& layout,
                 const precondition::InitialState& state);

}  // namespace wordline::device
