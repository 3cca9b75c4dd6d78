// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// The workload begins: the first requests are submitted at this instant; its last completion, the verification is
/// still to come; everything is over.
enum class RunBorder : std::uint8_t { kWorkloadBegins, kWorkloadEnds, kDone };

/// Tells others when a run passes a border: processes of the kernel by an event, listeners by a call at the end of the
/// instant.
class RunBorders {
 public:
  class Listener {
   public:
    virtual void reached(RunBorder border) = 0;

   protected:
    ~Listener() = default;
  };

  explicit RunBorders(tlm_if::SimulationContext& context)
      : alarms_(context.alarms()),
        borders_{{{*this, RunBorder::kWorkloadBegins, "started_event"},
                  {*this, RunBorder::kWorkloadEnds, "workload_over_event"},
                  {*this, RunBorder::kDone, "done_event"}}} {}

  /// Before the simulation starts; the listener outlives it.
  void listen(Listener& listener) { listeners_.push_back(&listener); }
  void reach(RunBorder border) {
    alarms_.notify(of(border).event);
    alarms_.after_instant(of(border));
  }
  [[nodiscard]] const sc_core::sc_event& event(RunBorder border) const {
    return borders_[static_cast<std::size_t>(border)].event;
  }

 private:
  struct Border final : tlm_if::AlarmQueue::Client {
    Border(RunBorders& of, RunBorder which, const char* name) : all(of), border(which), event(name) {}
    void alarm() override {
      for (Listener* const listener : all.listeners_) listener->reached(border);
    }

    RunBorders& all;
    const RunBorder border;
    sc_core::sc_event event;
  };
  [[nodiscard]] Border& of(RunBorder border) { return borders_[static_cast<std::size_t>(border)]; }

  tlm_if::AlarmQueue& alarms_;
  std::array<Border, 3> borders_;
  std::vector<Listener*> listeners_;
};

}  // namespace wordline::host
