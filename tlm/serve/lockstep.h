// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/served/guest_clock_wire.h"
#include "tlm/protocol/simulation_context.h"
#include "tlm/serve/vfio_function.h"

namespace wordline::serve {

/// A guest and a drive with one clock, the guest's. The guest says when it has reached an instant and when it has
/// stored to the drive; the drive is simulated up to there and says when it acts next, up to which the guest may go on.
/// So all that either does has an instant of that clock, in nanoseconds, whatever the machine is busy with.
///
/// Accuracy: what the drive does within a nanosecond is seen at its end. A doorbell acts at the instant of its store.
/// Other registers are written and read without one, at the last instant that the guest has told of, at most
/// kMostApart before. A reset is over when it is answered: the drive is ahead of the guest then, until the guest has
/// caught up.
class Lockstep {
 public:
  /// The guest tells of its time at least so often: what it stores without being noticed is found out then.
  static constexpr std::uint64_t kMostApart = 1'000'000;  // ns

  /// `go_on` simulates up to an instant.
  Lockstep(tlm_if::SimulationContext& context, VfioFunction& function, std::function<void(Picoseconds)> go_on);

  /// Interrupts go to the guest's clock, at their instant; else by eventfd.
  void divert_interrupts();
  /// The guest's clock has reached `ns`. Throws std::runtime_error when a doorbell has come without its store, or time
  /// goes back, as does the next one.
  [[nodiscard]] wl_clock_answer time(std::uint64_t ns);
  /// The guest's clock has reached `ns`, and the guest has stored to the drive there. The answer has no interrupts: it
  /// names the next nanosecond, at which time() gives them.
  [[nodiscard]] wl_clock_answer store(std::uint64_t ns);
  /// The guest has gone. It was stopped at an instant that differs by parts of a microsecond from run to run: the drive
  /// goes on up to the next whole tenth of a second.
  void end();

  /// What has passed: instants, stores that were doorbells, interrupts.
  struct Counters {
    std::uint64_t instants = 0, doorbells = 0, interrupts = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Of the guest's clock, at the last of them.
  [[nodiscard]] std::uint64_t reached() const { return reached_; }
  /// Of the drive's time: where the guest's clock was 0.
  [[nodiscard]] Picoseconds origin() const { return origin_; }

 private:
  struct Doorbell {
    std::uint32_t offset, value;
  };
  void reach(std::uint64_t ns);
  [[nodiscard]] std::uint64_t next_after(std::uint64_t ns) const;
  [[nodiscard]] std::uint64_t ns_of(Picoseconds at) const;

  tlm_if::SimulationContext& context_;
  VfioFunction& function_;
  const std::function<void(Picoseconds)> go_on_;
  std::vector<Doorbell> doorbells_;                           // that have come without their instant
  std::vector<std::pair<Picoseconds, unsigned>> interrupts_;  // on their way to the guest: when, vector
  bool begun_ = false;
  Picoseconds origin_{};
  std::uint64_t reached_ = 0;
  Counters counters_;
};

}  // namespace wordline::serve
