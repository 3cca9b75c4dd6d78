// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// Writes a state, or leaves what was there: beside its place first, then renamed. Format: docs/states.md. Throws
/// std::runtime_error naming the file and the reason.
void save_state(const std::string& path, const DriveState& state);

/// Reads it back. Throws config::ConfigError when the file is none, is of another version, cut short or damaged, when
/// it contradicts itself, or when its geometry is not `expected`: then the reason names the keys. `map_page`: logical
/// pages of a page that is mapped as one (ftl.map = page), which have to lie together then; 0: each by itself.
[[nodiscard]] DriveState load_state(const std::string& path, const Geometry& expected, std::uint32_t map_page = 0);

}  // namespace wordline::precondition
