// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What happens to codewords off the bus, and read retry: the commands of the retry controller of a die, carried out.
#include <algorithm>
#include <string>

#include "models/units/keyed_random.h"
#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {
namespace {

constexpr std::uint64_t kPurposeDecode = 0x6465636f6465;
constexpr std::uint64_t kPurposeSoft = 0x736f6674;

/// What ECC.INJECT makes of the outcome of a decoding. Times are those without.
void inject(const ecc::ErrorInjection& injection, bool soft, DieRetry& retry, ecc::CodewordOutcome& outcome) {
  const ecc::CodewordOutcome before = outcome;
  if (!outcome.decoded) return;
  if (!soft && outcome.tier == 1 && injection.t1_fail) outcome.tier = 2;
  outcome.decoded = soft ? !injection.t2s_fail
                         : retry.taken >= injection.steps && !(outcome.tier == 2 && injection.t2h_fail);
  if (outcome.decoded && injection.crc && !retry.crc_corrupted) {
    outcome.crc_ok = false;
    retry.crc_corrupted = true;
  }
  retry.injected |= outcome.tier != before.tier || !outcome.good();
}

/// Bins of the die, counted from below, as regions of reliability, counted from the reference in the middle.
ecc::SoftChannel by_region(const nand::SoftChannel& bins, unsigned regions) {
  ecc::SoftChannel channel;
  const unsigned middle = (bins.bins - 1) / 2;
  for (unsigned i = 0; i < bins.bins; ++i) {
    const unsigned region = i == 0 ? regions - 1 : i <= middle ? middle - i : i - middle - 1;
    channel.wrong[region] += bins.wrong[i];
    channel.right[region] += bins.right[i];
  }
  return channel;
}

}  // namespace

void ChannelController::decode_run(std::uint32_t die) {
  Die& d = dies_[die];
  const NandDie& nand = *arrays_[die];
  const wl_flash_job job = d.reads.any();
  const PlaneId plane(static_cast<std::uint8_t>(d.reads.sector / sectors_per_page_));
  const bool programmed = nand.array().programmed(plane, BlockId(job.block), PageId(job.page));
  const std::uint32_t erases = nand.array().erase_count(plane, BlockId(job.block));
  const Picoseconds start = transaction_.start;  // nothing has used the bus since
  for (std::uint32_t i = 0; i < d.reads.run; ++i) {
    const std::uint32_t s = d.reads.sector + i;
    DieRetry::Sector& sector = d.retry.sectors[s];
    ecc::SectorRead read;
    read.arrive = start + timing_.data_out((i + 1) * std::uint64_t{codec_.sector_bytes()});
    read.stored = sector.stored = page_[i];
    read.key = keyed_hash(seed_, kPurposeDecode, job.die, job.block, job.page, s, erases, d.retry.set.step);
    read.codewords = sector.wanted;
    read.iterations = shared_.ecc_registers.iterations();
    if (programmed) {
      for (unsigned c = 0; c < read.errors.size(); ++c) {
        read.errors[c] = nand.bit_errors(plane, s % sectors_per_page_, c);
      }
    }
    d.reads.for_each(s, [&](JobIndex, QueuedJob& reader) {
      if (reader.first_data < d.reads.ready) reader.first_data = start;
      reader.last_data = read.arrive;
    });
    if (d.retry.soft()) {
      if (d.retry.centre()) {
        sector.key = read.key;
        sector.centre_errors = read.errors;
      }
      d.reads.failed(s);
      d.reads.verdict = std::max(d.reads.verdict, read.arrive);
      continue;
    }
    conclude(die, s, decoder_.decode(read), false);
  }
}

/// A sector has been decoded, as far as it could: hands it over when all of it is there.
void ChannelController::conclude(std::uint32_t die, std::uint32_t s, const ecc::EccIf::Result& result, bool soft) {
  Die& d = dies_[die];
  DieRetry::Sector& sector = d.retry.sectors[s];
  sector.outcomes = result.codewords;
  for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
    if ((sector.wanted >> c & 1U) == 0) continue;
    ecc::CodewordOutcome& outcome = sector.outcomes[c];
    inject(shared_.ecc_registers.injection(), soft, d.retry, outcome);
    // The retry controller counts the reads that it sees.
    if (d.retry.idle()) shared_.ecc_registers.count_first_read(outcome);
    if (outcome.good()) sector.wanted &= ~(1U << c);
  }
  if (sector.wanted != 0) {
    d.reads.failed(s);
    d.reads.verdict = std::max(d.reads.verdict, result.done);
    return;
  }
  sector.wanted = DieRetry::kAll;
  d.reads.delivered(s);
  if (d.retry.idle()) ++shared_.ecc_registers.counters().decoded_sectors;
  d.reads.for_each(s, [&](JobIndex, QueuedJob& reader) {
    deliver(reader.job, s, sector.stored);
    reader.done = std::max(reader.done, dram->reserve(result.done, kSectorBytes));
  });
}

/// Jobs that have all their sectors.
void ChannelController::finish_complete(std::uint32_t die) {
  Die& d = dies_[die];
  d.reads.remove_if([&](JobIndex index, const QueuedJob& reader) {
    if (d.reads.wants(reader.job)) return false;
    finish_read(die, index, WL_FLASH_OK, d.retry.taken, 0);
    return true;
  });
}

void ChannelController::end_of_attempt(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  if (!d.retry.idle()) {
    d.retry.machine->flash_done(true, at);
    run_retry(die, at);
  } else if (d.reads.empty()) {
    d.step = Step::kIdle;
  } else if (retry_by_firmware_) {
    hand_back(die);
    d.step = Step::kIdle;
  } else {
    start_retry(die, true, std::max(d.reads.verdict, tlm_if::now()));
  }
}

/// `sensed`: the page was read at step 0 and codewords failed; else a first read that is to start from the ORT.
void ChannelController::start_retry(std::uint32_t die, bool sensed, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job& job = d.reads.any();
  ecc::RetryRequest request;
  request.tag = job.id;
  request.die = job.die;
  request.address = job.block * pages_ + job.page;
  request.group = job.die;
  request.layer = layer_of(job.page);
  request.sensed = sensed;
  d.reads.for_each_left([&](std::uint32_t s) {
    for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
      if ((d.retry.sectors[s].wanted >> c & 1U) != 0) request.codewords.set(s * ecc::kCodewordsPerSector + c);
    }
  });
  d.retry.crc_corrupted = false;
  d.retry.machine->start(request, at);
  run_retry(die, at);
}

/// Whether the next read is to begin with the references of the table of optimal references.
bool ChannelController::starts_from_ort(std::uint32_t die) const {
  const ecc::RetrySettings& settings = shared_.ecc_registers.settings();
  if (!settings.ort_enable || !settings.ort_first) return false;
  const wl_flash_job& job = dies_[die].reads.any();
  const ecc::OptimalReferences::Entry& entry = shared_.ecc_registers.ort().at(job.die, layer_of(job.page));
  return entry.valid && entry.step != 0;
}

std::uint16_t ChannelController::layer_of(std::uint32_t page) const {
  return static_cast<std::uint16_t>(arrays_.front()->array().layer(PageId(page)));
}

/// Carries out what the retry controller asks for, up to the next use of the bus.
void ChannelController::run_retry(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  ecc::RetryIf& machine = *d.retry.machine;
  for (;;) {
    const ecc::RetryIf::Offer offer = machine.next(at);
    at = offer.at;
    switch (offer.action) {
      case ecc::RetryAction::kFlash:
        d.retry.command = machine.flash_command();
        at = machine.next(at).at;  // taken
        d.eligible = std::max(d.eligible, at);
        if (start_flash_command(die)) return;
        machine.flash_done(true, at);
        break;
      case ecc::RetryAction::kDecode:
        at = retry_decode(die, at);
        break;
      case ecc::RetryAction::kResult:
        end_retry(die, machine.take_result(at), at);
        return;
      case ecc::RetryAction::kNothing:
        SC_REPORT_FATAL("wordline/flash", (std::string("the read-retry controller waits in state ") +
                                           ecc::to_string(machine.state()) + " for an answer that nobody owes it").c_str());
        return;
    }
  }
}

/// Takes the command up. False: there is nothing to do for it.
bool ChannelController::start_flash_command(std::uint32_t die) {
  Die& d = dies_[die];
  const ecc::FlashCommand& command = d.retry.command;
  const bool retry = command.op == ecc::FlashOp::kSetVref && d.retry.machine->state() == ecc::RetryState::kSetFeature;
  if (retry && !retry_by_firmware_) ++d.retry.taken;
  if (command.op == ecc::FlashOp::kSoftRead) ++soft_reads_;
  if (command.op != ecc::FlashOp::kRead) {
    d.retry.writes = onfi::feature_writes(d.retry.set, references(command));
    std::reverse(d.retry.writes.begin(), d.retry.writes.end());
    d.retry.set = references(command);
    d.step = Step::kReferences;
    if (!d.retry.writes.empty()) return true;
    if (command.op != ecc::FlashOp::kSoftRead) return false;
  }
  d.reads.again();
  d.step = Step::kReadCommand;
  return true;
}

/// What a command of the retry controller sets in the die.
nand::ReadParameters ChannelController::references(const ecc::FlashCommand& command) const {
  nand::ReadParameters parameters;
  parameters.step = static_cast<std::uint8_t>(command.step);
  const ecc::ReferenceOffsets& table = shared_.ecc_registers.settings().table[command.step];
  for (unsigned r = 1; r < states_; ++r) {
    const int offset = table[r] + command.soft_offset;
    parameters.offset[r] = static_cast<std::int8_t>(std::clamp(offset, -128, 127));
  }
  return parameters;
}

void ChannelController::set_references(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const onfi::FeatureWrite write = d.retry.writes.back();
  d.retry.writes.pop_back();
  transaction_.parameters = write.value;
  send(die, onfi::SegmentKind::kSetFeatures, codec_.set_features(die / packages_, write.feature),
       command_after(die, at));
  d.eligible = transaction_.ready_at;
  if (!d.retry.writes.empty()) return;
  if (d.retry.idle() || d.retry.command.op == ecc::FlashOp::kSoftRead) {  // idle: the references are set back
    d.reads.again();
    d.step = Step::kReadCommand;
    return;
  }
  d.retry.machine->flash_done(true, d.eligible);
  run_retry(die, d.eligible);
}

/// Verdicts on what the machine wants decoded; returns when the last is known.
Picoseconds ChannelController::retry_decode(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  ecc::RetryIf& machine = *d.retry.machine;
  const ecc::DecodeCommand command = machine.decode_command();
  if (command.op == ecc::DecodeOp::kLoadLlr) return at;  // has no answer
  at = machine.next(at).at;  // taken
  if (command.op == ecc::DecodeOp::kT2S) decode_soft(die, command, at);
  if (command.op != ecc::DecodeOp::kT1) at = std::max(at, d.reads.verdict);
  for (unsigned codeword = 0; codeword < command.codewords.size(); ++codeword) {
    if (!command.codewords[codeword]) continue;
    const ecc::CodewordOutcome& outcome =
        d.retry.sectors[codeword / ecc::kCodewordsPerSector].outcomes[codeword % ecc::kCodewordsPerSector];
    // The pipeline tries both tiers at once; the machine asks one after the other.
    const bool ok = outcome.decoded && (command.op == ecc::DecodeOp::kT1) == (outcome.tier == 1);
    machine.verdict({codeword, ok, outcome.crc_ok, outcome.iterations, outcome.corrected, outcome.weight}, at);
  }
  return at;
}

void ChannelController::decode_soft(std::uint32_t die, const ecc::DecodeCommand& command, Picoseconds at) {
  Die& d = dies_[die];
  const NandDie& nand = *arrays_[die];
  const ecc::RetrySettings& settings = shared_.ecc_registers.settings();
  const ecc::SoftLevel& level = ecc::soft_level(ecc::kSoftReads[command.level]);
  ecc::FlashCommand centre = d.retry.command;
  centre.soft_offset = 0;
  nand::ReadParameters senses = references(centre);
  senses.senses = static_cast<std::uint8_t>(level.reads);
  senses.delta = settings.soft_delta[command.level - 1];
  d.reads.for_each_left([&](std::uint32_t s) {
    DieRetry::Sector& sector = d.retry.sectors[s];
    const PlaneId plane(static_cast<std::uint8_t>(s / sectors_per_page_));
    const ecc::SoftChannel channel = by_region(nand.soft_channel(plane, senses), level.regions);
    ecc::SectorRead read;
    read.arrive = at;
    read.stored = sector.stored;
    read.key = sector.key;
    read.codewords = sector.wanted;
    read.errors = sector.centre_errors;
    read.reads = level.reads;
    read.llr = settings.llr[command.level];
    read.iterations = shared_.ecc_registers.iterations();
    for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
      read.soft[c] =
          ecc::draw_soft_counts(level, channel, read.errors[c], keyed_hash(sector.key, kPurposeSoft, level.reads, c));
    }
    conclude(die, s, decoder_.decode(read), true);
  });
  finish_complete(die);
}

void ChannelController::end_retry(std::uint32_t die, ecc::RetryResult result, Picoseconds at) {
  if (retry_by_firmware_) return end_attempt(die, result, at);
  Die& d = dies_[die];
  if (d.retry.injected) result.status |= ecc::retry_status::kInjected;
  shared_.ecc_registers.ended(result);
  d.eligible = std::max(d.eligible, at);
  d.reads.remove_if([&](JobIndex index, QueuedJob& reader) {
    const wl_flash_job& job = reader.job;
    for (std::uint32_t s = job.sector; s < job.sector + std::uint32_t{job.count}; ++s) {
      if (!d.reads.has_failed(s)) continue;
      deliver(job, s, {});
    }
    reader.done = std::max(reader.done, at);
    finish_read(die, index, WL_FLASH_UNCORRECTABLE, d.retry.taken, result.status);
    return true;
  });
  d.reads.for_each_left([&](std::uint32_t s) { d.retry.sectors[s].wanted = DieRetry::kAll; });
  d.reads.give_up();
  d.retry.taken = 0;
  d.retry.crc_corrupted = d.retry.injected = false;
  d.step = Step::kIdle;
}

}  // namespace wordline::flash
