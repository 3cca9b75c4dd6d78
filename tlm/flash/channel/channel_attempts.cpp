// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Read retry led by firmware: a first reading that failed is handed back, and attempts are carried out one by one.
#include <algorithm>
#include <bitset>

#include "tlm/flash/channel/channel_controller.h"

namespace wordline::flash {

/// A read has just been taken from the queue.
void ChannelController::start_firmware_read(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  if (d.reads.any().retry != 0) {
    start_attempt(die, at);
  } else if (d.retry.left) {
    const nand::ReadParameters back = references(ecc::FlashCommand{ecc::FlashOp::kRestore, 0, {}, 0, 0, {}});
    d.retry.writes = onfi::feature_writes(d.retry.set, back);
    std::reverse(d.retry.writes.begin(), d.retry.writes.end());
    d.retry.set = back;
    d.retry.left = false;
    if (!d.retry.writes.empty()) d.step = Step::kReferences;
  }
}

void ChannelController::start_attempt(std::uint32_t die, Picoseconds at) {
  Die& d = dies_[die];
  const wl_flash_job job = d.reads.any();
  const auto lacks = [&](std::uint32_t s) {
    const std::uint32_t slot = job.slot + s - job.sector;
    return slot < lacking_.size() ? lacking_[slot] : 0U;
  };
  bool rest = false;
  for (std::uint32_t s = job.sector; s < job.sector + std::uint32_t{job.count}; ++s) rest |= lacks(s) != 0;
  if (!rest && (job.retry & WL_RETRY_REST) != 0) {
    SC_REPORT_ERROR("wordline/flash", (std::string(name()) + ": flash job " + std::to_string(job.id) +
                                       ": an attempt to read what its slots lack, and they lack nothing: all is read").c_str());
  }
  rest = rest && (job.retry & WL_RETRY_REST) != 0;
  ecc::RetryRequest request;
  for (std::uint32_t s = job.sector; s < job.sector + std::uint32_t{job.count}; ++s) {
    if (rest && lacks(s) == 0) {
      d.reads.delivered(s);
      continue;
    }
    if (rest) d.retry.sectors[s].wanted = lacks(s);
    for (unsigned c = 0; c < ecc::kCodewordsPerSector; ++c) {
      if ((d.retry.sectors[s].wanted >> c & 1U) != 0) request.codewords.set(s * ecc::kCodewordsPerSector + c);
    }
  }
  d.retry.left = false;
  d.retry.taken = taken_of(job);
  d.retry.crc_corrupted = (job.retry & WL_RETRY_CRC) != 0;
  d.retry.injected = false;
  request.tag = job.id;
  request.die = job.die;
  request.address = job.block * pages_ + job.page;
  request.attempt = {static_cast<std::uint8_t>(step_of(job)), static_cast<std::uint8_t>(level_of(job)),
                     static_cast<std::uint8_t>(taken_of(job)), (job.retry & WL_RETRY_LAST) != 0};
  d.retry.machine->start(request, at);
  run_retry(die, at);
}

/// Sectors of a job that failed: their slots lack what they lack. Returns how many codewords that is.
unsigned ChannelController::give_back(std::uint32_t die, const wl_flash_job& job) {
  Die& d = dies_[die];
  std::size_t lacking = 0;
  for (std::uint32_t s = job.sector; s < job.sector + std::uint32_t{job.count}; ++s) {
    if (!d.reads.has_failed(s)) continue;
    deliver(job, s, {}, d.retry.sectors[s].wanted);
    lacking += std::bitset<ecc::kCodewordsPerSector>(d.retry.sectors[s].wanted).count();
  }
  return static_cast<unsigned>(lacking);
}

/// The first reading of these jobs left codewords without data.
void ChannelController::hand_back(std::uint32_t die) {
  Die& d = dies_[die];
  const ecc::RetrySettings& settings = shared_.ecc_registers.settings();
  const bool nothing_follows = settings.max_soft == 0 && (settings.max_retries == 0 || settings.last_step == 0);
  const Picoseconds known = std::max(d.reads.verdict, tlm_if::now());
  d.reads.remove_if([&](JobIndex index, QueuedJob& reader) {
    const unsigned lacking = give_back(die, reader.job);
    reader.done = std::max(reader.done, known);
    finish_read(die, index, WL_FLASH_ATTEMPT_FAIL, lacking, d.retry.injected ? WL_REPORT_INJECTED : 0U);
    return true;
  });
  d.reads.for_each_left([&](std::uint32_t s) {
    if (nothing_follows) ++shared_.ecc_registers.counters().uncorrectable_sectors;
    d.retry.sectors[s].wanted = DieRetry::kAll;
  });
  d.reads.give_up();
  d.retry.crc_corrupted = d.retry.injected = false;
}

void ChannelController::end_attempt(std::uint32_t die, const ecc::RetryResult& result, Picoseconds at) {
  Die& d = dies_[die];
  const ecc::AttemptReport& report = result.report;
  const std::uint32_t word = report.weight | report.weighed << WL_REPORT_WEIGHED_SHIFT |
                             report.tiers << WL_REPORT_TIERS_SHIFT |
                             (report.miscorrected ? WL_REPORT_MISCORRECTED : 0U) |
                             (d.retry.injected ? WL_REPORT_INJECTED : 0U);
  d.eligible = std::max(d.eligible, at);
  d.reads.remove_if([&](JobIndex index, QueuedJob& reader) {
    d.retry.left = (reader.job.retry & WL_RETRY_LAST) == 0;
    const unsigned lacking = give_back(die, reader.job);
    reader.done = std::max(reader.done, at);
    finish_read(die, index, WL_FLASH_ATTEMPT_FAIL, lacking, word);
    return true;
  });
  d.reads.for_each_left([&](std::uint32_t s) { d.retry.sectors[s].wanted = DieRetry::kAll; });
  d.reads.give_up();
  d.retry.taken = 0;
  d.retry.crc_corrupted = d.retry.injected = false;
  d.step = Step::kIdle;
}

}  // namespace wordline::flash
