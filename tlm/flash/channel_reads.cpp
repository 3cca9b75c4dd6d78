// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of read jobs: command, data out, verdict, read retry.
#include <algorithm>
#include <array>

#include "models/ecc/codeword.h"
#include "models/units/keyed_random.h"
#include "tlm/flash/channel_controller.h"

namespace wordline::flash {
namespace {

constexpr std::uint64_t kPurposeDecode = 0x6465636f6465;

}  // namespace

std::uint32_t ChannelController::next_pending_plane(const Die& die, std::uint32_t from) const {
  const wl_flash_job& job = pool_[die.job].job;
  const std::uint32_t first = from * sectors_per_page_;
  for (std::uint32_t s = first > job.sector ? first - job.sector : 0; s < job.count; ++s) {
    if (die.pending[s] != 0) return (job.sector + s) / sectors_per_page_;
  }
  return kNoPlane;
}

bool ChannelController::find_run(Die& die) const {
  const wl_flash_job& job = pool_[die.job].job;
  while (die.cursor < job.count && die.pending[die.cursor] == 0) ++die.cursor;
  if (die.cursor == job.count) return false;
  const std::uint32_t plane_end = ((job.sector + die.cursor) / sectors_per_page_ + 1) * sectors_per_page_ - job.sector;
  const std::uint32_t end = std::min<std::uint32_t>(plane_end, job.count);
  die.run = 1;
  while (die.cursor + die.run < end && die.pending[die.cursor + die.run] != 0) ++die.run;
  return true;
}

void ChannelController::read_command(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  const std::uint32_t next = next_pending_plane(d, d.plane + 1);
  const bool single = next == kNoPlane && d.plane == next_pending_plane(d, 0);
  onfi::Address to = address(die, job, d.plane);
  if (single) {
    d.cursor = 0;
    find_run(d);
    to.column = codec_.column_of((job.sector + d.cursor) % sectors_per_page_);
  }
  const Picoseconds end =
      send(die, onfi::SegmentKind::kCommand,
           codec_.read(to, next == kNoPlane ? onfi::kReadConfirm : onfi::kReadNextPlane), command_after(die, at));
  if (d.marks[kBusCommand] < Picoseconds(0)) d.marks[kBusCommand] = transaction_.start;
  if (next != kNoPlane) {
    d.plane = next;
    d.eligible = transaction_.ready_at;
    return;
  }
  d.step = Step::kArray;
  d.in_place = single;
  d.selected = false;
  if (d.marks[kArrayTime] < Picoseconds(0)) d.marks[kArrayTime] = end;
}

void ChannelController::data_out(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  if (needs_selection(die)) {
    const std::uint32_t first = job.sector + d.cursor;
    onfi::Address to = address(die, job, first / sectors_per_page_);
    to.column = codec_.column_of(first % sectors_per_page_);
    const Picoseconds end =
        send(die, onfi::SegmentKind::kCommand, codec_.change_read_column(to), command_after(die, at));
    d.selected = true;
    locked_ |= std::uint64_t{1} << package(die);
    d.eligible = std::max(end + rules_.t_ccs, d.data_after);
    return;
  }
  send_data(die, onfi::SegmentKind::kDataOut, d.run, std::max(at, d.data_after));
  locked_ &= ~(std::uint64_t{1} << package(die));
  d.selected = false;
  d.in_place = false;
  if (d.first_data) d.marks[kBusData] = transaction_.start;
  d.first_data = false;
  output_end_[package(die)] = transaction_.end;
  d.step = Step::kStreaming;
  streaming_ = die;
}

void ChannelController::deliver(const wl_flash_job& job, std::uint32_t sector, const nand::StoredSector& stored) {
  buffer->slot(job.slot + sector) = stored.token;
  if (wl_slot_info* info = owner(job.slot + sector)) info->lpn = stored.lpn;
}

void ChannelController::end_of_data(std::uint32_t die) {
  Die& d = dies_[die];
  const wl_flash_job& job = pool_[d.job].job;
  const NandDie& nand = *arrays_[die];
  const std::uint32_t plane = (job.sector + d.cursor) / sectors_per_page_;
  const PlaneId plane_id(static_cast<std::uint8_t>(plane));
  const bool programmed = nand.array().programmed(plane_id, BlockId(job.block), PageId(job.page));
  const std::uint32_t erases = nand.array().erase_count(plane_id, BlockId(job.block));
  const Picoseconds start = transaction_.start;  // nothing has used the bus since
  for (std::uint32_t i = 0; i < d.run; ++i) {
    const std::uint32_t s = d.cursor + i;
    const std::uint32_t sector = (job.sector + s) % sectors_per_page_;
    std::array<unsigned, ecc::kCodewordsPerSector> errors{};
    if (programmed) {
      for (unsigned c = 0; c < errors.size(); ++c) errors[c] = nand.bit_errors(plane_id, sector, c);
    }
    const std::uint64_t key =
        keyed_hash(seed_, kPurposeDecode, job.die, job.block, job.page, job.sector + s, erases, d.reference);
    const Picoseconds arrive = start + timing_.data_out((i + 1) * std::uint64_t{codec_.sector_bytes()});
    const ecc::EccIf::Result result = decoder_.decode(arrive, errors.data(), errors.size(), key);
    if (result.failed != 0) {
      d.verdict = std::max(d.verdict, result.done);
      continue;
    }
    d.pending[s] = 0;
    deliver(job, s, page_[i]);
    d.done = std::max(d.done, dram->reserve(result.done, kSectorBytes));
    shared_.ecc_registers.count_decoded(1);
    ++sectors_read_;
  }
  d.cursor += d.run;
  d.eligible = transaction_.end + rules_.t_rhw;
  if (find_run(d)) {
    d.step = Step::kDataOut;
  } else {
    end_of_attempt(die, transaction_.end);
  }
  evaluate(die, tlm_if::now());
}

void ChannelController::end_of_attempt(std::uint32_t die, Picoseconds now) {
  Die& d = dies_[die];
  const wl_flash_job job = pool_[d.job].job;
  d.marks[kEcc] = now;
  d.cursor = 0;
  const bool failed = find_run(d);
  if (failed && d.reference < shared_.ecc_registers.max_retries()) {
    ++d.reference;
    ++retries_;
    shared_.ecc_registers.count_retry();
    d.step = Step::kStepFeature;
    d.eligible = std::max(d.eligible, d.verdict);
    return;
  }
  if (failed) {
    d.done = std::max(d.done, d.verdict);
    d.eligible = std::max(d.eligible, d.verdict);
    for (std::uint32_t s = 0; s < job.count; ++s) {
      if (d.pending[s] == 0) continue;
      deliver(job, s, {});
      shared_.ecc_registers.count_uncorrectable(1);
      ++uncorrectable_;
    }
  }
  finish(die, d.done, failed ? WL_FLASH_UNCORRECTABLE : WL_FLASH_OK);
  if (d.reference != 0) d.step = Step::kResetFeature;
}

void ChannelController::set_reference(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  if (d.step == Step::kResetFeature) d.reference = 0;
  transaction_.parameters = {static_cast<std::uint8_t>(d.reference), 0, 0, 0};
  send(die, onfi::SegmentKind::kSetFeatures, codec_.set_features(die / packages_, onfi::kFeatureReferenceStep),
       command_after(die, at));
  d.eligible = transaction_.ready_at;
  if (d.step == Step::kResetFeature) {
    d.step = Step::kIdle;
    return;
  }
  d.plane = next_pending_plane(d, 0);
  d.step = Step::kReadCommand;
}

}  // namespace wordline::flash
