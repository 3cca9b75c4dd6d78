// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/nand_die.h"

#include <algorithm>

namespace wordline::flash {

namespace {

using onfi::SegmentKind;

bool may_suspend(const OnfiTransaction& t) {
  return t.kind == SegmentKind::kCommand &&
         (t.cycles.opcode == onfi::kSuspendProgram || t.cycles.opcode == onfi::kSuspendErase);
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
      t_suspend_program_(config.channels.t_suspend_program),
      t_suspend_erase_(config.channels.t_suspend_erase),
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
  if (recorder_ != nullptr) add_signals(channel);
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
  if (t.start < busy_until_ && !may_suspend(t)) {
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
  work_.operation = operation;
  work_.planes = plane_mask_;
  work_.block = block_;
  work_.page = page_;
  work_.done = Picoseconds(0);
  if (operation != Operation::kRead) work_.plan = plan;
  ++busy_.uses;
  run(t.end + t_wb_, plan);
}

// What remains of the plan passes from `begin` on.
void NandDie::run(Picoseconds begin, const nand::Plan& plan) {
  failed_ = false;
  forget_registers();
  output_ = Output::kNone;
  const Picoseconds remaining = plan.total() - work_.done;
  work_.begin = begin;
  busy_until_ = begin + remaining;
  busy_.busy += remaining;
  signal_pending_ = true;
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
  if (snoop_ != nullptr) snoop_->ready_busy(index_, false, begin);
  if (recorder_ != nullptr) record(plan);
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
  if (recorder_ != nullptr && state != State::kIdle) record_state(begin, busy_until_, state);
}

void NandDie::commit_due(Picoseconds at) {
  if (work_.operation != Operation::kNone && at >= busy_until_) commit();
}

void NandDie::commit() {
  const Operation operation = work_.operation;
  work_.operation = Operation::kNone;
  if (operation == Operation::kRead) {
    array_.commit_read(work_.planes, work_.block, work_.page);
    read_planes_ = work_.planes;
    read_block_ = work_.block;
    read_page_ = work_.page;
    output_ = Output::kData;
    return;
  }
  if (operation == Operation::kErase) {
    failed_ = array_.commit_erase(work_.planes, work_.block) != nand::OperationStatus::kOk;
    return;
  }
  // The array takes the selected planes only, without gaps.
  std::size_t to = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(pages_per_program_) * planes_; ++row) {
    if ((work_.planes >> (row % planes_) & 1U) == 0) continue;
    if (to != row) {
      std::copy_n(load_.begin() + static_cast<std::ptrdiff_t>(row * sectors_per_page_), sectors_per_page_,
                  load_.begin() + static_cast<std::ptrdiff_t>(to * sectors_per_page_));
    }
    ++to;
  }
  const nand::OperationStatus status = array_.commit_program(work_.planes, work_.block, work_.page, load_.data());
  failed_ = status != nand::OperationStatus::kOk;
  if (status == nand::OperationStatus::kRefused) {
    const std::string text = std::string(name()) + ": program of block " + std::to_string(work_.block.value()) + " page " +
                             std::to_string(work_.page.value()) +
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

}  // namespace wordline::flash
