// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/device/flash/channel/retry_conductor.h"

namespace wordline::flash {

/// Retry controlled by firmware (engines.retry off): a first read ends its job with what it has, and the die is free at
/// the end of the data. What the slots lack is remembered; a job with wl_flash_job::control sets its references, reads
/// and decodes that (models/ecc/retry/retry_attempt.h carries it out), and is done. It shares its sense with no other
/// job and is no part of a READ CACHE sequence.
class FirmwareRetry final : public RetryConductor {
 public:
  /// `owner` names the channel in reports.
  FirmwareRetry(std::string owner, const SequenceContext& context, const Parts& parts,
                std::unique_ptr<ecc::RetryIf> machine)
      : RetryConductor(context, parts, std::move(machine)), owner_(std::move(owner)) {}

  Next begin_read(Picoseconds at) override;
  Next first_read_failed() override;
  bool failed_in_sequence() override;

 private:
  void step_taken() override {}  // the job says how many were taken
  Next ended(ecc::RetryResult result, Picoseconds at) override;
  Next start_attempt(Picoseconds at);
  [[nodiscard]] bool reads_the_rest(const wl_flash_job& job) const;
  [[nodiscard]] unsigned lacks(const wl_flash_job& job, std::uint32_t lpage) const {
    return context_.slots.lacks(job, job.slot + lpage - job.lpage);
  }

  const std::string owner_;
  bool references_left_ =
      false;  // references left by an attempt that failed: to be set back before a read that is none
};

}  // namespace wordline::flash
