// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"

namespace wordline::testing {

/// Devices for the tests, as configuration structs: the four classes of cells with their published or derived times.
struct Device {
  config::Nand nand{};
  config::Layout layout{};
};

inline Device device(config::CellType cell, config::ProgramGranularity program) {
  Device d;
  config::NandGeometry& g = d.nand.geometry;
  g.cell = cell;
  g.planes = 2;
  g.blocks_per_plane = 20;
  g.layers = 48;
  g.wls_per_layer = 4;
  g.page = Bytes(16384);
  g.spare = Bytes(2208);
  g.program = program;
  config::NandTiming& t = d.nand.timing;
  t.mode = config::ArrayTiming::kDerived;
  config::NandIspp& i = d.nand.ispp;
  i.state_loops = 3;
  i.start_voltage = 14;
  i.erase_pulse_voltage = 18;
  const auto us = [](double v) { return Picoseconds(static_cast<std::int64_t>(v * 1e6 + 0.5)); };
  switch (cell) {
    case config::CellType::kSlc:
      t.t_precharge = us(0.8);
      t.t_sense = us(1.3);
      t.t_discharge = us(0.9);
      t.t_pgm = us(45);
      t.t_vfy = us(5);
      i.step = Millivolts(400);
      i.window = Millivolts(800);
      i.state_loops = 2;
      break;
    case config::CellType::kMlc:
      t.t_precharge = us(8);
      t.t_sense = us(26);
      t.t_discharge = us(4);
      t.t_pgm = us(140);
      t.t_vfy = us(14.4);
      i.step = Millivolts(300);
      i.window = Millivolts(2100);
      break;
    case config::CellType::kTlc:
      t.t_precharge = us(12);
      t.t_sense = us(9);
      t.t_discharge = us(7);
      t.t_pgm = us(52.6);
      t.t_vfy = us(5.4);
      i.step = Millivolts(180);
      i.window = Millivolts(1624);
      break;
    case config::CellType::kQlc:
      t.t_precharge = us(12);
      t.t_sense = us(27);
      t.t_discharge = us(8);
      t.t_pgm = us(52.6);
      t.t_vfy = us(5.4);
      i.step = Millivolts(90);
      i.window = Millivolts(2900);
      break;
  }
  t.t_erase_pulse = us(700);
  t.t_erase_verify = us(50);
  t.erase_loops = 5;
  d.nand.aging.pe_cycles = 2000;
  d.nand.aging.retention_days = 30;
  d.nand.aging.temperature_c = 30;
  config::NandEnergy& e = d.nand.energy;
  e.vcc = 3.3;
  e.further_planes = 1;
  e.icc_read = 0.025;
  e.icc_program = 0.03;
  e.icc_erase = 0.02;

  config::Layout& l = d.layout;
  l.dies = 1;
  l.page_types = static_cast<std::uint32_t>(cell);
  l.wls_per_block = g.layers * g.wls_per_layer;
  l.pages_per_block = l.wls_per_block * l.page_types;
  l.lpages_per_page = 4;
  l.lpages_per_mpage = l.lpages_per_page * g.planes;
  l.pages_per_program = program == config::ProgramGranularity::kWordLine ? l.page_types : 1;
  l.lpages_per_program = l.lpages_per_mpage * l.pages_per_program;
  l.programs_per_block = l.pages_per_block / l.pages_per_program;
  return d;
}

/// `blocks` blocks of a plane more, of `pages` pages each (0: as many as the others) of one logical page.
inline Device with_small_pages(Device d, std::uint32_t blocks, std::uint32_t pages = 0) {
  d.nand.region = {Bytes(4096), blocks, pages};
  d.layout.small = {pages == 0 ? d.layout.pages_per_block : pages, 1, Bytes(4096)};
  return d;
}

inline Device tlc() { return device(config::CellType::kTlc, config::ProgramGranularity::kWordLine); }

}  // namespace wordline::testing
