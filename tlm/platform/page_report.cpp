// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/page_report.h"

#include <cstdint>
#include <cstring>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/firmware.h"

namespace wordline::platform {
namespace {

using Counters = struct wl_firmware_statistics;

wl_boot_info boot_info(const device::Drive& drive) {
  wl_boot_info boot;
  std::memcpy(&boot, drive.tcm.data(), sizeof(boot));
  return boot;
}

/// Superblocks that hold the fill, the last one up to its end.
std::uint64_t filled_lpages(const wl_boot_info& boot) {
  const std::uint64_t superblock = std::uint64_t{boot.dies} * boot.pages * boot.planes * boot.lpages_per_page;
  return boot.preconditioned == 0 ? 0 : (wl_boot_stored_lpages(&boot) + superblock - 1) / superblock * superblock;
}

}  // namespace

void register_pages(results::Registry& registry, const device::Drive& drive) {
  registry
      .add("pages.modify_ratio", "share",
           "Read-and-modify ratio: page writes of the host that read the rest first, over all of them "
           "(R_RnM = P_RnM / P_w).",
           [&drive]() -> results::Value {
             const Counters c = drive.firmware_statistics();
             if (c.page_writes == 0) return {};
             return static_cast<double>(c.modify.reads + c.modify.in_die) / static_cast<double>(c.page_writes);
           })
      .null_when("no page was written, or `ftl.map` = logical page");
  registry
      .add("pages.unusable_sectors", "logical pages",
           "False capacity at the end (FC = S_uns): room in programs of this run that are not erased, and in the "
           "fill, that holds no valid data: never written, deallocated or stale.",
           [&drive]() -> results::Value {
             const wl_boot_info boot = boot_info(drive);
             if (boot.ftl.map_page == 0) return {};
             const Counters c = drive.firmware_statistics();
             const std::uint64_t ended = c.lpages_programmed + c.failed_lpages + c.programs.repeated_lpages;
             const std::uint64_t written = filled_lpages(boot) + ended;
             return written - c.erased_lpages - c.mapped_lpages;
           })
      .null_when("`ftl.map` = logical page");
}

}  // namespace wordline::platform
