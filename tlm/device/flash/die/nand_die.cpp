// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/nand_die.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/ecc/code/codeword.h"
#include "tlm/device/flash/die/array_statistics.h"

namespace wordline::flash {

using onfi::Busy;
using onfi::Effect;
using onfi::SegmentKind;
using onfi::Sequence;

namespace {

Picoseconds fails_at(const config::NandFaults& faults, DieId die) {
  for (std::size_t i = 0; i < faults.dead_dies.size(); ++i) {
    if (faults.dead_dies[i] == die.value()) return faults.dead_at.at(i);
  }
  return ArrayResults::kNever;
}

}  // namespace

NandDie::NandDie(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
                 const config::Layout& layout, ChannelId channel, unsigned index, nand::Fill fill, Shared shared)
    : sc_module(name),
      id_(static_cast<std::uint16_t>(index * config.channels.count + channel.value())),
      index_(index),
      lun_(index / config.channels.packages),
      planes_(config.nand.geometry.planes),
      blocks_(config.nand.blocks_per_plane()),
      has_slc_mode_(nand::has_slc_mode(config.nand)),
      any_block_(config.nand.geometry.plane_blocks == config::PlaneBlocks::kAny),
      constants_(std::move(shared.constants)),
      shapes_(constants_->shapes),
      times_(constants_->times),
      codec_(constants_->codec),
      array_(constants_->device, config.nand, layout, id_, config.run.seed, std::move(fill)),
      copied_(layout.pages_per_block * shapes_.largest().codewords()),
      registers_(array_, copied_, shapes_),
      output_(registers_),
      loads_({planes_, layout.pages_per_program, shapes_, any_block_}, registers_),
      features_(constants_->timing, lun_, codec_.luns(), array_),
      pin_(context, index, shared.snoop, *this),
      waves_(shared.recorder, channel, index, config.observe.nand_microops),
      results_(this->name(), context, pin_, config.nand.aging.page_age, fails_at(config.nand.faults, id_), array_,
               loads_, output_, features_, copied_),
      work_(times_, layout.pages_per_program, {array_, features_, results_, loads_, output_, pin_, waves_}) {}

void NandDie::register_statistics(results::Registry& registry) const {
  register_array_statistics(array_.counters(), registry);
}

// ---- segments -------------------------------------------------------------------------------------------------------

void NandDie::segment(OnfiTransaction& t) {
  const std::string wrong = act(t);
  t.ok = wrong.empty();
  if (t.ok) return;
  SC_REPORT_ERROR(kDieReport, fmt::format("{} at {} ps: {}", name(), t.start.count(), wrong).c_str());
}

std::string NandDie::act(OnfiTransaction& t) {
  // 1. Whatever has ended by now is there.
  work_.commit_due(t.start);
  if (t.kind == SegmentKind::kReset) return reset(t);
  // 2. A busy die takes what its row allows.
  const bool data = t.kind == SegmentKind::kDataIn || t.kind == SegmentKind::kDataOut;
  const Sequence* sequence = data || t.kind == SegmentKind::kFeatureOut ? nullptr : sequence_of(t);
  if (pin_.busy(t.start)) {
    const bool allowed = sequence != nullptr && sequence->kind() == t.kind && sequence->may_come(onfi::kWhenBusy);
    if (!allowed) return fmt::format("segment to a busy die, which is ready at {} ps", pin_.ready_at().count());
  }
  // 3. The effect. Status is not a transfer, and acts when it is sampled.
  if (t.kind == SegmentKind::kStatus) return status(t, sequence);
  transfers_ += t.end - t.start;
  switch (t.kind) {
    case SegmentKind::kCommand:
      return command(t, sequence);
    case SegmentKind::kDataIn:
      return loads_.data_in(t);
    case SegmentKind::kDataOut:
      return output_.data_out(t);
    case SegmentKind::kSetFeatures:
    case SegmentKind::kGetFeatures:
      return feature_command(t, sequence);
    case SegmentKind::kFeatureOut:
      if (!output_.shows_feature()) return "feature parameters without GET FEATURES";
      t.parameters = features_.parameters();
      return {};
    default:
      return {};
  }
}

const Sequence* NandDie::sequence_of(const OnfiTransaction& t) const {
  return onfi::find_sequence(t.cycles, codec_.row_cycles(), codec_.column_cycles());
}

std::string NandDie::check_address(const onfi::Address& at) const {
  const std::uint32_t pages = shapes_.kinds().of(at.block.value()).pages;
  if (at.lun == lun_ && at.plane.value() < planes_ && at.block.value() < blocks_ && at.page.value() < pages) return {};
  return fmt::format(
      "address LUN {} plane {} block {} page {} is outside this die (LUN {}, {} planes, {} blocks, {} pages)", at.lun,
      at.plane.value(), at.block.value(), at.page.value(), lun_, planes_, blocks_, pages);
}

// A2h may come before a read or a page load. What was programmed behind it is read behind it, and nothing else.
std::string NandDie::check_mode(const onfi::Cycles& cycles, const Sequence& sequence, const onfi::Address& at) const {
  const bool reads = sequence.operation == Operation::kRead && sequence.has_row() && sequence.opcode == onfi::kRead;
  if (cycles.prefix != onfi::kNoPrefix) {
    if (!at.slc_mode) return fmt::format("unknown prefix {:02X}h", cycles.prefix);
    if (!has_slc_mode_) return "A2h to a device without SLC mode";
    if (!reads && sequence.effect != Effect::kLoad) return fmt::format("A2h before {}", sequence.name);
  }
  if (!reads || array_.in_slc_mode(at.plane, at.block) == at.slc_mode) return {};
  if (at.slc_mode && !array_.programmed(at.plane, at.block, PageId(0))) return {};
  return at.slc_mode ? "A2h before the read of a block that is not in SLC mode"
                     : "read of a block in SLC mode without A2h before it";
}

std::uint32_t NandDie::pages_of(const Selection& what) const {
  std::uint32_t pages = shapes_.kinds().large().pages;
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    if ((what.planes >> plane & 1U) != 0) pages = std::min(pages, shapes_.kinds().of(what.blocks[plane].value()).pages);
  }
  return pages;
}

// While the array works behind a ready die, only what continues the sequence is taken.
std::string NandDie::check_background(const OnfiTransaction& t, const Sequence& sequence) const {
  if (work_.current().empty() || pin_.busy(t.start)) return {};
  if (sequence.effect == Effect::kSuspend) return {};  // which operation it stops is checked with the array
  const bool reads = work_.current().operation == Operation::kRead;
  if (sequence.may_come(reads ? onfi::kWhenReadingAhead : onfi::kWhenProgrammingAhead)) return {};
  return fmt::format("the array {} until {} ps (SR[5] is 0) and this does not continue the sequence",
                     reads ? "reads ahead" : "programs", work_.current().end().count());
}

// Busy for a time that is known at once: no event, the response has the end.
void NandDie::busy_for(OnfiTransaction& t, Picoseconds duration, const Sequence& sequence) {
  const Picoseconds fall = t.end + features_.timing().t_wb();
  t.ready_at = fall + duration;
  pin_.pulse(fall, t.ready_at);
  waves_.state(fall, t.ready_at, sequence.working);
}

// What a row is busy for alone; times that depend on the array are ArrayWork's.
void NandDie::busy_as_listed(OnfiTransaction& t, const Sequence& sequence) {
  if (sequence.busy == Busy::kDummy) busy_for(t, times_.t_dbsy, sequence);
  if (sequence.busy == Busy::kFeatures) busy_for(t, times_.t_feat, sequence);
}

void NandDie::alarm() {
  work_.commit_due(pin_.now());
  pin_.risen();
  if (ready.size() > 0) ready->ready(index_, pin_.now());
}

// ---- commands -------------------------------------------------------------------------------------------------------

std::string NandDie::command(OnfiTransaction& t, const Sequence* sequence) {
  if (sequence == nullptr) {
    return fmt::format("unknown command {}/{} with {} address cycles", t.cycles.opcode, t.cycles.confirm,
                       t.cycles.address_count);
  }
  const onfi::Address at = codec_.decode(t.cycles, sequence->address);
  std::string wrong = sequence->has_row() ? check_address(at) : std::string();
  if (wrong.empty()) wrong = check_mode(t.cycles, *sequence, at);
  if (wrong.empty()) wrong = check_background(t, *sequence);
  if (wrong.empty()) wrong = obey(t, *sequence, at);
  if (wrong.empty()) busy_as_listed(t, *sequence);
  return wrong;
}

std::string NandDie::obey(OnfiTransaction& t, const Sequence& sequence, const onfi::Address& at) {
  switch (sequence.effect) {
    case Effect::kJoin:
    case Effect::kRead:
    case Effect::kErase:
      return gather(t, sequence, at);
    case Effect::kReadAhead:
      if (sequence.has_row()) return gather(t, sequence, at);
      [[fallthrough]];
    case Effect::kReadAheadEnd:
      return read_ahead(t, sequence, nullptr);
    case Effect::kOutputData:
      output_.back_to_data();
      return {};
    case Effect::kReadColumn:
      return output_.change_column(at, sequence.has_row());
    case Effect::kSoftPlane:
      return output_.select_soft_plane(t.cycles.address[0]);
    case Effect::kLoad:
    case Effect::kLoadCopy:
      return load(sequence, at);
    case Effect::kWriteColumn:
      return loads_.set_column(at.column);
    case Effect::kLoadNextPlane:
    case Effect::kLoadNextPage:
    case Effect::kProgram:
    case Effect::kProgramAhead:
      return end_load(t, sequence);
    case Effect::kSuspend:
      return work_.suspend(sequence, t);
    case Effect::kResume:
      return resume(t, sequence);
    case Effect::kStatus:
    case Effect::kSetFeatures:
    case Effect::kGetFeatures:
    case Effect::kReset:
    case Effect::kResetInterface:
      break;
  }
  return fmt::format("{} is not a segment of kind command", sequence.name);
}

// Reads and erases, plane by plane; the last one starts it.
std::string NandDie::gather(OnfiTransaction& t, const Sequence& sequence, const onfi::Address& at) {
  const bool read = sequence.operation == Operation::kRead;
  if (loads_.loading() || (loads_.open() && !sequence.may_come(onfi::kBetweenLoads))) {
    gathered_.drop();
    return read ? "read between the loads of a program (only 00h ADDR 35h may come there)"
                : "erase between the loads of a program";
  }
  const bool two_sizes = !read && !gathered_.empty() && &shapes_.of(gathered_.block) != &shapes_.of(at.block);
  std::string wrong = two_sizes ? kTwoPageSizes : gathered_.join(sequence.operation, at, any_block_);
  if (wrong.empty()) wrong = work_.suspended().refuses(sequence, gathered_);
  if (!wrong.empty()) gathered_.drop();
  if (!wrong.empty() || sequence.effect == Effect::kJoin) return wrong;

  const Selection what = std::exchange(gathered_, {});
  if (sequence.effect == Effect::kReadAhead) return read_ahead(t, sequence, &what);
  if (read) output_.point_to(at);
  return work_.start(what, sequence, t);
}

// 31h (`next` null: the page behind the one in the page register, or on its way there), 00h ADDR 31h, and 3Fh.
std::string NandDie::read_ahead(OnfiTransaction& t, const Sequence& sequence, const Selection* next) {
  const Work& work = work_.current();
  const bool reading = work.operation == Operation::kRead;
  Selection following;
  if (sequence.effect == Effect::kReadAhead && next == nullptr) {
    const HeldPage& held = registers_.page();
    following = work;
    if (!reading) following = {Operation::kRead, held.planes, held.block, held.page, held.blocks};
    if (following.page.value() + 1 >= pages_of(following)) {
      return "31h after the last page of the block; end the sequence with 3Fh";
    }
    following.page = PageId(following.page.value() + 1);
    next = &following;
  }
  if (!reading && registers_.page().empty()) return "READ CACHE without a page that was read before (00h ADDR 30h)";
  if (!work_.suspended().allows(sequence)) return "READ CACHE while an operation is suspended";
  if (loads_.open() && !sequence.may_come(onfi::kBetweenLoads)) return "READ CACHE between the loads of a program";
  if (pin_.rise_pending()) return "READ CACHE announced before the end of the read";
  work_.read_ahead(next, sequence, t);
  return {};
}

// 80h ADDR, or 85h ADDR with the page that was read.
std::string NandDie::load(const Sequence& sequence, const onfi::Address& at) {
  if (loads_.loading()) return "a page load that was not ended by 10h, 11h, 1Ah or 15h";
  if (!gathered_.empty()) {
    gathered_.drop();
    return "another operation inside a multi-plane sequence";
  }
  std::string wrong = loads_.join(at);
  if (wrong.empty()) {
    wrong = work_.suspended().refuses(sequence, loads_.unit());
    if (!wrong.empty()) loads_.drop();
  }
  const bool copy = sequence.effect == Effect::kLoadCopy;
  if (wrong.empty()) wrong = loads_.begin(at, copy);
  if (wrong.empty() && !copy) output_.clear();
  return wrong;
}

// 11h, 1Ah, 10h, 15h: what follows the data of a page.
std::string NandDie::end_load(OnfiTransaction& t, const Sequence& sequence) {
  if (!loads_.loading()) return "program confirm without PROGRAM (80h)";
  std::string wrong = loads_.end_page(sequence.effect);
  if (!wrong.empty()) {
    work_.refuse_program();
    return wrong;
  }
  const bool last = sequence.effect == Effect::kProgram || sequence.effect == Effect::kProgramAhead;
  return last ? work_.program(loads_.take_unit(), sequence, t) : wrong;
}

std::string NandDie::resume(const OnfiTransaction& t, const Sequence& sequence) {
  if (work_.suspended().work().operation != sequence.operation) {
    return fmt::format("resume of {}, and none is suspended",
                       sequence.operation == Operation::kProgram ? "a program" : "an erase");
  }
  if (!gathered_.empty() || loads_.open()) return "resume inside the sequence of another operation";
  return work_.resume(sequence, t);
}

// ---- status, features, RESET ----------------------------------------------------------------------------------------

std::string NandDie::status(OnfiTransaction& t, const Sequence* sequence) {
  if (sequence == nullptr || sequence->kind() != SegmentKind::kStatus) {
    return "a status segment is 70h, or 78h with a row address";
  }
  if (!work_.suspended().allows(*sequence)) return "status while an operation is suspended";
  if (loads_.open() && !sequence->may_come(onfi::kBetweenLoads)) return "status between the loads of a program";
  if (std::string wrong = check_background(t, *sequence); !wrong.empty()) return wrong;
  const onfi::Address at = codec_.decode(t.cycles, sequence->address);
  if (sequence->has_row()) {
    std::string wrong = check_address(at);
    if (!wrong.empty()) return wrong;
  }
  const Picoseconds sample = t.start + features_.timing().bus().status_sample(t.cycles.count());
  work_.commit_due(sample);
  unsigned bits = onfi::kNotProtected;
  if (!pin_.busy(sample)) {
    bits |= onfi::kReady | work_.pass_fail().status();
    if (sequence->has_row()) bits |= work_.pass_fail().status_of(at.plane);
    if (work_.current().empty()) bits |= onfi::kArrayReady;
    if (work_.suspended().holds()) bits |= onfi::kSuspended;
    if (work_.suspended().holds_both()) bits |= onfi::kBothSuspended;
  }
  t.status = static_cast<std::uint8_t>(bits);
  output_.show_status();
  return {};
}

std::string NandDie::feature_command(OnfiTransaction& t, const Sequence* sequence) {
  const bool set = t.kind == SegmentKind::kSetFeatures;
  if (sequence == nullptr || sequence->kind() != t.kind) {
    return set ? "SET FEATURES is EFh with a feature address, or D5h with LUN and feature address"
               : "GET FEATURES is EEh with a feature address, or D4h with LUN and feature address";
  }
  std::string wrong = features_.check_lun(t.cycles);
  if (wrong.empty()) wrong = check_background(t, *sequence);
  if (!wrong.empty()) return wrong;
  const std::uint8_t feature = t.cycles.address[t.cycles.address_count - 1U];
  if (set) {
    wrong = features_.set(feature, t.parameters);
    if (!wrong.empty()) return wrong;
  } else {
    features_.select(feature);
    output_.show_feature();
  }
  busy_as_listed(t, *sequence);
  return {};
}

std::string NandDie::reset(OnfiTransaction& t) {
  const Sequence* sequence = sequence_of(t);
  if (sequence == nullptr || sequence->kind() != SegmentKind::kReset) {
    return "RESET is FFh or FCh, or FAh with a row address";
  }
  if (!sequence->has_row() && codec_.luns() > 1) return "FFh or FCh to a target of several LUNs; use FAh";
  if (sequence->has_row()) {
    std::string wrong = check_address(codec_.decode(t.cycles, sequence->address));
    if (!wrong.empty()) return wrong;
  }
  work_.commit_due(t.end);
  const Picoseconds duration = work_.has(Operation::kErase)     ? times_.t_rst_erase
                               : work_.has(Operation::kProgram) ? times_.t_rst_program
                               : work_.has(Operation::kRead)    ? times_.t_rst_read
                                                                : times_.t_rst;
  abandon(t.end);
  if (sequence->effect == Effect::kResetInterface) features_.reset_interface();
  busy_for(t, duration, *sequence);
  return {};
}

void NandDie::abandon(Picoseconds at) {
  work_.abandon(at);
  gathered_.drop();
}

void NandDie::power_loss() {
  abandon(pin_.now());
  features_.power_on();
}

}  // namespace wordline::flash
