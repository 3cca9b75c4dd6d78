// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// A state, and how it came about.
struct Made {
  DriveState state;
  double overwrites = 0;  // times the exported sectors, after the fill
  double waf = 0;         // of the last half of a pass; 0: nothing was overwritten
};
/// By the keys precondition.fill, overwrites and seed.
[[nodiscard]] Made make_state(const config::Config& config, const config::Layout& layout);

}  // namespace wordline::precondition
