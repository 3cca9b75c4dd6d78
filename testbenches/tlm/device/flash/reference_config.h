// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"

namespace wordline::testing {

/// A small drive with round bus times, filled in by hand so that tests of the channel can be worked out on paper:
/// 2 channels x 2 packages x 1 die; TLC in one shot, 2 planes, 8 blocks, 4 layers of 2 word lines (24 pages), pages of
/// 16 KiB + 2208 B. 800 MT/s: a byte takes 1250 ps. Array times: tR 37/46/37 us (2, 3, 2 senses), tPROG 660 us (9
/// pulses of 50 us and 42 verifies of 5 us), tBERS 4 ms.
[[nodiscard]] inline config::Config reference_config() {
  using namespace wordline::literals;
  config::Config c{};
  c.run.seed = 7;
  c.cpu.cores = 1;
  c.engines[engines::EngineId::kRetry].on = true;
  config::Channels& ch = c.channels;
  ch.count = 2;
  ch.packages = 2;
  ch.dies_per_package = 1;
  ch.mode = {config::BusInterface::kNvDdr3, 10};
  ch.t_rc = 2500_ps;
  ch.rate = TransfersPerSecond(800'000'000);
  ch.t_wc = 25_ns;
  ch.t_cs = 20_ns;
  ch.t_cals = 15_ns;
  ch.t_adl = 400_ns;
  ch.t_ccs = 400_ns;
  ch.t_whr = 80_ns;
  ch.t_rhw = 100_ns;
  ch.t_wb = 100_ns;
  ch.t_rr = 20_ns;
  ch.t_feat = 1_us;
  ch.t_rpre = 15_ns;
  ch.t_dqsre = 25_ns;
  ch.t_rpst = 26'250_ps;
  ch.t_wpre = 15_ns;
  ch.t_wpst = 6'500_ps;
  ch.t_wpsth = 15_ns;
  ch.t_dbsy = 500_ns;
  ch.t_rcbsy = 3_us;
  ch.t_pcbsy = 4_us;
  ch.t_rst = 5_us;
  ch.t_rst_read = 10_us;
  ch.t_rst_program = 30_us;
  ch.t_rst_erase = 500_us;
  ch.t_suspend_program = 20_us;
  ch.t_suspend_erase = 300_us;
  ch.starvation_bound = 16;

  config::NandGeometry& g = c.nand.geometry;
  g.cell = config::CellType::kTlc;
  g.planes = 2;
  g.blocks_per_plane = 8;
  g.layers = 4;
  g.wls_per_layer = 2;
  g.page = 16_KiB;
  g.spare = Bytes(2208);
  g.program = config::ProgramGranularity::kWordLine;

  config::NandTiming& t = c.nand.timing;
  t.mode = config::ArrayTiming::kDerived;
  t.t_precharge = 12_us;
  t.t_sense = 9_us;
  t.t_discharge = 7_us;
  t.senses_per_page = {2, 3, 2};
  t.t_pgm = 50_us;
  t.t_vfy = 5_us;
  t.t_erase_pulse = 750_us;
  t.t_erase_verify = 50_us;
  t.erase_loops = 5;
  t.t_bers = 4_ms;

  c.nand.ispp.step = Millivolts(180);
  c.nand.ispp.window = Millivolts(1624);
  c.nand.ispp.state_loops = 3;
  c.nand.ispp.erase_pulse_voltage = 20;
  c.nand.ispp.start_voltage = 16;
  c.nand.aging.pe_cycles = 0;
  c.nand.aging.retention_days = 0;
  c.nand.aging.temperature_c = 30;
  c.nand.energy.vcc = 3.3;
  c.nand.energy.icc_read = c.nand.energy.icc_program = c.nand.energy.icc_erase = 0.025;
  c.nand.energy.icc_standby = 1e-5;
  c.nand.energy.further_planes = 1;
  c.nand.energy.bus = 5.8;
  c.ecc.clock = Hertz(400'000'000);
  c.ecc.max_retries = 5;
  c.ecc.rtl_every = 1;
  c.ecc.rtl_threads = 1;
  c.ecc.rtl_encoder = false;
  c.observe.nand_microops = true;
  return c;
}

}  // namespace wordline::testing
