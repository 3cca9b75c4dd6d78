// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/block_report.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/firmware/firmware.h"

namespace wordline::platform {
namespace {

struct wl_boot_info boot_info(const device::Drive& drive) {
  struct wl_boot_info boot;
  std::memcpy(&boot, drive.tcm.data(), sizeof(boot));
  return boot;
}

std::vector<std::uint64_t> erases_by_block(const device::Drive& drive) {
  const struct wl_boot_info boot = boot_info(drive);
  std::vector<std::uint64_t> most(boot.blocks + boot.replacement.spares);
  for (std::uint32_t die = 0; die < boot.dies; ++die) {
    const nand::Die& array = drive.flash.die(DieId(static_cast<std::uint16_t>(die)));
    for (std::uint32_t block = 0; block < most.size(); ++block) {
      for (std::uint8_t plane = 0; plane < boot.planes; ++plane)
        most[block] = std::max<std::uint64_t>(most[block], array.erase_count(PlaneId(plane), BlockId(block)));
    }
  }
  return most;
}

}  // namespace

void register_blocks(results::Registry& registry, const device::Drive& drive) {
  registry
      .add("blocks.erases_mean", "erases", "By superblock, over all.",
           [&drive] {
             return static_cast<double>(drive.firmware_statistics().blocks.superblock_erases) / boot_info(drive).blocks;
           })
      .after("blocks.erases_min");
  registry.add("blocks.erases_by_block", "erases",
               "By number of the block in its plane, spares last: erases that the flash counted, of the plane and die "
               "where it was erased most; those that made the state of precondition.fill or precondition.file, too.",
               [&drive] { return erases_by_block(drive); });
}

}  // namespace wordline::platform
