// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that stop before their end: suspend, resume, RESET.
#include <algorithm>

#include "tlm/flash/die/nand_die.h"

namespace wordline::flash {

void NandDie::suspend(OnfiTransaction& t, Operation wanted) {
  const bool background = t.start >= busy_until_;
  if (work_.operation == Operation::kNone && background) return;  // it had ended before
  std::string wrong;
  if (work_.operation != wanted || (!background && !signal_pending_)) {
    wrong = std::string(wanted == Operation::kProgram ? "84h suspends a program" : "61h suspends an erase") +
            ", which is not what the array does";
  } else if (suspended()) {
    wrong = "suspend while another operation is suspended";
  } else if (queued_.operation != Operation::kNone || unit_.operation != Operation::kNone) {
    wrong = "suspend while the next unit waits in the cache register or is being loaded";
  }
  if (!wrong.empty()) {
    error(t, wrong);
    return;
  }
  // The die acts on the command after tWB, or as soon as the operation has begun.
  const nand::Plan& plan = work_.plan;
  const Picoseconds acts = std::max(t.end + t_wb_, work_.begin);
  const Picoseconds offset = work_.done + (acts - work_.begin);
  Picoseconds boundary = plan.total();
  if (offset < plan.total()) {
    const nand::Plan::Step step = plan.at(offset);
    boundary = step.begin + step.op.duration;
  }
  const bool suspends = boundary < plan.total();
  if (!suspends && (!background || work_.end() <= acts)) return;

  const Picoseconds stop = work_.begin + (boundary - work_.done);
  const Picoseconds overhead = wanted == Operation::kProgram ? t_suspend_program_ : t_suspend_erase_;
  const Picoseconds ready_at = suspends ? stop + overhead : stop;
  busy_.busy += ready_at - work_.end();
  busy_until_ = ready_at;
  signal_pending_ = true;
  end_.cancel();
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
  if (background && snoop_ != nullptr) snoop_->ready_busy(index_, false, t.end + t_wb_);
  if (!suspends) return;
  suspended_ = work_;
  suspended_.done = boundary;
  work_.operation = Operation::kNone;
  if (recorder_ == nullptr) return;
  record_stop(stop);
  record_state(stop, busy_until_, State::kSuspending);
  recorder_->set(suspended_signal_, busy_until_, 1);
}

void NandDie::resume(OnfiTransaction& t, Operation wanted) {
  if (suspended_.operation != wanted) {
    error(t, std::string("resume of ") + (wanted == Operation::kProgram ? "a program" : "an erase") +
                 ", and none is suspended");
    return;
  }
  if (gathered_.operation != Operation::kNone || unit_.operation != Operation::kNone) {
    error(t, "resume inside the sequence of another operation");
    return;
  }
  work_ = suspended_;
  start(t, work_, work_.plan, wanted == Operation::kProgram ? State::kProgram : State::kErase);
  if (!t.ok) {
    work_.operation = Operation::kNone;
    return;
  }
  suspended_.operation = Operation::kNone;
  if (recorder_ != nullptr) recorder_->set(suspended_signal_, work_.begin, 0);
}

// Whether the operation that is being put together leaves the suspended one alone.
bool NandDie::check_suspended(OnfiTransaction& t, Selection& wanted) {
  if (!suspended()) return true;
  std::string wrong;
  if (wanted.operation == Operation::kErase) {
    wrong = "erase while another operation is suspended";
  } else if (wanted.operation == Operation::kProgram && suspended_.operation == Operation::kProgram) {
    wrong = "program while the page buffers hold a suspended one";
  } else if (suspended_.block == wanted.block && (suspended_.planes & wanted.planes) != 0 &&
             (suspended_.operation == Operation::kErase ||
              wanted.page.value() / pages_per_program_ == suspended_.page.value() / pages_per_program_)) {
    wrong = "block " + std::to_string(wanted.block.value()) + " page " + std::to_string(wanted.page.value()) +
            " belongs to the suspended operation";
  }
  if (wrong.empty()) return true;
  wanted.operation = Operation::kNone;
  return error(t, wrong);
}

// `elapsed`: how much of the plan has passed.
void NandDie::tear(const Work& work, Picoseconds elapsed) {
  switch (work.operation) {
    case Operation::kRead:
      return array_.interrupt_read(work.planes, work.block, work.page, elapsed, work.read);
    case Operation::kProgram:
      if (reported_.block == work.block) reported_.operation = Operation::kNone;  // its word line may be torn too
      return array_.interrupt_program(work.planes, work.block, work.page, elapsed, work.program);
    case Operation::kErase:
      if (reported_.block == work.block) reported_.operation = Operation::kNone;
      array_.interrupt_erase(work.planes, work.block, elapsed);
      for (std::uint8_t plane = 0; plane < planes_; ++plane) {
        if ((work.planes >> plane & 1U) != 0) copied_errors_.forget(PlaneId(plane), work.block);
      }
      return;
    case Operation::kNone:
      return;
  }
}

Picoseconds NandDie::busy_after(Picoseconds at) const {
  Picoseconds ahead{};
  for (const Work* work : {&work_, &queued_}) {
    if (work->operation != Operation::kNone && at < work->end()) ahead += work->end() - std::max(at, work->begin);
  }
  if (suspended() && work_.operation == Operation::kNone && at < busy_until_) ahead += busy_until_ - at;
  return ahead;
}

// The array stops at `at`, which is not before the present; what was under way stays half done.
void NandDie::abandon(Picoseconds at) {
  commit_due(at);
  if (signal_pending_) end_.cancel();
  signal_pending_ = false;
  busy_.busy -= busy_after(at);
  if (work_.operation != Operation::kNone) {
    tear(work_, work_.done + (std::max(at, work_.begin) - work_.begin));
  }
  tear(suspended_, suspended_.done);
  if (recorder_ != nullptr) {
    record_stop(at);
    recorder_->withdraw(suspended_signal_, at);
    recorder_->set(suspended_signal_, at, 0);
  }
  work_.operation = queued_.operation = suspended_.operation = Operation::kNone;
  gathered_.operation = unit_.operation = Operation::kNone;
  loading_ = false;
  failed_ = failed_before_ = cache_sequence_ = false;
  load_.errors.clear();
  latched_.errors.clear();
  forget_registers();
  output_ = Output::kNone;
}

void NandDie::reset(OnfiTransaction& t) {
  const onfi::Sequence* rule = onfi::find_sequence(t.cycles, codec_.row_cycles());
  const std::uint8_t opcode = t.cycles.opcode;
  if (rule == nullptr || (opcode != onfi::kReset && opcode != onfi::kResetSync && opcode != onfi::kResetLun)) {
    error(t, "RESET is FFh or FCh, or FAh with a row address");
    return;
  }
  if (opcode != onfi::kResetLun && codec_.luns() > 1) {
    error(t, "FFh or FCh to a target of several LUNs; use FAh");
    return;
  }
  if (opcode == onfi::kResetLun && !check_address(t, codec_.decode(t.cycles, rule->address))) return;
  commit_due(t.end);
  const auto at_work = [this](Operation operation) {
    return work_.operation == operation || suspended_.operation == operation;
  };
  const Picoseconds duration = at_work(Operation::kErase)     ? t_rst_erase_
                               : at_work(Operation::kProgram) ? t_rst_program_
                               : at_work(Operation::kRead)    ? t_rst_read_
                                                              : t_rst_;
  abandon(t.end);
  if (opcode == onfi::kReset) switch_mode(onfi::mode_after_reset(mode_));
  busy_for(t, duration, State::kReset);
}

void NandDie::power_loss() {
  const Picoseconds now = tlm_if::now();
  abandon(now);
  busy_until_ = now;
  features_ = {};
  switch_mode(channels_.mode);  // bringing the interface up again is not modelled
}

}  // namespace wordline::flash
