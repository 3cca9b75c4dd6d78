// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/die_waves.h"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <utility>

#include "models/onfi/sequence_table.h"

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

// The recorder takes its names as a list, which only an expansion makes of an array.
template <std::size_t... I>
tlm_if::RecorderIf::Signal add_state(tlm_if::RecorderIf& recorder, const std::string& scope,
                                     std::index_sequence<I...>) {
  return recorder.add_enum(scope, "state", {onfi::kDieStates[I]...});
}

}  // namespace

DieWaves::DieWaves(tlm_if::RecorderIf* recorder, ChannelId channel, unsigned die, bool microops)
    : recorder_(recorder), microops_(microops) {
  if (recorder_ == nullptr) return;
  const std::string scope = fmt::format("ssd.channel{}.die{}", channel.value(), die);
  state_ = add_state(*recorder_, scope, std::make_index_sequence<onfi::kDieStates.size()>());
  suspended_ = recorder_->add_bit(scope, "suspended");
  if (!microops_) return;
  microop_ = recorder_->add_enum(
      scope, "microop",
      {"idle",       "pulse",      "erase pulse", "erase verify", "precharge",  "discharge", "verify P1", "verify P2",
       "verify P3",  "verify P4",  "verify P5",   "verify P6",    "verify P7",  "verify P8", "verify P9", "verify P10",
       "verify P11", "verify P12", "verify P13",  "verify P14",   "verify P15", "sense R1",  "sense R2",  "sense R3",
       "sense R4",   "sense R5",   "sense R6",    "sense R7",     "sense R8",   "sense R9",  "sense R10", "sense R11",
       "sense R12",  "sense R13",  "sense R14",   "sense R15"});
  voltage_ = recorder_->add_real(scope, "voltage");
}

void DieWaves::state(Picoseconds from, Picoseconds to, std::string_view state) {
  if (!tlm_if::listens(recorder_) || state.empty()) return;
  recorder_->set(state_, from, onfi::state_number(state));
  recorder_->set(state_, to, onfi::kIdleState);
}

void DieWaves::run(Picoseconds begin, Picoseconds done, const nand::Plan& plan, std::string_view name) {
  if (!tlm_if::listens(recorder_)) return;
  const Picoseconds end = begin + (plan.total() - done);
  state(begin, end, name);
  if (!microops_ || !recorder_->active()) return;
  plan.for_each([&](Picoseconds offset, const nand::MicroOp& op) {
    if (offset < done) return;
    const Picoseconds at = begin + offset - done;
    recorder_->set(microop_, at, microop_value(op));
    recorder_->set_real(voltage_, at, op.voltage.count() / 1000);
  });
  recorder_->set(microop_, end, kMicroIdle);
  recorder_->set_real(voltage_, end, 0);
}

void DieWaves::stop(Picoseconds at) {
  if (!tlm_if::listens(recorder_)) return;
  recorder_->withdraw(state_, at);
  recorder_->set(state_, at, onfi::kIdleState);
  if (!microops_) return;
  recorder_->withdraw(microop_, at);
  recorder_->withdraw(voltage_, at);
  recorder_->set(microop_, at, kMicroIdle);
  recorder_->set_real(voltage_, at, 0);
}

void DieWaves::suspended(Picoseconds at, bool suspended) {
  if (tlm_if::listens(recorder_)) recorder_->set(suspended_, at, suspended ? 1 : 0);
}

void DieWaves::drop_suspended(Picoseconds at) {
  if (!tlm_if::listens(recorder_)) return;
  recorder_->withdraw(suspended_, at);
  recorder_->set(suspended_, at, 0);
}

}  // namespace wordline::flash
