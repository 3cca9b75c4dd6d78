// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/config/config.h"
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
  [[nodiscard]] std::string read_fault(const wl_flash_job& job) const;
  [[nodiscard]] std::string program_fault(const wl_flash_job& job) const;

  const std::uint32_t channel_, channels_, dies_, blocks_, all_blocks_, pages_, pages_per_program_;
  const std::uint32_t sectors_;  // of a page in all planes
  const bool retry_by_firmware_;
};

/// Fields of an attempt that firmware asks for, in wl_flash_job::control.
[[nodiscard]] constexpr unsigned step_of(const wl_flash_job& job) { return job.control >> WL_RETRY_STEP_SHIFT & 0xfU; }
[[nodiscard]] constexpr unsigned level_of(const wl_flash_job& job) { return job.control >> WL_RETRY_LEVEL_SHIFT & 0x3U; }
[[nodiscard]] constexpr unsigned taken_of(const wl_flash_job& job) { return job.control >> WL_RETRY_TAKEN_SHIFT & 0x1fU; }

}  // namespace wordline::flash
