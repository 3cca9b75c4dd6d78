// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/nand_die.h"

#include <algorithm>

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

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

NandDie::NandDie(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
                 ChannelId channel, unsigned index, nand::Fill fill, BusSnoopIf* snoop, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      id_(static_cast<std::uint16_t>(index * config.channels.count + channel.value())),
      index_(index),
      lun_(index / config.channels.packages),
      planes_(config.nand.geometry.planes),
      blocks_(config.nand.geometry.blocks_per_plane),
      pages_(layout.pages_per_block),
      pages_per_program_(layout.pages_per_program),
      sectors_per_page_(layout.sectors_per_page),
      t_wb_(config.channels.t_wb),
      t_dbsy_(config.channels.t_dbsy),
      t_feat_(config.channels.t_feat),
      timing_(config.channels),
      codec_(config, layout),
      array_(config.nand, layout, id_, config.run.seed, std::move(fill)),
      snoop_(snoop),
      recorder_(recorder),
      record_microops_(config.observe.nand_microops),
      load_(static_cast<std::size_t>(pages_per_program_) * planes_ * sectors_per_page_),
      loaded_planes_(pages_per_program_, 0) {
  SC_HAS_PROCESS(NandDie);
  SC_METHOD(on_end);
  sensitive << end_;
  dont_initialize();
  if (recorder_ == nullptr) return;
  const std::string scope = "ssd.channel" + std::to_string(channel.value()) + ".die" + std::to_string(index);
  state_signal_ = recorder_->add_enum(scope, "state", {"idle", "read", "program", "erase", "features"});
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

// ---- what every segment passes -----------------------------------------------------------------------------------

bool NandDie::error(OnfiTransaction& t, const std::string& what) {
  t.ok = false;
  const std::string text = std::string(name()) + " at " + std::to_string(t.start.count()) + " ps: " + what;
  SC_REPORT_ERROR(kReportId, text.c_str());
  return false;
}

void NandDie::segment(OnfiTransaction& t) {
  t.ok = true;
  if (t.kind == SegmentKind::kStatus) return status(t);
  commit_due(t.start);
  if (t.kind == SegmentKind::kReset) return reset(t);
  if (t.start < busy_until_) {
    error(t, "segment to a busy die, which is ready at " + std::to_string(busy_until_.count()) + " ps");
    return;
  }
  transfers_ += t.end - t.start;
  switch (t.kind) {
    case SegmentKind::kCommand:
      return command(t);
    case SegmentKind::kDataIn:
      return data_in(t);
    case SegmentKind::kDataOut:
      return data_out(t);
    case SegmentKind::kSetFeatures:
      return set_features(t);
    case SegmentKind::kGetFeatures:
      return get_features(t);
    case SegmentKind::kFeatureOut:
      return feature_out(t);
    default:
      return;
  }
}

bool NandDie::check_address(OnfiTransaction& t, const onfi::Address& at) {
  if (at.lun == lun_ && at.plane.value() < planes_ && at.block.value() < blocks_ && at.page.value() < pages_) {
    return true;
  }
  return error(t, "address LUN " + std::to_string(at.lun) + " plane " + std::to_string(at.plane.value()) + " block " +
                      std::to_string(at.block.value()) + " page " + std::to_string(at.page.value()) +
                      " is outside this die (LUN " + std::to_string(lun_) + ", " + std::to_string(planes_) +
                      " planes, " + std::to_string(blocks_) + " blocks, " + std::to_string(pages_) + " pages)");
}

// ---- array operations --------------------------------------------------------------------------------------------

void NandDie::start(OnfiTransaction& t, Operation operation, const nand::Plan& plan) {
  gathering_ = Operation::kNone;
  if (signal_pending_) {
    error(t, "array operation announced before the end of the last one");
    return;
  }
  operation_ = operation;
  failed_ = false;
  forget_registers();
  output_ = Output::kNone;
  const Picoseconds begin = t.end + t_wb_;
  array_begin_ = begin;
  busy_until_ = begin + plan.total();
  busy_.add(plan.total());
  signal_pending_ = true;
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
  if (snoop_ != nullptr) snoop_->ready_busy(index_, false, begin);
  if (recorder_ != nullptr) record(operation, plan, begin);
}

// Busy for a time that the bus parameters give: no event, the initiator is told when it ends.
void NandDie::busy_for(OnfiTransaction& t, Picoseconds duration, State state) {
  const Picoseconds begin = t.end + t_wb_;
  busy_until_ = begin + duration;
  t.ready_at = busy_until_;
  if (snoop_ != nullptr) {
    snoop_->ready_busy(index_, false, begin);
    snoop_->ready_busy(index_, true, busy_until_);
  }
  if (recorder_ != nullptr && state != State::kIdle) {
    recorder_->set(state_signal_, begin, static_cast<std::uint64_t>(state));
    recorder_->set(state_signal_, busy_until_, static_cast<std::uint64_t>(State::kIdle));
  }
}

void NandDie::commit_due(Picoseconds at) {
  if (operation_ != Operation::kNone && at >= busy_until_) commit();
}

void NandDie::commit() {
  const Operation operation = operation_;
  operation_ = Operation::kNone;
  if (operation == Operation::kRead) {
    array_.commit_read(plane_mask_, block_, page_);
    read_planes_ = plane_mask_;
    read_block_ = block_;
    read_page_ = page_;
    output_ = Output::kData;
    return;
  }
  if (operation == Operation::kErase) {
    failed_ = array_.commit_erase(plane_mask_, block_) != nand::OperationStatus::kOk;
    return;
  }
  // The array takes the selected planes only, without gaps.
  std::size_t to = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(pages_per_program_) * planes_; ++row) {
    if ((plane_mask_ >> (row % planes_) & 1U) == 0) continue;
    if (to != row) {
      std::copy_n(load_.begin() + static_cast<std::ptrdiff_t>(row * sectors_per_page_), sectors_per_page_,
                  load_.begin() + static_cast<std::ptrdiff_t>(to * sectors_per_page_));
    }
    ++to;
  }
  failed_ = array_.commit_program(plane_mask_, block_, page_, load_.data()) != nand::OperationStatus::kOk;
  if (failed_) {
    const std::string text = std::string(name()) + ": program of block " + std::to_string(block_.value()) + " page " +
                             std::to_string(page_.value()) +
                             " failed: already programmed, or not the next page of the block";
    SC_REPORT_ERROR(kReportId, text.c_str());
  }
}

void NandDie::on_end() {
  commit_due(tlm_if::now());
  signal_pending_ = false;
  if (snoop_ != nullptr) snoop_->ready_busy(index_, true, tlm_if::now());
  if (ready.size() > 0) ready->ready(index_, tlm_if::now());
}

void NandDie::forget_registers() { read_planes_ = 0; }

// ---- waveform ------------------------------------------------------------------------------------------------------

void NandDie::record(Operation operation, const nand::Plan& plan, Picoseconds begin) {
  recorder_->set(state_signal_, begin, static_cast<std::uint64_t>(operation));
  recorder_->set(state_signal_, begin + plan.total(), static_cast<std::uint64_t>(State::kIdle));
  if (!record_microops_ || !recorder_->active()) return;
  plan.for_each([&](Picoseconds offset, const nand::MicroOp& op) {
    recorder_->set(microop_signal_, begin + offset, microop_value(op));
    recorder_->set_real(voltage_signal_, begin + offset, op.voltage.count() / 1000);
  });
  recorder_->set(microop_signal_, begin + plan.total(), kMicroIdle);
  recorder_->set_real(voltage_signal_, begin + plan.total(), 0);
}

}  // namespace wordline::flash
