// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/firmware_retry.h"

#include <fmt/core.h>

#include <algorithm>

#include "tlm/device/flash/channel/job_check.h"

namespace wordline::flash {

Next FirmwareRetry::begin_read(Picoseconds at) {
  if (group_.any().control != 0) return start_attempt(at);
  if (references_left_) {
    references_left_ = false;
    if (restore_references()) return {Step::kReferences};
  }
  return {Step::kReadCommand};
}

/// Whether the attempt reads only what the slots of the job lack.
bool FirmwareRetry::reads_the_rest(const wl_flash_job& job) const {
  if ((job.control & WL_RETRY_REST) == 0) return false;
  for (std::uint32_t s = job.lpage; s < job.lpage + std::uint32_t{job.count}; ++s) {
    if (lacks(job, s) != 0) return true;
  }
  SC_REPORT_ERROR("wordline/flash", fmt::format("{}: flash job {}: an attempt to read what its slots lack, and they "
                                                "lack nothing: all is read",
                                                owner_, job.id)
                                        .c_str());
  return false;
}

Next FirmwareRetry::start_attempt(Picoseconds at) {
  const wl_flash_job job = group_.any();
  if (reads_the_rest(job)) {
    for (std::uint32_t s = job.lpage; s < job.lpage + std::uint32_t{job.count}; ++s) {
      if (const unsigned missing = lacks(job, s); missing != 0) {
        decoder_.want(s, missing);
      } else {
        group_.delivered(s);
      }
    }
  }
  references_left_ = false;
  retries_ = taken_of(job);
  if (retries_ != 0 && level_of(job) == 0) registers_.count_retries(layer_of(job.page), 1);
  decoder_.begin_retry((job.control & WL_RETRY_CRC) != 0);
  decoder_.forget_injection();
  ecc::RetryRequest request = request_for(job);
  request.codewords = decoder_.lacking(group_);
  request.attempt = {static_cast<std::uint8_t>(step_of(job)), static_cast<std::uint8_t>(level_of(job)),
                     static_cast<std::uint8_t>(taken_of(job)), (job.control & WL_RETRY_LAST) != 0};
  return start(request, at);
}

/// The first reading of these jobs left codewords without data.
Next FirmwareRetry::first_read_failed() {
  const ecc::RetrySettings& settings = registers_.settings();
  const bool nothing_follows = settings.max_soft == 0 && (settings.max_retries == 0 || settings.last_step == 0);
  if (nothing_follows) {
    group_.for_each_left(
        [&](std::uint32_t) { registers_.counters().uncorrectable_lpages += context_.rules.counted_lpages(); });
  }
  decoder_.hand_back(group_, std::max(group_.verdict, context_.bus.now()),
                     decoder_.injected() ? WL_REPORT_INJECTED : 0U);
  return {Step::kIdle};
}

bool FirmwareRetry::failed_in_sequence() {
  first_read_failed();
  return false;
}

Next FirmwareRetry::ended(ecc::RetryResult result, Picoseconds at) {
  const ecc::AttemptReport& report = result.report;
  const std::uint32_t word =
      report.weight | report.weighed << WL_REPORT_WEIGHED_SHIFT | report.tiers << WL_REPORT_TIERS_SHIFT |
      (report.miscorrected ? WL_REPORT_MISCORRECTED : 0U) | (decoder_.injected() ? WL_REPORT_INJECTED : 0U);
  if (!group_.empty()) references_left_ = (group_.any().control & WL_RETRY_LAST) == 0;
  decoder_.hand_back(group_, at, word);
  retries_ = 0;
  return {Step::kIdle, at};
}

}  // namespace wordline::flash
