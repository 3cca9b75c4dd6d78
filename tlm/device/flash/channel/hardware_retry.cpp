// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/hardware_retry.h"

#include <algorithm>

#include "tlm/device/flash/channel/job_check.h"

namespace wordline::flash {

Next HardwareRetry::begin_read(Picoseconds at) {
  const wl_flash_job& job = group_.any();
  const bool starts = job.control != 0 ? step_of(job) != 0 || level_of(job) != 0 : starts_from_ort();
  if (starts) return begin(false, at);
  return {Step::kReadCommand};
}

Next HardwareRetry::first_read_failed() { return begin(true, std::max(group_.verdict, context_.bus.now())); }

bool HardwareRetry::failed_in_sequence() {
  decoder_.want_all(group_);
  return true;
}

/// `sensed`: the page was read at step 0 and codewords failed; else a first read that is to start from the ORT.
Next HardwareRetry::begin(bool sensed, Picoseconds at) {
  const wl_flash_job& job = group_.any();
  ecc::RetryRequest request = request_for(job);
  request.group = group_of(job);
  request.layer = layer_ = layer_of(job.page);
  request.sensed = sensed;
  if (!sensed && job.control != 0) {
    request.started = true;
    request.attempt.step = static_cast<std::uint8_t>(step_of(job));
    request.attempt.level = static_cast<std::uint8_t>(level_of(job));
  }
  request.codewords = decoder_.lacking(group_);
  decoder_.begin_retry(false);
  return start(request, at);
}

/// Whether the next read is to begin with the references of the table of optimal references.
bool HardwareRetry::starts_from_ort() const {
  const ecc::RetrySettings& settings = registers_.settings();
  if (!settings.ort_enable || !settings.ort_first) return false;
  const ecc::OptimalReferences::Entry& entry = registers_.ort().at(group_of(group_.any()), layer_of(group_.any().page));
  return entry.valid && (entry.step != 0 || (settings.ort_levels && entry.level != 0));
}

void HardwareRetry::erases(const wl_flash_job& job) {
  if (registers_.ort_by_block()) registers_.ort().clear(group_of(job));
}

Next HardwareRetry::ended(ecc::RetryResult result, Picoseconds at) {
  if (decoder_.injected()) result.status |= ecc::retry_status::kInjected;
  registers_.ended(result);
  registers_.count_retries(layer_, result.status >> ecc::retry_status::kRetriesShift & ecc::retry_status::kRetriesMost);
  decoder_.give_up(group_, at, retries_, result.status);
  retries_ = 0;
  return {Step::kIdle, at};
}

}  // namespace wordline::flash
