// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "models/config/config.h"
#include "models/nand/die.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/die/array_results.h"
#include "tlm/device/flash/die/data_output.h"
#include "tlm/device/flash/die/die_features.h"
#include "tlm/device/flash/die/die_waves.h"
#include "tlm/device/flash/die/page_load.h"
#include "tlm/device/flash/die/pass_fail.h"
#include "tlm/device/flash/die/ready_busy_pin.h"
#include "tlm/device/flash/die/suspended_work.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// The array of a die in time: what it works on, what follows, what is suspended, and R/B_n and the waves that come of
/// it. Which commands may come, and what they address, is decided before; what an operation leaves is ArrayResults'.
///
/// R/B_n falls tWB after the last cycle, the plan's total passes, R/B_n rises by the one event of the operation. Within
/// READ CACHE and CACHE PROGRAM the array works behind a ready die, without an event: ends that have passed are
/// committed before the next segment is acted on (commit_due). Plans take the features as they are at the command.
///
/// A suspend stops the array at the end of the micro-operation under way; the resume runs those that remain. When that
/// was the last one, the operation ends instead. With channels.cut_erase_pulse a suspended erase stops at once, and the
/// resume runs the rest of the pulse. Known gap: a pulse in two parts erases as one.
///
/// Commands return what is wrong, "" if nothing; times that are known at once go into the transaction's response.
class ArrayWork {
 public:
  /// What an operation works with; all of it outlives the object.
  struct Die {
    const nand::Die& array;
    const DieFeatures& features;
    ArrayResults& results;
    PageLoad& loads;
    DataOutput& output;
    ReadyBusyPin& pin;
    DieWaves& waves;
  };
  ArrayWork(const config::Channels& times, std::uint32_t pages_per_program, const Die& die)
      : times_(times), die_(die), suspended_(pages_per_program, times.suspend_depth) {}

  // ---- state --------------------------------------------------------------------------------------------------------
  /// Under way, at the pins or behind a ready die; empty: the array rests.
  [[nodiscard]] const Work& current() const { return work_; }
  [[nodiscard]] const SuspendedWork& suspended() const { return suspended_; }
  [[nodiscard]] bool has(Operation operation) const {
    const auto& held = suspended_.all();
    return work_.operation == operation ||
           std::any_of(held.begin(), held.end(), [operation](const Work& work) { return work.operation == operation; });
  }
  [[nodiscard]] const PassFail& pass_fail() const { return pass_fail_; }
  /// Time at work; what has begun counts to its end.
  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }
  /// The part of busy() that lies after `at`, which is not before the last commit.
  [[nodiscard]] Picoseconds busy_after(Picoseconds at) const;

  /// The part of busy() that is of operations that have not ended: they are in the array's counters when they have.
  [[nodiscard]] Picoseconds under_way() const;
  /// The part of busy() in which suspended operations were brought to a stop (channels.t_suspend_program, _erase).
  [[nodiscard]] Picoseconds suspending() const { return suspending_; }
  /// Energy of what is under way or suspended, up to `at`; it is in the array's counters when it has ended.
  /// `further_planes`: as in [nand.energy].
  [[nodiscard]] Picojoules energy_under_way(Picoseconds at, double further_planes) const;

  // ---- time ---------------------------------------------------------------------------------------------------------
  /// Commits what has ended by `at`.
  void commit_due(Picoseconds at);
  /// The array stops at `at`, which is not before the present; what was under way stays half done.
  void abandon(Picoseconds at);

  // ---- commands -----------------------------------------------------------------------------------------------------
  /// A read or an erase.
  [[nodiscard]] std::string start(const Selection& what, const onfi::Sequence& sequence, const OnfiTransaction& t);
  /// READ CACHE: when the array is done, its page moves to the cache register, and the array reads `next`; null: it
  /// rests. There is such a page, and R/B_n is high.
  void read_ahead(const Selection* next, const onfi::Sequence& sequence, OnfiTransaction& t);
  /// 10h and 15h: of a unit that is complete.
  [[nodiscard]] std::string program(const Selection& unit, const onfi::Sequence& sequence, OnfiTransaction& t);
  /// The program command came for a unit that is not complete.
  void refuse_program() { pass_fail_.refused(); }
  [[nodiscard]] std::string suspend(const onfi::Sequence& sequence, const OnfiTransaction& t);
  /// Resumes what is suspended.
  [[nodiscard]] std::string resume(const onfi::Sequence& sequence, const OnfiTransaction& t);

 private:
  [[nodiscard]] Picoseconds fall(const OnfiTransaction& t) const { return t.end + die_.features.timing().t_wb(); }
  [[nodiscard]] Picoseconds stopping(Picoseconds at) const;
  [[nodiscard]] nand::ReadParameters reads(const Selection& what) const;
  [[nodiscard]] nand::ProgramParameters programs(const Selection& what) const;
  [[nodiscard]] nand::Plan plan_of(const Selection& what) const;
  void prepare(Work& work, const Selection& what, const onfi::Sequence& sequence, Picoseconds begin,
               const nand::Plan& plan) const;
  void run(const nand::Plan& plan);
  void program_behind(const Selection& unit, const onfi::Sequence& sequence, const nand::Plan& plan,
                      OnfiTransaction& t);
  void take_unit(bool follows);
  void commit();

  const config::Channels& times_;
  const Die die_;
  Work work_;
  Work queued_;  // program that follows it
  SuspendedWork suspended_;
  PassFail pass_fail_;
  tlm_if::BusyCounter busy_;
  Picoseconds suspending_{};
};

}  // namespace wordline::flash
