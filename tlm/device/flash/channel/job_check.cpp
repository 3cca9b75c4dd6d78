// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/job_check.h"

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
      planes_(config.nand.geometry.planes),
      blocks_(layout.superblocks),
      all_blocks_(config.nand.blocks_per_plane()),
      pages_per_program_(layout.pages_per_program),
      kinds_(config.nand, layout),
      one_page_(config.nand.geometry.planes == 1 && layout.pages_per_program == 1),
      retry_by_firmware_(!config.engines.on(engines::EngineId::kRetry)),
      slc_mode_(config.ftl.has_slc_cache()),
      retry_in_gates_(!retry_by_firmware_ && config.ecc.model == config::EccModel::kRtl) {}

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
      return job.control == 0 ? std::string()
                              : fmt::format("control {:#x} of an erase or of a read of marks, expected 0", job.control);
    default:
      return fmt::format("unknown operation {}", job.op);
  }
}

/// Logical pages of small pages leave gaps between the planes, which no read runs across.
std::string JobCheck::lpages_fault(const wl_flash_job& job) const {
  if (job.count == 0 || job.lpage + job.count > lpages()) {
    return fmt::format("logical pages {}+{} of {}", job.lpage, job.count, lpages());
  }
  const std::uint32_t per_page = kinds_.of(job.block).lpages_per_page;
  const std::uint32_t in_page = job.lpage % kinds_.large().lpages_per_page;
  if (!kinds_.is_small(job.block) || in_page + job.count <= per_page) return {};
  return fmt::format("logical pages {}+{} of a page of {}, plane {}, of block {}", in_page, job.count, per_page,
                     job.lpage / kinds_.large().lpages_per_page, job.block);
}

std::string JobCheck::read_fault(const wl_flash_job& job) const {
  const std::uint32_t pages = kinds_.of(job.block).pages;
  if (job.page >= pages) return beyond("page", job.page, pages);
  if (std::string wrong = lpages_fault(job); !wrong.empty()) return wrong;
  if (job.control == 0) return {};
  constexpr std::uint32_t kStart = WL_RETRY_SET | 0xfU << WL_RETRY_STEP_SHIFT | 0x7U << WL_RETRY_SENSES_SHIFT;
  constexpr std::uint32_t kAttempt =
      kStart | 0x1fU << WL_RETRY_TAKEN_SHIFT | WL_RETRY_REST | WL_RETRY_LAST | WL_RETRY_CRC;
  if ((job.control & WL_RETRY_SET) == 0 || (job.control & ~kAttempt) != 0) {
    return fmt::format("control {:#x} of a read, expected WL_RETRY_SET and bits of {:#x}", job.control, kAttempt);
  }
  if (!retry_by_firmware_ && (job.control & ~kStart) != 0) {
    return "an attempt of a read retry, which the channel controls itself";
  }
  if (level_of(job) > ecc::kAllSoftLevels) {
    return fmt::format("{} senses of each reference, expected 1, 2, 3, 5 or 7", senses_of(job));
  }
  if (retry_in_gates_ && level_of(job) != 0) {
    return fmt::format(
        "a read that begins with {} senses, and the read-retry controller in gates begins with one: "
        "ecc.model = calibrated, or engines.retry = off",
        senses_of(job));
  }
  return {};
}

std::string JobCheck::program_fault(const wl_flash_job& job) const {
  const config::BlockKind& kind = kinds_.of(job.block);
  if (job.page >= kind.pages || job.page % pages_per_program_ != 0) {
    return fmt::format("program at page {} of {}, program units of {}", job.page, kind.pages, pages_per_program_);
  }
  if (modifies(job)) return modify_fault(job);
  if (in_slc_mode(job)) return slc_fault(job);
  const std::uint32_t unit = planes_ * kind.lpages_per_page * pages_per_program_;
  if (job.count != unit) return fmt::format("program of {} logical pages, a program unit has {}", job.count, unit);
  return {};
}

std::string JobCheck::slc_fault(const wl_flash_job& job) const {
  const std::uint32_t page = planes_ * kinds_.large().lpages_per_page;
  if (!slc_mode_) return "WL_PROGRAM_SLC, expected ftl.slc_cache other than off";
  if ((job.control & ~WL_PROGRAM_SLC) != 0)
    return fmt::format("control {:#x} of a program in SLC mode, expected WL_PROGRAM_SLC alone", job.control);
  if (job.count == page) return {};
  return fmt::format("program of {} logical pages in SLC mode, a page of all planes has {}", job.count, page);
}

std::string JobCheck::modify_fault(const wl_flash_job& job) const {
  if (!one_page_) {
    return "WL_PROGRAM_MODIFY, expected nand.planes = 1 and nand.program = page: a page is copied to its own plane, "
           "and "
           "by itself";
  }
  const std::uint32_t pages = kinds_.large().pages;  // as pages of a die are numbered
  const std::uint32_t block = job.source / pages;
  if (block >= blocks_) return beyond("source of WL_PROGRAM_MODIFY: block", block, blocks_);
  if (job.source == job.block * pages + job.page) {
    return fmt::format("WL_PROGRAM_MODIFY of page {} of block {}, which is its own source", job.page, job.block);
  }
  const config::BlockKind& kind = kinds_.of(job.block);
  if (kinds_.is_small(block) != kinds_.is_small(job.block) || job.source % pages >= kind.pages) {
    return fmt::format("WL_PROGRAM_MODIFY of page {} of block {}, which is no page of the size of block {}",
                       job.source % pages, block, job.block);
  }
  if (job.count == 0 || job.count >= kind.lpages_per_page || job.lpage + job.count > kind.lpages_per_page) {
    return fmt::format("WL_PROGRAM_MODIFY of logical pages {}+{}, expected some of {} but not all", job.lpage,
                       job.count, kind.lpages_per_page);
  }
  return {};
}

}  // namespace wordline::flash
