// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/flash/channel/job_check.h"

#include <fmt/core.h>

#include "models/ecc/retry/read_retry.h"

namespace wordline::flash {
namespace {

std::string beyond(const char* what, std::uint32_t value, std::uint32_t count) {
  return fmt::format("{} {} of {}", what, value, count);
}

}  // namespace

JobCheck::JobCheck(const config::Config& config, const config::Layout& layout, ChannelId channel)
    : channel_(channel.value()),
      channels_(config.channels.count),
      dies_(config.channels.packages * config.channels.dies_per_package),
      blocks_(layout.superblocks),
      all_blocks_(config.nand.geometry.blocks_per_plane),
      pages_(layout.pages_per_block),
      pages_per_program_(layout.pages_per_program),
      sectors_(config.nand.geometry.planes * layout.sectors_per_page),
      retry_by_firmware_(!config.engines.on(engines::EngineId::kRetry)) {}

std::string JobCheck::fault(const wl_flash_job& job) const {
  if (job.die % channels_ != channel_ || job.die / channels_ >= dies_) {
    return fmt::format("die {} is not on channel {}", job.die, channel_);
  }
  const std::uint32_t blocks = job.op == WL_FLASH_MARKS ? all_blocks_ : blocks_;
  if (job.block >= blocks) return beyond("block", job.block, blocks);
  switch (job.op) {
    case WL_FLASH_READ:
      return read_fault(job);
    case WL_FLASH_PROGRAM:
      return program_fault(job);
    case WL_FLASH_ERASE:
    case WL_FLASH_MARKS:
      return job.control == 0 ? std::string() : fmt::format("control {:#x} of an erase or of a read of marks, expected 0", job.control);
    default:
      return fmt::format("unknown operation {}", job.op);
  }
}

std::string JobCheck::read_fault(const wl_flash_job& job) const {
  if (job.page >= pages_) return beyond("page", job.page, pages_);
  if (job.count == 0 || job.sector + job.count > sectors_) {
    return fmt::format("sectors {}+{} of {}", job.sector, job.count, sectors_);
  }
  if (job.control == 0) return {};
  if (!retry_by_firmware_) return "an attempt of a read retry, which the channel leads itself";
  if (level_of(job) > ecc::kSoftLevels) return beyond("soft level", level_of(job), ecc::kSoftLevels + 1);
  return {};
}

std::string JobCheck::program_fault(const wl_flash_job& job) const {
  if (job.page >= pages_ || job.page % pages_per_program_ != 0) {
    return fmt::format("program at page {} of {}, units of {}", job.page, pages_, pages_per_program_);
  }
  if (job.count != sectors_ * pages_per_program_) {
    return fmt::format("program of {} sectors, a unit has {}", job.count, sectors_ * pages_per_program_);
  }
  return {};
}

}  // namespace wordline::flash
