// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/protocol/alarm_queue.h"

namespace wordline::tlm_if {

/// What the parts of one drive, and of the host that belongs to it, share while they are simulated: the time, and the
/// instants at which they will act. It is made before them and handed to each by reference: nothing is looked up by a
/// name or found in a global, so a program may have as many drives as it likes, each with a context, in one simulation
/// or on a thread each. (Seeds are of the configuration; names are of the modules.)
class SimulationContext {
 public:
  /// Inside a module's constructor, or before all modules.
  SimulationContext() : alarms_(sc_core::sc_gen_unique_name("alarms")) {}

  /// Simulated time.
  [[nodiscard]] Picoseconds now() const { return alarms_.now(); }
  [[nodiscard]] AlarmQueue& alarms() { return alarms_; }

  /// A program or an erase of a die: between these instants it changes cells.
  struct ArrayWrite {
    Picoseconds begin, end;
  };
  /// Where those are kept that have ended, for who wants to cut power there; null: nowhere.
  void record(std::vector<ArrayWrite>* writes) { writes_ = writes; }
  void array_wrote(const ArrayWrite& write) {
    if (writes_ != nullptr) writes_->push_back(write);
  }

 private:
  AlarmQueue alarms_;
  std::vector<ArrayWrite>* writes_ = nullptr;
};

}  // namespace wordline::tlm_if
