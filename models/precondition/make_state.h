// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/config/config.h"
#include "models/precondition/drive_state.h"
#include "models/precondition/logical_ftl.h"

namespace wordline::precondition {

/// All that a state which is made depends on. Drives that differ in anything else, as in timing, cores or engines,
/// begin with the same one.
struct Recipe {
  Geometry geometry;
  std::uint32_t map_unit = 1;  // logical pages that are mapped as one
  LogicalFtl::Shape shape;
  config::PreconditionFill fill{};
  double overwrites = 0;  // times the exported logical pages; 0 with `steady`: until it is steady
  std::uint64_t seed = 0;

  /// Every number of it: two recipes with the same text make the same state.
  [[nodiscard]] std::string text() const;
};
/// By the keys precondition.fill, overwrites and seed, and those of the drive.
[[nodiscard]] Recipe recipe_of(const config::Config& config, const config::Layout& layout);

/// A state, and how it came about.
struct Made {
  DriveState state;
  double overwrites = 0;  // times the exported logical pages, after the fill
  double waf = 0;         // write amplification of the last half of a pass; 0: nothing was overwritten
};
[[nodiscard]] Made make_state(const Recipe& recipe);

}  // namespace wordline::precondition
