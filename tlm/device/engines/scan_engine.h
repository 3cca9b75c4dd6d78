// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tlm/device/engines/copy_engine.h"
#include "tlm/device/engines/engine.h"
#include "tlm/device/engines/map_reader.h"

namespace wordline::engines {

/// engines.gc: finds the valid pages of a stretch of PPAs (ENGINES.SCAN, up to SCAN_END). An operation is a PPA: its
/// entry of the inverse map (a burst per 16), and if it has an owner the owner's map entry (a burst). Without the copy
/// engine it lists what it finds (wl_gc_list), up to WL_GC_FOUND pages of WL_GC_SCAN PPAs; with it, it fills the
/// program units of the copy engine and waits when there is none, so no core is needed between scan and program. It
/// copies nothing, and it does not choose the superblock.
///
/// Accuracy: a list is made when the scan begins and delivered when the last access has ended; firmware checks again
/// before it changes the map. Source: our design.
class ScanEngine final : public Engine {
 public:
  ScanEngine(const config::Config& config, BlockContext& block, const MapReader& map,
             sc_core::sc_port<tlm_if::DramIf>& dram, ProgramUnitFillIf& units);

  bool enable(std::uint32_t set) override;
  bool end(Picoseconds now) override;
  void go_on(Picoseconds now) override;
  [[nodiscard]] Picoseconds next(Picoseconds now) const override;

 private:
  void begin(std::uint32_t ppa, Picoseconds at);
  void begin_stretch(Picoseconds from);
  std::uint32_t examine(Picoseconds at);
  void finish();
  [[nodiscard]] bool can_fill() const { return filling_ && (!starved_ || units_.wants_source()); }

  const MapReader& map_;
  sc_core::sc_port<tlm_if::DramIf>& dram_;
  ProgramUnitFillIf& units_;
  wl_gc_list* list_ = nullptr;
  Picoseconds end_ = kNever;  // end of the scan that runs
  std::uint32_t found_ = 0, next_ppa_ = 0;
  std::uint32_t stretch_ = 0;                      // PPA at which this stretch began: its owner's burst is read
  Picoseconds owners_{}, known_{}, last_known_{};  // the burst is there; the last PPA is known; all are
  bool filling_ = false;                           // a scan fills program units
  bool starved_ = false;                           // ... and has found something for the next one
  Picoseconds resume_{};                           // ... and may go on then
  std::uint64_t scanned_ = 0;
};

}  // namespace wordline::engines
