// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/nand/slc_mode.h"

namespace wordline::nand {
namespace {

constexpr double kCoarser = 3;  // ISPP step over that of the device, assumed

/// The device, as if each of its cells held one bit.
config::Nand with_one_bit(const config::Nand& nand) {
  config::Nand one = nand;
  one.geometry.cell = config::CellType::kSlc;
  one.geometry.program = config::ProgramGranularity::kPage;
  one.timing.mode = config::ArrayTiming::kPinned;
  one.timing.senses_per_page.clear();
  one.timing.t_r = {nand.slc_mode.t_r};
  one.timing.t_prog = {nand.slc_mode.t_prog};
  one.timing.t_bers = nand.slc_mode.t_prog;  // never asked for: erases are those of the device
  one.timing.page = Bytes(0);
  one.ispp.step = nand.ispp.step * kCoarser;
  return one;
}

config::Layout with_one_page(config::Layout layout) {
  layout.page_types = 1;
  layout.pages_per_block = layout.wls_per_block;
  layout.pages_per_program = 1;
  return layout;
}

}  // namespace

bool has_slc_mode(const config::Nand& nand) {
  return nand.geometry.cell != config::CellType::kSlc &&
         nand.geometry.program == config::ProgramGranularity::kWordLine && nand.region.blocks_per_plane == 0 &&
         nand.slc_mode.t_r > Picoseconds(0) && nand.slc_mode.t_prog > Picoseconds(0);
}

SlcMode::SlcMode(const config::Nand& nand, const config::Layout& layout, const RegionAges& ages)
    : SlcMode(with_one_bit(nand), with_one_page(layout), ages.days()) {}

SlcMode::SlcMode(const config::Nand& one_bit, const config::Layout& layout, const std::vector<double>& days)
    : plans_(one_bit, layout), cells_(one_bit, days), rates_(std::make_unique<ProgramRates>(one_bit, cells_)) {}

Plan SlcMode::plan_read(unsigned layer, const ReadParameters& parameters) const {
  ReadParameters plain;
  plain.slc_mode = true;
  return parameters == plain ? plans_.read(0, layer) : plans_.read(0, layer, parameters);
}

}  // namespace wordline::nand
