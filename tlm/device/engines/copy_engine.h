// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "tlm/device/engines/engine.h"
#include "tlm/protocol/arrivals.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/ring.h"

namespace wordline::engines {

/// Where the scan puts what it finds.
class ProgramUnitFillIf {
 public:
  virtual ~ProgramUnitFillIf() = default;
  /// There is a program unit that is not full.
  [[nodiscard]] virtual bool wants_source() const = 0;
  /// The next source of the first program unit that is not full, known at `known`. False: there is no such unit.
  virtual bool add_source(const wl_gc_source& found, Picoseconds known) = 0;
};

/// engines.copy: copies a program unit of GC. It makes the flash reads of the unit's runs, waits for them, and makes
/// the program once all have succeeded; an operation is a run or a program. It does not choose what to copy: firmware
/// posts the sources of a program unit (ENGINES.COPY_DOORBELL), or the scan fills units that firmware has posted empty.
/// The contract is at wl_copy_job.
///
/// Program units are programmed in the order in which they are ready, each at the first PPA that is left of those
/// posted, so the pages of a block are programmed in order. A unit with a run that cannot be read is returned to the
/// firmware, and the others go on.
///
/// Pages are copied through the data buffer: what a unit gathers comes from any die, and a copy within a die (copyback)
/// would carry bit errors along uncorrected.
class CopyEngine final : public Engine, public ProgramUnitFillIf {
 public:
  CopyEngine(const config::Config& config, BlockContext& block, sc_core::sc_port<tlm_if::FlashJobIf>& flash);

  /// Called after the entries of a doorbell have been taken up: there may be program units to fill.
  std::function<void()> units_posted;

  bool enable(std::uint32_t set) override;
  void go_on(Picoseconds now) override;
  [[nodiscard]] Picoseconds next(Picoseconds /*now*/) const override {
    return doorbells_.empty() ? kNever : doorbells_.next();
  }

  /// As FlashSinkIf::copy_read.
  bool read_completed(const wl_flash_job& job, wl_flash_completion& completion);

  [[nodiscard]] bool wants_source() const override { return unit_to_fill() != units_.end(); }
  bool add_source(const wl_gc_source& found, Picoseconds known) override;

 private:
  enum class State {
    kFilling,  // by the scan
    kReading,
    kReturned,  // reads have failed: the firmware has it
  };
  struct ProgramUnit {
    wl_copy_job job;
    std::uint32_t filled;
    std::uint32_t reads;  // under way
    bool failed;          // one of them
    State state;
  };
  using Units = std::vector<ProgramUnit>;

  bool take_until(std::uint32_t produced);
  void take(const wl_copy_job& posted);
  void close_units();
  void read(ProgramUnit& unit, Picoseconds from);
  void program(ProgramUnit& unit);
  [[nodiscard]] Units::const_iterator unit_to_fill() const;
  [[nodiscard]] wl_gc_source& source(std::uint32_t slot);
  [[nodiscard]] std::uint32_t unit_lpages() const { return block_.geometry.unit_lpages; }

  sc_core::sc_port<tlm_if::FlashJobIf>& flash_;
  tlm_if::Arrivals<std::uint32_t> doorbells_;
  tlm_if::RingConsumer<wl_copy_job> ring_;
  wl_gc_source* sources_ = nullptr;      // sources by slot, from COPY_SLOT_FIRST on
  std::uint32_t* programmed_ = nullptr;  // PPA that each program unit got
  wl_slot_info* slot_table_ = nullptr;
  Units units_;  // units in the order in which they were posted; as many as GC has
  std::deque<std::uint32_t> ppas_left_;
  std::uint64_t copied_ = 0, returned_ = 0;  // program units
};

}  // namespace wordline::engines
