// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/read_forecast.h"

#include <algorithm>
#include <stdexcept>

#include "models/ecc/code/codeword.h"
#include "models/ecc/decoders/calibrated_decoder.h"
#include "models/nand/vth.h"

namespace wordline::config {
namespace {

using ecc::kCodewordBits;

double bit_errors(const Nand& nand, double pe_cycles, double days) {
  const bool early = nand.aging.early_loss && nand.geometry.layers > 1;
  nand::VthDistribution vth =
      nand::vth_distribution(nand.geometry.cell, nand.ispp.step, pe_cycles, days, nand.aging.temperature_c,
                             early ? nand::kEarliest3dDays : nand::kEarliestPlanarDays, nand.aging.young_cycles);
  const unsigned layers = std::max(1U, nand.geometry.layers);
  double mean = 0, most = 0;
  for (unsigned layer = 0; layer < layers; ++layer) {
    const double factor = nand::layer_factor(layer, layers, pe_cycles, days, nand.aging.temperature_c);
    mean += factor / layers;
    most = std::max(most, factor);
  }
  vth = nand::widened(vth, nand::width_for_ratio(vth, most / mean));
  const nand::References references = nand::retry_references(nand.geometry.cell, 0);
  double worst = 0;
  for (const std::uint16_t mask : nand::page_references(nand.geometry.cell, nand.timing.senses_per_page)) {
    worst = std::max(worst, nand::page_rber(vth, references, mask));
  }
  return worst * kCodewordBits;
}

/// The table is made once: validation runs often.
double capability() {
  static const double errors = [] {
    const ecc::CalibratedDecoder decoder;
    unsigned n = 0;
    while (n < kCodewordBits && decoder.failure(n + 1) < 0.5) ++n;
    return static_cast<double>(n);
  }();
  return errors;
}

}  // namespace

ReadForecast read_forecast(const Config& config) {
  const Nand& nand = config.nand;
  double days = nand.aging.retention_days;
  for (const RegionAge& region : config.precondition.ages) days = std::max(days, region.days);
  return {bit_errors(nand, 0, 0), bit_errors(nand, nand.aging.pe_cycles, days), capability(), kCodewordBits};
}

bool is_gray_code(CellType cell, const std::vector<std::uint32_t>& senses) {
  try {
    return !nand::page_references(cell, senses).empty();
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace wordline::config
