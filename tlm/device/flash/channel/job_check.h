// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/config/config.h"
#include "models/ecc/retry/retry_settings.h"
#include "models/firmware/contract/contract.h"
#include "models/units/index.h"

namespace wordline::flash {

/// What the jobs of a channel may ask for. Whether a page is programmed, or a block worn out, is found by the die.
class JobCheck {
 public:
  JobCheck(const config::Config& config, const config::Layout& layout, ChannelId channel);

  /// What is wrong with the job; empty: nothing.
  [[nodiscard]] std::string fault(const wl_flash_job& job) const;
  /// Index within the channel.
  [[nodiscard]] std::uint32_t die_of(const wl_flash_job& job) const { return job.die / channels_; }

 private:
  /// In all planes, as logical pages of jobs count.
  [[nodiscard]] std::uint32_t lpages() const { return planes_ * kinds_.large().lpages_per_page; }
  [[nodiscard]] std::string lpages_fault(const wl_flash_job& job) const;
  [[nodiscard]] std::string read_fault(const wl_flash_job& job) const;
  [[nodiscard]] std::string program_fault(const wl_flash_job& job) const;
  [[nodiscard]] std::string slc_fault(const wl_flash_job& job) const;
  [[nodiscard]] std::string modify_fault(const wl_flash_job& job) const;

  const std::uint32_t channel_, channels_, dies_, planes_, blocks_, all_blocks_, pages_per_program_;
  const config::BlockKinds kinds_;
  const bool one_page_;  // a program is one page of one plane
  const bool retry_by_firmware_;
  const bool slc_mode_;
  const bool retry_in_gates_;
};

/// A program whose page begins as a copy of another one.
[[nodiscard]] constexpr bool modifies(const wl_flash_job& job) {
  return job.op == WL_FLASH_PROGRAM && (job.control & WL_PROGRAM_MODIFY) != 0;
}

/// A program of the first page of a word line, with one bit a cell.
[[nodiscard]] constexpr bool in_slc_mode(const wl_flash_job& job) {
  return job.op == WL_FLASH_PROGRAM && (job.control & WL_PROGRAM_SLC) != 0;
}

/// Fields of where a read begins, or of an attempt that firmware asks for, in wl_flash_job::control.
[[nodiscard]] constexpr unsigned step_of(const wl_flash_job& job) { return job.control >> WL_RETRY_STEP_SHIFT & 0xfU; }
[[nodiscard]] constexpr unsigned senses_of(const wl_flash_job& job) {
  const unsigned senses = job.control >> WL_RETRY_SENSES_SHIFT & 0x7U;
  return senses == 0 ? 1 : senses;
}
/// Soft level; above ecc::kAllSoftLevels: there is none of so many senses.
[[nodiscard]] constexpr unsigned level_of(const wl_flash_job& job) { return ecc::soft_level_of(senses_of(job)); }
[[nodiscard]] constexpr unsigned taken_of(const wl_flash_job& job) {
  return job.control >> WL_RETRY_TAKEN_SHIFT & 0x1fU;
}

}  // namespace wordline::flash
