// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/page_decoder.h"

#include <algorithm>
#include <bitset>

#include "models/units/keyed_random.h"

namespace wordline::flash {
namespace {

constexpr std::uint64_t kPurposeDecode = 0x6465636f6465;
constexpr std::uint64_t kPurposeSoft = 0x736f6674;

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

/// Calls f(logical page, slot) for every logical page of the job that has failed.
template <class F>
void for_each_failed(const ReadGroup& group, const wl_flash_job& job, F f) {
  for (std::uint32_t s = job.lpage; s < job.lpage + std::uint32_t{job.count}; ++s) {
    if (group.has_failed(s)) f(s, job.slot + s - job.lpage);
  }
}

}  // namespace

PageDecoder::PageDecoder(const SequenceContext& context, const Shared& shared)
    : context_(context),
      shared_(shared),
      all_((1U << context.rules.codewords_per_lpage) - 1U),
      lpages_(context.rules.planes * context.rules.lpages_per_page) {
  for (Lpage& lpage : lpages_) lpage.wanted = all_;
}

void PageDecoder::take(ReadGroup& group, const Reading& reading) {
  const wl_flash_job job = group.any();
  const ReadErrors& errors = context_.bus.errors();
  const Picoseconds start = context_.bus.last().start;  // nothing has used the bus since
  // Logical pages of a run are of one plane.
  const std::uint32_t block = group.block(group.lpage / context_.rules.lpages_per_page).value();
  const std::uint64_t page_key = keyed_hash(shared_.seed, kPurposeDecode, job.die, block, job.page);
  const ecc::IterationLimits iterations = shared_.registers.iterations();
  const auto read_of = [&](std::uint32_t i) {
    const std::uint32_t s = group.lpage + i;
    ecc::LpageRead read;
    read.arrive = context_.bus.arrival(start, i);
    read.stored = context_.bus.page()[i];
    read.key = keyed_hash_on(page_key, s, errors.erases, reading.step);
    read.codewords = lpages_[s].wanted;
    read.iterations = iterations;
    read.errors = errors.lpages[i];
    return read;
  };
  if (!reading.soft && shared_.decoder.works_ahead()) {
    std::vector<ecc::LpageRead> reads;
    for (std::uint32_t i = 0; i < group.run; ++i) reads.push_back(read_of(i));
    shared_.decoder.coming(reads);
  }
  for (std::uint32_t i = 0; i < group.run; ++i) {
    const std::uint32_t s = group.lpage + i;
    Lpage& lpage = lpages_[s];
    const ecc::LpageRead read = read_of(i);
    lpage.stored = read.stored;
    if (lpage.wanted == all_) lpage.corrected = 0;
    const ecc::EccIf::Result result =
        reading.soft ? ecc::EccIf::Result{read.arrive, read.arrive, 0, {}} : shared_.decoder.decode(read);
    if (group.retry < Picoseconds(0)) {
      group.for_each(s, [&](JobIndex, QueuedJob& reader) {
        if (reader.first_data < group.ready) reader.first_data = start;
        reader.last_data = read.arrive;
        reader.decode = std::max(reader.decode, result.begin);
      });
    }
    if (reading.soft) {
      soft_.resize(lpages_.size());
      if (reading.centre) {
        soft_[s].key = read.key;
        soft_[s].centre_errors = read.errors;
      }
      if (reading.last) soft_[s].bins = errors.soft;
      group.failed(s);
      group.verdict = std::max(group.verdict, read.arrive);
      continue;
    }
    conclude(group, s, result, reading);
  }
  deliver(group);
}

void PageDecoder::decode_soft(ReadGroup& group, unsigned level, Picoseconds at) {
  const ecc::SoftLevel& soft = ecc::soft_level(ecc::kSoftReads[level]);
  Reading reading;
  reading.first = false;
  reading.soft = true;
  const auto read_of = [&](std::uint32_t s) {
    const Lpage& lpage = lpages_[s];
    const SoftLpage& seen = soft_[s];
    const ecc::SoftChannel channel = by_region(seen.bins, soft.regions);
    ecc::LpageRead read;
    read.arrive = at;
    read.stored = lpage.stored;
    read.key = seen.key;
    read.codewords = lpage.wanted;
    read.errors = seen.centre_errors;
    read.iterations = shared_.registers.iterations();
    ecc::SoftInput& input = read.soft.emplace();
    input.reads = soft.reads;
    input.llr = shared_.registers.settings().llr[level];
    for (unsigned c = 0; c < context_.rules.codewords_per_lpage; ++c) {
      input.counts[c] =
          ecc::draw_soft_counts(soft, channel, read.errors[c], keyed_hash(seen.key, kPurposeSoft, soft.reads, c));
    }
    return read;
  };
  if (shared_.decoder.works_ahead()) {
    std::vector<ecc::LpageRead> reads;
    group.for_each_left([&](std::uint32_t s) { reads.push_back(read_of(s)); });
    shared_.decoder.coming(reads);
  }
  group.for_each_left([&](std::uint32_t s) { conclude(group, s, shared_.decoder.decode(read_of(s)), reading); });
  deliver(group);
}

/// A logical page has been decoded, as far as it could: deliver() follows when all of it is there.
void PageDecoder::conclude(ReadGroup& group, std::uint32_t s, const ecc::EccIf::Result& result,
                           const Reading& reading) {
  Lpage& lpage = lpages_[s];
  lpage.outcomes = result.codewords;
  const bool injects = shared_.registers.injection().any();
  for (unsigned c = 0; c < context_.rules.codewords_per_lpage; ++c) {
    if ((lpage.wanted >> c & 1U) == 0) continue;
    ecc::CodewordOutcome& outcome = lpage.outcomes[c];
    if (injects || (outcome.decoded && !outcome.crc_ok)) inject(outcome, reading);
    // The retry controller counts the reads that it sees.
    if (reading.first) shared_.registers.count_first_read(outcome);
    if (!outcome.good()) continue;
    lpage.wanted &= ~(1U << c);
    lpage.corrected = std::max<unsigned>(lpage.corrected, outcome.corrected);
  }
  if (lpage.wanted != 0) {
    group.failed(s);
    group.verdict = std::max(group.verdict, result.done);
    return;
  }
  lpage.wanted = all_;
  group.delivered(s);
  if (reading.first) shared_.registers.counters().decoded_lpages += context_.rules.counted_lpages();
  Picoseconds checked = result.done + context_.rules.channels.page_latency;
  if (shared_.engine != nullptr) {
    checked = shared_.engine->pass(checked, group.lanes, s % context_.rules.lpages_per_page);
  }
  checked_.push_back({s, checked});
}

/// What has been checked goes to its slots.
void PageDecoder::deliver(ReadGroup& group) {
  if (checked_.empty()) return;
  transfers_.clear();
  for (const Checked& lpage : checked_) {
    group.for_each(lpage.s, [&](JobIndex, const QueuedJob&) {
      transfers_.push_back({context_.slots.slot_bytes(), lpage.at});
    });
  }
  context_.slots.transfer_each(transfers_);
  const Picoseconds alone = context_.slots.transfer_time(1);
  auto transfer = transfers_.cbegin();
  for (const Checked& lpage : checked_) {
    group.for_each(lpage.s, [&](JobIndex, QueuedJob& reader) {
      context_.slots.take(reader.job, reader.job.slot + lpage.s - reader.job.lpage, lpages_[lpage.s].stored);
      const Picoseconds done = (transfer++)->at;
      if (done <= reader.done) return;
      reader.done = done;
      reader.store = lpage.at + alone;
    });
  }
  checked_.clear();
}

/// What ECC.INJECT makes of the outcome of a decoding. Times are those without.
void PageDecoder::inject(ecc::CodewordOutcome& outcome, const Reading& reading) {
  const ecc::ErrorInjection& injection = shared_.registers.injection();
  const ecc::CodewordOutcome before = outcome;
  if (!outcome.decoded) return;
  if (!reading.soft && outcome.tier == 1 && injection.t1_fail) outcome.tier = 2;
  outcome.decoded = reading.soft ? !injection.t2s_fail
                                 : reading.retries >= injection.steps && !(outcome.tier == 2 && injection.t2h_fail);
  if (outcome.decoded && injection.crc && !crc_corrupted_) {
    outcome.crc_ok = false;
    crc_corrupted_ = true;
  }
  injected_ |= outcome.tier != before.tier || !outcome.good();
}

// ---- the end of jobs ------------------------------------------------------------------------------------------------

void PageDecoder::complete(ReadGroup& group, unsigned retries) {
  group.remove_if([&](JobIndex index, const QueuedJob& reader) {
    if (group.wants(reader.job)) return false;
    unsigned corrected = 0;
    for (std::uint32_t s = reader.job.lpage; s < reader.job.lpage + std::uint32_t{reader.job.count}; ++s) {
      corrected = std::max(corrected, lpages_[s].corrected);
    }
    context_.jobs.finish(index, {reader.done, WL_FLASH_OK, retries, corrected}, group.marks(reader));
    return true;
  });
}

void PageDecoder::give_up(ReadGroup& group, Picoseconds known, unsigned retries, std::uint32_t history) {
  group.remove_if([&](JobIndex index, QueuedJob& reader) {
    for_each_failed(group, reader.job,
                    [&](std::uint32_t, std::uint32_t slot) { context_.slots.lose(reader.job, slot); });
    const Picoseconds at = std::max(reader.done, known);
    context_.jobs.finish(index, {at, WL_FLASH_UNCORRECTABLE, retries, history}, group.marks(reader));
    return true;
  });
  end(group);
}

void PageDecoder::hand_back(ReadGroup& group, Picoseconds known, std::uint32_t report) {
  group.remove_if([&](JobIndex index, QueuedJob& reader) {
    std::size_t lacking = 0;
    for_each_failed(group, reader.job, [&](std::uint32_t s, std::uint32_t slot) {
      context_.slots.lose(reader.job, slot, lpages_[s].wanted);
      lacking += std::bitset<ecc::kMostCodewords>(lpages_[s].wanted).count();
    });
    const Picoseconds at = std::max(reader.done, known);
    context_.jobs.finish(index, {at, WL_FLASH_ATTEMPT_FAIL, static_cast<std::uint32_t>(lacking), report},
                         group.marks(reader));
    return true;
  });
  end(group);
}

/// All jobs of the group have ended.
void PageDecoder::end(ReadGroup& group) {
  want_all(group);
  group.give_up();
  crc_corrupted_ = injected_ = false;
}

void PageDecoder::want_all(const ReadGroup& group) {
  group.for_each_left([&](std::uint32_t s) { lpages_[s].wanted = all_; });
}

ecc::CodewordMask PageDecoder::lacking(const ReadGroup& group) const {
  ecc::CodewordMask mask;
  group.for_each_left([&](std::uint32_t s) {
    for (unsigned c = 0; c < context_.rules.codewords_per_lpage; ++c) {
      if ((lpages_[s].wanted >> c & 1U) != 0) mask.set(s * context_.rules.retry_places() + c);
    }
  });
  return mask;
}

}  // namespace wordline::flash
