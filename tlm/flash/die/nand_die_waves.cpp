// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a die shows in the waveform.
#include "tlm/flash/die/nand_die.h"

namespace wordline::flash {

namespace {

// Values of `microop`; verifies and senses follow each other by state and reference.
constexpr std::uint64_t kMicroIdle = 0;
constexpr std::uint64_t kMicroFirst = 1;   // pulse, erase pulse, erase verify, precharge, discharge
constexpr std::uint64_t kMicroVerify = 5;  // + P1..P15
constexpr std::uint64_t kMicroSense = 20;  // + R1..R15

std::uint64_t microop_value(const nand::MicroOp& op) {
  switch (op.kind) {
    case nand::MicroOpKind::kPulse:
      return kMicroFirst;
    case nand::MicroOpKind::kErasePulse:
      return kMicroFirst + 1;
    case nand::MicroOpKind::kEraseVerify:
      return kMicroFirst + 2;
    case nand::MicroOpKind::kPrecharge:
      return kMicroFirst + 3;
    case nand::MicroOpKind::kDischarge:
      return kMicroFirst + 4;
    case nand::MicroOpKind::kVerify:
      return kMicroVerify + op.state;
    case nand::MicroOpKind::kSense:
      return kMicroSense + op.state;
  }
  return kMicroIdle;
}

}  // namespace

void NandDie::add_signals(ChannelId channel) {
  const std::string scope = "ssd.channel" + std::to_string(channel.value()) + ".die" + std::to_string(index_);
  state_signal_ = recorder_->add_enum(scope, "state", {"idle", "read", "program", "erase", "features", "suspending",
                                       "cache busy", "cache read", "cache program", "copyback read", "reset"});
  suspended_signal_ = recorder_->add_bit(scope, "suspended");
  if (!record_microops_) return;
  microop_signal_ = recorder_->add_enum(
      scope, "microop",
      {"idle",       "pulse",      "erase pulse", "erase verify", "precharge",  "discharge", "verify P1", "verify P2",
       "verify P3",  "verify P4",  "verify P5",   "verify P6",    "verify P7",  "verify P8", "verify P9", "verify P10",
       "verify P11", "verify P12", "verify P13",  "verify P14",   "verify P15", "sense R1",  "sense R2",  "sense R3",
       "sense R4",   "sense R5",   "sense R6",    "sense R7",     "sense R8",   "sense R9",  "sense R10", "sense R11",
       "sense R12",  "sense R13",  "sense R14",   "sense R15"});
  voltage_signal_ = recorder_->add_real(scope, "voltage");
}

void NandDie::record_state(Picoseconds from, Picoseconds to, State state) {
  recorder_->set(state_signal_, from, static_cast<std::uint64_t>(state));
  recorder_->set(state_signal_, to, static_cast<std::uint64_t>(State::kIdle));
}

// A run, from where the last one stopped.
void NandDie::record(const Work& work, const nand::Plan& plan) {
  const Picoseconds end = work.end();
  record_state(work.begin, end, work.state);
  if (!record_microops_ || !recorder_->active()) return;
  plan.for_each([&](Picoseconds offset, const nand::MicroOp& op) {
    if (offset < work.done) return;
    const Picoseconds at = work.begin + offset - work.done;
    recorder_->set(microop_signal_, at, microop_value(op));
    recorder_->set_real(voltage_signal_, at, op.voltage.count() / 1000);
  });
  recorder_->set(microop_signal_, end, kMicroIdle);
  recorder_->set_real(voltage_signal_, end, 0);
}

// The array does not go on from `at` on, which is not before the present.
void NandDie::record_stop(Picoseconds at) {
  recorder_->withdraw(state_signal_, at);
  recorder_->set(state_signal_, at, static_cast<std::uint64_t>(State::kIdle));
  if (!record_microops_) return;
  recorder_->withdraw(microop_signal_, at);
  recorder_->withdraw(voltage_signal_, at);
  recorder_->set(microop_signal_, at, kMicroIdle);
  recorder_->set_real(voltage_signal_, at, 0);
}

}  // namespace wordline::flash
