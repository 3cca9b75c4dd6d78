// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that stop before their end: suspend, resume, RESET.
#include <algorithm>

#include "tlm/flash/nand_die.h"

namespace wordline::flash {

void NandDie::suspend(OnfiTransaction& t, Operation wanted) {
  if (work_.operation == Operation::kNone && t.start >= busy_until_) return;  // it had ended before
  if (work_.operation != wanted) {
    error(t, std::string(wanted == Operation::kProgram ? "84h" : "61h") + " suspends " +
                 (wanted == Operation::kProgram ? "a program" : "an erase") + ", which is not what the array does");
    return;
  }
  if (suspended()) {
    error(t, "suspend while another operation is suspended");
    return;
  }
  // The die acts on the command after tWB, or as soon as the operation has begun.
  const nand::Plan& plan = work_.plan;
  const Picoseconds acts = std::max(t.end + t_wb_, work_.begin);
  const Picoseconds offset = work_.done + (acts - work_.begin);
  if (offset >= plan.total()) return;
  const nand::Plan::Step step = plan.at(offset);
  const Picoseconds boundary = step.begin + step.op.duration;
  if (boundary >= plan.total()) return;

  const Picoseconds stop = work_.begin + (boundary - work_.done);
  const Picoseconds overhead = wanted == Operation::kProgram ? t_suspend_program_ : t_suspend_erase_;
  busy_.busy -= busy_until_ - (stop + overhead);
  busy_until_ = stop + overhead;
  end_.cancel();
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
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
  if (gathering_ != Operation::kNone || loading_) {
    error(t, "resume inside the sequence of another operation");
    return;
  }
  work_ = suspended_;
  suspended_.operation = Operation::kNone;
  run(t.end + t_wb_, work_.plan);
  if (recorder_ != nullptr) recorder_->set(suspended_signal_, work_.begin, 0);
}

// Whether the operation that has been put together leaves the suspended one alone.
bool NandDie::check_suspended(OnfiTransaction& t, Operation operation) {
  if (!suspended()) return true;
  std::string wrong;
  if (operation == Operation::kErase) {
    wrong = "erase while another operation is suspended";
  } else if (operation == Operation::kProgram && suspended_.operation == Operation::kProgram) {
    wrong = "program while the page buffers hold a suspended one";
  } else if (suspended_.block == block_ && (suspended_.planes & plane_mask_) != 0 &&
             (suspended_.operation == Operation::kErase ||
              page_.value() / pages_per_program_ == suspended_.page.value() / pages_per_program_)) {
    wrong = "block " + std::to_string(block_.value()) + " page " + std::to_string(page_.value()) +
            " belongs to the suspended operation";
  }
  if (wrong.empty()) return true;
  gathering_ = Operation::kNone;
  return error(t, wrong);
}

void NandDie::reset(OnfiTransaction& t) {
  const onfi::SequenceRule* rule = onfi::find_rule(t.cycles, codec_.row_cycles());
  if (rule == nullptr || (t.cycles.opcode != onfi::kReset && t.cycles.opcode != onfi::kResetLun)) {
    error(t, "RESET is FFh, or FAh with a row address");
    return;
  }
  if (t.cycles.opcode == onfi::kReset && codec_.luns() > 1) {
    error(t, "FFh to a target of several LUNs; use FAh");
    return;
  }
  if (t.cycles.opcode == onfi::kResetLun && !check_address(t, codec_.decode(t.cycles, rule->address))) return;
  if (work_.operation == Operation::kProgram || work_.operation == Operation::kErase || suspended()) {
    error(t, "RESET during a program or an erase, which would leave the cells half way, is not modelled");
    return;
  }
  const bool reading = work_.operation == Operation::kRead;
  if (reading) {
    end_.cancel();
    signal_pending_ = false;
    work_.operation = Operation::kNone;
    // The array stops here; it was counted as busy to the end.
    const Picoseconds stop = std::max(t.end, work_.begin);
    busy_.busy -= busy_until_ - stop;
    if (recorder_ != nullptr) record_stop(stop);
  }
  gathering_ = Operation::kNone;
  loading_ = false;
  failed_ = false;
  forget_registers();
  output_ = Output::kNone;
  busy_for(t, reading ? t_rst_.read : t_rst_.idle, State::kIdle);
}

}  // namespace wordline::flash
