// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/die/nand_die.h"

#include <algorithm>

#include "models/ecc/code/codeword.h"

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
      channels_(config.channels),
      t_wb_(config.channels.t_wb),
      t_dbsy_(config.channels.t_dbsy),
      t_feat_(config.channels.t_feat),
      t_rcbsy_(config.channels.t_rcbsy),
      t_pcbsy_(config.channels.t_pcbsy),
      t_suspend_program_(config.channels.t_suspend_program),
      t_suspend_erase_(config.channels.t_suspend_erase),
      t_rst_(config.channels.t_rst),
      t_rst_read_(config.channels.t_rst_read),
      t_rst_program_(config.channels.t_rst_program),
      t_rst_erase_(config.channels.t_rst_erase),
      timing_(config.channels),
      codec_(config, layout),
      array_(config.nand, layout, id_, config.run.seed, std::move(fill)),
      page_age_(config.nand.aging.page_age),
      snoop_(snoop),
      recorder_(recorder),
      record_microops_(config.observe.nand_microops),
      loaded_planes_(pages_per_program_, 0),
      copied_errors_(pages_ * sectors_per_page_ * ecc::kCodewordsPerSector) {
  load_.sectors.resize(static_cast<std::size_t>(pages_per_program_) * planes_ * sectors_per_page_);
  latched_.sectors.resize(load_.sectors.size());
  switch_mode(config.channels.mode);
  SC_HAS_PROCESS(NandDie);
  SC_METHOD(on_end);
  sensitive << end_;
  dont_initialize();
  if (recorder_ != nullptr) add_signals(channel);
}

void NandDie::register_statistics(results::Registry& registry) const {
  const nand::Die::Counters& counters = array_.counters();
  registry
      .add_to_sum("flash.programs", "operations",
                  "Program operations that ended, failed ones included: one for all pages and planes of a program "
                  "unit. Host data, copies of GC and padding alike; operations cut short are left out.",
                  [&counters] { return counters.programs; })
      .in_summary(1, "programs");
  registry
      .add_to_sum("flash.reads", "operations",
                  "Array reads that ended, by whatever caused them (host, GC, read retry, soft reads); the planes of a "
                  "multi-plane read count once.",
                  [&counters] { return counters.page_reads; })
      .in_summary(1, "reads");
  registry
      .add_to_sum("flash.erases", "operations",
                  "Block erases that ended, failed ones included; the planes of a multi-plane erase count once.",
                  [&counters] { return counters.erases; })
      .in_summary(1, "erases");
  registry.add_to_sum(
      "flash.sectors_programmed", "logical pages",
      "Logical pages (4 KiB) that the dies programmed: host data, copies of GC and padding. Planes in which the "
      "program failed are left out.",
      [&counters] { return counters.sectors_programmed; });
  registry
      .add_to_sum("flash.failures", "operations", "Programs and erases that a die ended with FAIL.",
                  [&counters] { return counters.failures; })
      .in_summary_if_nonzero(3, "programs and erases failed");
  registry
      .add_to_sum("energy_pj.nand_array", "pJ",
                  "Operations of the arrays, the part done of interrupted ones included: Vcc x Icc x time of each "
                  "micro-operation, above standby.",
                  [&counters] { return counters.energy; })
      .in_summary(1, "nand_array");
  const auto add_energy = [&](const char* operation, const Picojoules& energy) {
    registry.add_to_sum({"energy_pj.nand_array_by_operation.OPERATION", {operation}}, "pJ",
                        "The part of nand_array that reads, programs and erases took.", [&energy] { return energy; });
  };
  add_energy("read", counters.read_energy);
  add_energy("program", counters.program_energy);
  add_energy("erase", counters.erase_energy);
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

void NandDie::announce(Picoseconds fall, Picoseconds rise) {
  if (snoop_ == nullptr) return;
  snoop_->ready_busy(index_, false, fall);
  snoop_->ready_busy(index_, true, rise);
}

// An operation of the array with R/B_n low: what remains of the plan passes, then ready() is called.
void NandDie::start(OnfiTransaction& t, const Selection& what, const nand::Plan& plan, State state) {
  if (signal_pending_) {
    error(t, "array operation announced before the end of the last one");
    return;
  }
  if (&what != &work_) {
    static_cast<Selection&>(work_) = what;
    work_.done = Picoseconds(0);
    if (what.operation != Operation::kRead) work_.plan = plan;
    ++busy_.uses;
    failed_ = failed_before_ = cache_sequence_ = false;
  }
  work_.state = state;
  work_.begin = t.end + t_wb_;
  work_.remaining = plan.total() - work_.done;
  forget_registers();
  output_ = Output::kNone;
  busy_until_ = work_.end();
  busy_.busy += work_.remaining;
  signal_pending_ = true;
  end_.notify(tlm_if::to_sc_time(busy_until_ - tlm_if::now()));
  if (snoop_ != nullptr) snoop_->ready_busy(index_, false, work_.begin);
  if (recorder_ != nullptr) record(work_, plan);
}

// Busy for a time that the bus parameters give: no event, the initiator is told when it ends.
void NandDie::busy_for(OnfiTransaction& t, Picoseconds duration, State state) {
  const Picoseconds begin = t.end + t_wb_;
  busy_until_ = begin + duration;
  t.ready_at = busy_until_;
  announce(begin, busy_until_);
  if (recorder_ != nullptr && state != State::kIdle) record_state(begin, busy_until_, state);
}

void NandDie::commit_due(Picoseconds at) {
  while (work_.operation != Operation::kNone && at >= work_.end()) {
    commit();
    if (queued_.operation == Operation::kNone) return;
    work_ = queued_;
    queued_.operation = Operation::kNone;
    begin_program(true);
  }
}

// The unit leaves the cache register; `follows`: another one that was programmed with 15h.
void NandDie::begin_program(bool follows) {
  std::swap(load_, latched_);
  failed_before_ = follows && failed_;
  failed_ = false;
}

void NandDie::commit() {
  const Operation operation = work_.operation;
  work_.operation = Operation::kNone;
  if (page_age_) array_.set_time(tlm_if::now());
  if (operation == Operation::kRead) {
    array_.commit_read(work_.planes, work_.block, work_.page, work_.read);
    page_register_ = {work_.planes, work_.block, work_.page, work_.read};
    if (work_.state == State::kCacheRead) return;
    cache_register_ = page_register_;
    output_ = Output::kData;
    return;
  }
  if (operation == Operation::kProgram) return commit_program();
  failed_ = array_.commit_erase(work_.planes, work_.block) != nand::OperationStatus::kOk;
  if (reported_.block == work_.block) reported_.operation = Operation::kNone;
  for (std::uint8_t plane = 0; plane < planes_; ++plane) {
    if ((work_.planes >> plane & 1U) != 0) copied_errors_.forget(PlaneId(plane), work_.block);
  }
}

void NandDie::commit_program() {
  // The array takes the selected planes only, without gaps.
  std::vector<nand::StoredSector>& sectors = latched_.sectors;
  std::size_t to = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(pages_per_program_) * planes_; ++row) {
    if ((work_.planes >> (row % planes_) & 1U) == 0) continue;
    if (to != row) {
      std::copy_n(sectors.begin() + static_cast<std::ptrdiff_t>(row * sectors_per_page_), sectors_per_page_,
                  sectors.begin() + static_cast<std::ptrdiff_t>(to * sectors_per_page_));
    }
    ++to;
  }
  const nand::OperationStatus status =
      array_.commit_program(work_.planes, work_.block, work_.page, sectors.data(), work_.program);
  failed_ = status != nand::OperationStatus::kOk;
  reported_ = work_;
  reported_.operation = failed_ ? Operation::kNone : Operation::kProgram;
  reported_fail_ = failed_;
  if (status == nand::OperationStatus::kRefused) {
    const std::string text = std::string(name()) + ": program of block " + std::to_string(work_.block.value()) +
                             " page " + std::to_string(work_.page.value()) +
                             " failed: already programmed, or not the next page of the block";
    SC_REPORT_ERROR(kReportId, text.c_str());
  } else {
    const std::uint32_t per_page = sectors_per_page_ * ecc::kCodewordsPerSector;
    for (std::uint32_t i = 0; i < latched_.errors.size(); ++i) {
      const std::uint32_t row = i / per_page;
      if (latched_.errors[i] == 0) continue;
      copied_errors_.put(PlaneId(static_cast<std::uint8_t>(row % planes_)), work_.block,
                         (work_.page.value() + row / planes_) * per_page + i % per_page, latched_.errors[i]);
    }
  }
  latched_.errors.clear();
}

void NandDie::on_end() {
  commit_due(tlm_if::now());
  signal_pending_ = false;
  if (snoop_ != nullptr) snoop_->ready_busy(index_, true, tlm_if::now());
  if (ready.size() > 0) ready->ready(index_, tlm_if::now());
}

void NandDie::forget_registers() { page_register_.planes = cache_register_.planes = 0; }

}  // namespace wordline::flash
