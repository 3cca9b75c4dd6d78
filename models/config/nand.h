// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/units/quantity.h"

/// [nand] of the configuration (models/config/config.h): what a die is, how long it takes, and what goes wrong in it.
namespace wordline::config {

enum class CellType : std::uint8_t { kSlc = 1, kMlc = 2, kTlc = 3, kQlc = 4 };  // value = bits per cell
enum class ProgramGranularity : std::uint8_t { kPage, kWordLine };  // a pass per page | one shot per word line
/// Which word line of a block comes after which: layer by layer | v-layer by v-layer | free, but upwards in a v-layer.
enum class ProgramOrder : std::uint8_t { kHorizontal, kVertical, kMixed };
/// Whether the planes of one read have to address the same block: the multi-plane block address restriction.
enum class PlaneBlocks : std::uint8_t { kSame, kAny };
enum class LayerProfile : std::uint8_t { kLinear, kStep };
enum class ArrayTiming : std::uint8_t { kPinned, kDerived };

/// [nand] geometry
struct NandGeometry {
  CellType cell;
  std::uint32_t planes;
  std::uint32_t blocks_per_plane;
  std::uint32_t layers;         // h-layers
  std::uint32_t wls_per_layer;  // v-layers
  Bytes page;                   // data bytes
  Bytes spare;
  ProgramGranularity program;
  ProgramOrder order;
  PlaneBlocks plane_blocks;
  std::uint32_t scale_down;  // the blocks above, and those of nand.region, are what it leaves
};
/// [nand.region]: blocks of each plane beside those of the geometry, with smaller pages
struct NandRegion {
  Bytes page;
  std::uint32_t blocks_per_plane;  // 0: there are none
  std::uint32_t pages_per_block;   // 0: as many as the others
};
/// [nand.timing]
struct NandTiming {
  ArrayTiming mode;
  // derived: tR = precharge + n * sense + discharge
  Picoseconds t_precharge, t_sense, t_discharge;
  std::vector<std::uint32_t> senses_per_page;  // senses per page by page type (LSB, CSB, MSB, ...)
  Picoseconds t_pgm, t_vfy;                    // one pulse, one verify
  Picoseconds t_erase_pulse, t_erase_verify;
  std::uint32_t erase_loops;
  // pinned: totals by page type; micro-operations are scaled to them
  std::vector<Picoseconds> t_r, t_prog;
  Picoseconds t_bers;
  Bytes page;  // page size at which program and erase times hold; 0: the device's own
};
/// [nand.slc_mode]: a block of which each cell holds one bit (SLC mode). Totals; micro-operations are scaled to them.
struct NandSlcMode {
  Picoseconds t_r, t_prog;
};
/// [nand.layer_speed]: time on the slowest layer (top) over that on the fastest (bottom); the mean of a block stays
struct NandLayerSpeed {
  double read, program;
  LayerProfile profile;
};
/// [nand.ispp]
struct NandIspp {
  Millivolts step;                            // dVISPP
  Millivolts window;                          // Vfinal - Vstart
  std::uint32_t state_loops;                  // loops in which one state is verified (width of [Lmin, Lmax])
  double erase_pulse_voltage, start_voltage;  // volts, for the record and for energy
};
/// [nand.aging]: the state in which the drive is simulated
struct NandAging {
  std::uint32_t pe_cycles;
  double retention_days;
  double temperature_c;
  bool early_loss;      // 3D cells lose charge in the first day
  bool page_age;        // data written in the run age from their program on
  double acceleration;  // they do so many times faster than time passes
  double young_cycles;  // P/E cycles that count in retention beside those that a block has
  bool wear_times;      // tPROG and tBERS follow the P/E cycles
};
/// [nand.faults]
struct NandFaults {
  double bad_blocks;                        // share of blocks marked bad at the factory
  std::uint32_t rated_cycles;               // P/E cycles at which the two probabilities below hold
  double program_failures, erase_failures;  // probability that one program, one erase of a block fails
  double unreadable_pages;                  // probability that a page cannot be read until its block is erased
  double program_disturb;                   // share of word lines that come out of their program with more errors
  double moved_references;    // share of h-layers of blocks that are read at one step of the retry table only
  std::uint32_t moved_steps;  // the last one that this may be
  std::vector<std::uint32_t> dead_dies;  // that fail as a whole, and
  std::vector<Picoseconds> dead_at;      // from when on each of them does
};
/// [nand.energy]
struct NandEnergy {
  double vcc;                               // volts
  double icc_read, icc_program, icc_erase;  // amperes, active, above standby
  double icc_standby;
  double further_planes;  // energy of a further plane of an operation over that of the first
  double bus;             // picojoules a bit on the flash bus
  double icc_burst;       // amperes while the bus is taken, beside `bus`
};
struct Nand {
  NandGeometry geometry;
  NandRegion region;
  NandTiming timing;
  NandSlcMode slc_mode;
  NandLayerSpeed layer_speed;
  NandIspp ispp;
  NandAging aging;
  NandFaults faults;
  NandEnergy energy;

  /// The blocks per plane of both kinds. Those of small pages come last.
  [[nodiscard]] std::uint32_t blocks_per_plane() const { return geometry.blocks_per_plane + region.blocks_per_plane; }
};

}  // namespace wordline::config
