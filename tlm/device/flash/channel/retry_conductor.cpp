// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/retry_conductor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/nand/program_order.h"

namespace wordline::flash {

RetryConductor::RetryConductor(const SequenceContext& context, const Parts& parts,
                               std::unique_ptr<ecc::RetryIf> machine)
    : context_(context),
      group_(parts.group),
      decoder_(parts.decoder),
      registers_(parts.registers),
      machine_(std::move(machine)),
      geometry_(parts.geometry),
      layout_(parts.layout),
      states_(1U << static_cast<unsigned>(parts.geometry.cell)) {
  registers_.attach(*machine_);
}

PageDecoder::Reading RetryConductor::reading() const {
  PageDecoder::Reading reading;
  reading.step = set_.step;
  reading.retries = retries_;
  reading.first = idle();
  reading.soft = soft();
  reading.centre = reading.soft && ecc::is_centre(command_.soft_read);
  reading.last = together_.has_value();
  return reading;
}

ecc::RetryRequest RetryConductor::request_for(const wl_flash_job& job) const {
  ecc::RetryRequest request;
  request.tag = job.id;
  request.die = job.die;
  request.address = job.block * context_.rules.pages + job.page;
  return request;
}

std::uint16_t RetryConductor::layer_of(std::uint32_t page) const {
  return static_cast<std::uint16_t>(nand::layer_of_page(geometry_, layout_, PageId(page)));
}

Next RetryConductor::start(const ecc::RetryRequest& request, Picoseconds at) {
  machine_->start(request, at);
  started_ = at;
  return run(at);
}

Next RetryConductor::data_ended(Picoseconds at) {
  machine_->flash_done(true, at);
  return run(at);
}

Next RetryConductor::run(Picoseconds at) {
  for (;;) {
    const ecc::RetryIf::Offer offer = machine_->next(at);
    at = offer.at;
    switch (offer.action) {
      case ecc::RetryAction::kFlash:
        command_ = machine_->flash_command();
        at = machine_->next(at).at;  // taken
        if (const std::optional<Next> next = take_flash_command(at)) return *next;
        machine_->flash_done(true, at);
        break;
      case ecc::RetryAction::kDecode:
        at = decode(at);
        break;
      case ecc::RetryAction::kResult:
        together_.reset();
        busy_ += at - started_;
        context_.bus.note_activity(context_.die);
        return ended(machine_->take_result(at), at);
      case ecc::RetryAction::kNothing:
        SC_REPORT_FATAL("wordline/flash", fmt::format("the read-retry controller waits in state {} for an answer that "
                                                      "is not due",
                                                      ecc::to_string(machine_->state()))
                                              .c_str());
        return {Step::kIdle, at};
    }
  }
}

// ---- flash commands -------------------------------------------------------------------------------------------------

/// Nothing: there is nothing to do for it.
std::optional<Next> RetryConductor::take_flash_command(Picoseconds at) {
  if (command_.op == ecc::FlashOp::kSetVref && machine_->state() == ecc::RetryState::kSetFeature) step_taken();
  together_.reset();
  if (command_.op == ecc::FlashOp::kSoftRead) {
    ++soft_reads_;
    together_ = completed_senses();
  }
  if (command_.op != ecc::FlashOp::kRead) {
    if (change_references(references(command_.step, command_.soft_offset))) return Next{Step::kReferences, at};
    if (command_.op != ecc::FlashOp::kSoftRead) return std::nullopt;
  }
  group_.again();
  return Next{Step::kReadCommand, at};
}

/// The references of a step of the retry table, each moved by `offset`.
nand::ReadParameters RetryConductor::references(unsigned step, int offset) const {
  nand::ReadParameters parameters;
  parameters.step = static_cast<std::uint8_t>(step);
  const ecc::ReferenceOffsets& table = registers_.settings().table[step];
  for (unsigned r = 1; r < states_; ++r) {
    parameters.offset[r] = static_cast<std::int8_t>(std::clamp(table[r] + offset, -128, 127));
  }
  return parameters;
}

/// The senses of the soft level that end with the soft read under way; nothing: others follow.
std::optional<nand::ReadParameters> RetryConductor::completed_senses() const {
  const unsigned reads = command_.soft_read + 1;
  const unsigned level = command_.soft_level != 0 ? command_.soft_level : ecc::soft_level_of(reads);
  if (level > ecc::kAllSoftLevels || ecc::kSoftReads[level] != reads) return std::nullopt;
  if (command_.soft_level == 0 && (level == 0 || level > ecc::kSoftLevels)) return std::nullopt;
  nand::ReadParameters senses = references(command_.step, 0);
  senses.senses = static_cast<std::uint8_t>(reads);
  senses.delta = registers_.settings().soft_delta[level - 1];
  return senses;
}

bool RetryConductor::change_references(const nand::ReadParameters& to) {
  writes_ = onfi::feature_writes(set_, to);
  std::reverse(writes_.begin(), writes_.end());
  set_ = to;
  return !writes_.empty();
}

bool RetryConductor::restore_references() { return change_references(references(0, 0)); }

Next RetryConductor::set_reference(Picoseconds at) {
  const onfi::FeatureWrite write = writes_.back();
  writes_.pop_back();
  const Picoseconds ready_at = context_.bus.set_feature(context_.die, write, at).ready_at;
  if (!writes_.empty()) return {Step::kReferences, ready_at};
  if (idle() || soft()) {  // idle: the references are set back, and the read may begin
    group_.again();
    return {Step::kReadCommand, ready_at};
  }
  return data_ended(ready_at);
}

// ---- decoding -------------------------------------------------------------------------------------------------------

/// Verdicts on what the retry controller wants decoded; returns when the last is known.
Picoseconds RetryConductor::decode(Picoseconds at) {
  const ecc::DecodeCommand command = machine_->decode_command();
  if (command.op == ecc::DecodeOp::kLoadLlr) return at;  // has no answer
  at = machine_->next(at).at;                            // taken
  if (command.op == ecc::DecodeOp::kT2S) {
    decoder_.decode_soft(group_, command.level, at);
    decoder_.complete(group_, retries_);
  }
  if (command.op != ecc::DecodeOp::kT1) at = std::max(at, group_.verdict);
  for (unsigned codeword = 0; codeword < command.codewords.size(); ++codeword) {
    if (!command.codewords[codeword]) continue;
    const ecc::CodewordOutcome& outcome = decoder_.outcome(codeword);
    // The decoders have tried both tiers in one go; the retry controller asks for tier 1 first, and for tier 2 if that
    // failed.
    const bool ok = outcome.decoded && (command.op == ecc::DecodeOp::kT1) == (outcome.tier == 1);
    machine_->verdict({codeword, ok, outcome.crc_ok, outcome.iterations, outcome.corrected, outcome.weight}, at);
  }
  return at;
}

}  // namespace wordline::flash
