// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/array_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::flash {

using onfi::Effect;
using onfi::Sequence;

namespace {

constexpr const char* kTooEarly = "array operation announced before the end of the last one";

}  // namespace

// ---- time -----------------------------------------------------------------------------------------------------------

void ArrayWork::commit_due(Picoseconds at) {
  while (!work_.empty() && at >= work_.end()) {
    commit();
    if (queued_.empty()) return;
    work_ = queued_;
    queued_.drop();
    take_unit(true);
  }
}

void ArrayWork::commit() {
  const std::uint32_t failed = die_.results.ended(work_);
  if (work_.operation != Operation::kRead) pass_fail_.ended(failed);
  work_.drop();
}

Picoseconds ArrayWork::busy_after(Picoseconds at) const {
  Picoseconds ahead{};
  for (const Work* work : {&work_, &queued_}) {
    if (!work->empty() && at < work->end()) ahead += work->end() - std::max(at, work->begin);
  }
  return ahead + stopping(at);
}

/// What is left of the way to a suspend.
Picoseconds ArrayWork::stopping(Picoseconds at) const {
  return suspended_.holds() && work_.empty() && die_.pin.busy(at) ? die_.pin.ready_at() - at : Picoseconds{};
}

void ArrayWork::abandon(Picoseconds at) {
  commit_due(at);
  busy_.busy -= busy_after(at);
  suspending_ -= stopping(at);
  die_.results.torn(work_, work_.passed(at));
  for (const Work& held : suspended_.all()) die_.results.torn(held, held.done);
  work_.drop();
  queued_.drop();
  suspended_.drop();
  pass_fail_.clear();
  die_.pin.release(at);
  die_.loads.abandon();
  die_.output.clear();
  die_.waves.stop(at);
  die_.waves.drop_suspended(at);
}

Picoseconds ArrayWork::under_way() const {
  Picoseconds sum{};
  for (const Work* work : {&work_, &queued_})
    if (!work->empty()) sum += work->done + work->remaining;
  for (const Work& held : suspended_.all())
    if (!held.empty()) sum += held.done;
  return sum;
}

Picojoules ArrayWork::energy_under_way(Picoseconds at, double further_planes) const {
  Picojoules sum{};
  const auto& [program, erase] = suspended_.all();
  for (const Work* work : {&work_, &queued_, &program, &erase})
    if (!work->empty())
      sum += plan_of(*work).energy_until(work->passed(at)) * nand::energy_of_planes(work->planes, further_planes);
  return sum;
}

// ---- commands -------------------------------------------------------------------------------------------------------

nand::ReadParameters ArrayWork::reads(const Selection& what) const {
  nand::ReadParameters parameters = die_.features.registers().read();
  parameters.slc_mode = what.slc_mode;
  return parameters;
}

// In SLC mode the features that change a program do not act.
nand::ProgramParameters ArrayWork::programs(const Selection& what) const {
  nand::ProgramParameters parameters;
  if (!what.slc_mode) return die_.features.registers().program();
  parameters.slc_mode = true;
  return parameters;
}

nand::Plan ArrayWork::plan_of(const Selection& what) const {
  switch (what.operation) {
    case Operation::kRead:
      return die_.array.plan_read(what.block, what.page, reads(what));
    case Operation::kProgram:
      return die_.array.plan_program(what.block, what.page, programs(what));
    default:
      return die_.array.plan_erase(what.block);
  }
}

void ArrayWork::prepare(Work& work, const Selection& what, const Sequence& sequence, Picoseconds begin,
                        const nand::Plan& plan) const {
  static_cast<Selection&>(work) = what;
  work.sequence = &sequence;
  work.begin = begin;
  work.done = Picoseconds(0);
  work.remaining = plan.total();
  if (what.operation == Operation::kRead) {
    work.read = reads(what);
    return;
  }
  work.plan = plan;
  if (what.operation == Operation::kProgram) work.program = programs(what);
}

// What remains of the work passes, with R/B_n low, and ends with the event.
void ArrayWork::run(const nand::Plan& plan) {
  if (work_.operation == Operation::kRead)
    die_.output.sensing(work_.planes);
  else
    die_.output.clear();
  die_.pin.hold(work_.begin, work_.end());
  busy_.busy += work_.remaining;
  die_.waves.run(work_.begin, work_.done, plan, work_.sequence->working);
}

// The content of the program unit leaves the cache register.
void ArrayWork::take_unit(bool follows) {
  die_.loads.latch();
  pass_fail_.next_unit(follows);
}

std::string ArrayWork::start(const Selection& what, const Sequence& sequence, const OnfiTransaction& t) {
  if (die_.pin.rise_pending()) return kTooEarly;
  const nand::Plan plan = plan_of(what);
  prepare(work_, what, sequence, fall(t), plan);
  ++busy_.uses;
  pass_fail_.clear();
  run(plan);
  return {};
}

void ArrayWork::read_ahead(const Selection* next, const Sequence& sequence, OnfiTransaction& t) {
  const bool reading = work_.operation == Operation::kRead;
  const Picoseconds move = reading ? std::max(fall(t), work_.end()) : fall(t);
  if (reading) commit();  // its end is known; only RESET could come between, and that forgets the registers
  die_.output.next_page();
  t.ready_at = move + times_.t_rcbsy;
  die_.pin.pulse(fall(t), t.ready_at);
  die_.waves.state(move, t.ready_at, sequence.moving);
  if (next == nullptr) return;

  const nand::Plan plan = plan_of(*next);
  prepare(work_, *next, sequence, t.ready_at, plan);
  busy_.add(plan.total());
  t.array_ready_at = work_.end();
  die_.waves.run(work_.begin, work_.done, plan, sequence.working);
}

std::string ArrayWork::program(const Selection& unit, const Sequence& sequence, OnfiTransaction& t) {
  nand::Plan plan;
  try {
    plan = plan_of(unit);
  } catch (const std::invalid_argument& e) {
    pass_fail_.refused();
    return fmt::format("the program parameters of features 90h..95h do not fit together: {}", e.what());
  }
  const bool waits = work_.operation == Operation::kProgram;
  const bool alone = sequence.effect == Effect::kProgram && !waits;
  if (die_.pin.rise_pending()) {
    return alone ? kTooEarly : "CACHE PROGRAM announced before the end of the operation before";
  }
  if (!alone) {
    program_behind(unit, sequence, plan, t);
    return {};
  }
  prepare(work_, unit, sequence, fall(t), plan);
  ++busy_.uses;
  take_unit(pass_fail_.in_sequence());
  pass_fail_.set_in_sequence(false);
  run(plan);
  return {};
}

// The unit waits until the array has programmed the one before, and moves into its register.
void ArrayWork::program_behind(const Selection& unit, const Sequence& sequence, const nand::Plan& plan,
                               OnfiTransaction& t) {
  const bool waits = work_.operation == Operation::kProgram;
  const bool last = sequence.effect == Effect::kProgram;
  const Picoseconds move = waits ? std::max(fall(t), work_.end()) : fall(t);
  // The 10h that ends a sequence moves its unit as the 15h before it did.
  const std::string_view moving = last ? work_.sequence->moving : sequence.moving;
  Work& work = waits ? queued_ : work_;
  prepare(work, unit, sequence, move + times_.t_pcbsy, plan);
  busy_.add(plan.total());
  die_.output.clear();
  if (!waits) take_unit(pass_fail_.in_sequence());
  pass_fail_.set_in_sequence(!last);
  die_.waves.state(move, work.begin, moving);
  die_.waves.run(work.begin, work.done, plan, sequence.working);
  if (last) {
    die_.pin.hold(fall(t), work.end());
    return;
  }
  t.ready_at = work.begin;
  t.array_ready_at = work.end();
  die_.pin.pulse(fall(t), t.ready_at);
}

std::string ArrayWork::suspend(const Sequence& sequence, const OnfiTransaction& t) {
  const bool behind = !die_.pin.busy(t.start);
  if (work_.empty() && behind) return {};  // it had ended before
  const bool program = sequence.operation == Operation::kProgram;
  if (work_.operation != sequence.operation || (!behind && !die_.pin.rise_pending())) {
    return fmt::format("{}, which is not what the array does",
                       program ? "84h suspends a program" : "61h suspends an erase");
  }
  if (!suspended_.takes(sequence.operation)) return "suspend while another operation is suspended";
  if (!queued_.empty() || die_.loads.open()) {
    return "suspend while the next unit waits in the cache register or is being loaded";
  }
  // The die acts on the command after tWB, or as soon as the operation has begun.
  const Picoseconds acts = std::max(fall(t), work_.begin);
  const Picoseconds passed = work_.passed(acts);
  const bool cuts = !program && times_.cut_erase_pulse && passed < work_.plan.total();
  const Picoseconds boundary = cuts ? passed : SuspendedWork::boundary(work_.plan, passed);
  const bool suspends = boundary < work_.plan.total();
  if (!suspends && (!behind || work_.end() <= acts)) return {};

  const Picoseconds stop = work_.begin + (boundary - work_.done);
  const Picoseconds overhead = program ? times_.t_suspend_program : times_.t_suspend_erase;
  const Picoseconds ready_at = suspends ? stop + overhead : stop;
  busy_.busy += ready_at - work_.end();
  die_.pin.move_rise(ready_at);
  if (behind) die_.pin.announce_fall(fall(t));
  if (!suspends) return {};
  suspending_ += overhead;
  suspended_.hold(work_, boundary);
  work_.drop();
  die_.waves.stop(stop);
  die_.waves.state(stop, ready_at, sequence.working);
  die_.waves.suspended(ready_at, true);
  return {};
}

std::string ArrayWork::resume(const Sequence& sequence, const OnfiTransaction& t) {
  if (die_.pin.rise_pending()) return kTooEarly;
  work_ = suspended_.take();
  work_.sequence = &sequence;
  work_.begin = fall(t);
  work_.remaining = work_.plan.total() - work_.done;
  run(work_.plan);
  if (!suspended_.holds()) die_.waves.suspended(work_.begin, false);
  return {};
}

}  // namespace wordline::flash
