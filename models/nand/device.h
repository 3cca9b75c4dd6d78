// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/config/config.h"
#include "models/nand/bit_error_draw.h"
#include "models/nand/cell_model.h"
#include "models/nand/program_rates.h"
#include "models/nand/region_ages.h"
#include "models/nand/slc_mode.h"
#include "models/nand/timing.h"

namespace wordline::nand {

/// What all dies of a drive have in common, made once for all of them: a thousand copies would not fit a cache. No two
/// drives share one, so each may run on a thread of its own; rates, distributions and draws are computed when a die
/// first asks.
struct Device {
  /// `region_ages`: of what the fill holds.
  Device(const config::Nand& nand, const config::Layout& layout, const RegionAges& region_ages = {})
      : plans(nand, layout),
        small_plans(nand.region.blocks_per_plane == 0
                        ? nullptr
                        : std::make_unique<const ArrayPlans>(nand, layout, nand.region.page)),
        ages(region_ages),
        cells(nand, ages.days()),
        rates(std::make_unique<ProgramRates>(nand, cells)),
        slc_mode(has_slc_mode(nand) ? std::make_unique<const SlcMode>(nand, layout, ages) : nullptr),
        draws(std::make_unique<BitErrorDraws>()) {}

  const ArrayPlans plans;
  const std::unique_ptr<const ArrayPlans> small_plans;  // small plans of blocks of nand.region; null: there are none
  const RegionAges ages;
  const CellModel cells;
  const std::unique_ptr<ProgramRates> rates;      // the sets of parameters in use grow
  const std::unique_ptr<const SlcMode> slc_mode;  // null: the device has none
  const std::unique_ptr<BitErrorDraws> draws;
};

}  // namespace wordline::nand
