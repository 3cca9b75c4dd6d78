// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/device/flash/channel/retry_conductor.h"

namespace wordline::flash {

/// Retry controlled by the die's read-retry controller: a first read that failed is retried until all is decoded or
/// given up, without the firmware. A job starts where it says (wl_flash_job::control), else from the default
/// references, or from the table of optimal references when that is set up so. A job that is given up carries the
/// history of its retries in its completion.
class HardwareRetry final : public RetryConductor {
 public:
  HardwareRetry(const SequenceContext& context, const Parts& parts, std::unique_ptr<ecc::RetryIf> machine)
      : RetryConductor(context, parts, std::move(machine)) {}

  Next begin_read(Picoseconds at) override;
  Next first_read_failed() override;
  bool failed_in_sequence() override;
  /// The entries of a block are forgotten when it is about to be erased; those of a die speak of its other blocks, too.
  void erases(const wl_flash_job& job) override;

 private:
  void step_taken() override { ++retries_; }
  Next ended(ecc::RetryResult result, Picoseconds at) override;
  Next begin(bool sensed, Picoseconds at);
  [[nodiscard]] bool starts_from_ort() const;
  /// The group of the table of optimal references.
  [[nodiscard]] std::uint32_t group_of(const wl_flash_job& job) const {
    return registers_.ort_by_block() ? job.die * context_.rules.blocks + job.block : job.die;
  }

  std::uint16_t layer_ = 0;  // layer of the read under way
};

}  // namespace wordline::flash
