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

using FirmwareCounters = struct wl_firmware_statistics;

struct Row {
  const char* path;
  const char* unit;
  const char* text;
  std::uint64_t (*value)(const FirmwareCounters&);
};
constexpr Row kRows[] = {
    {"blocks.marked_bad", "blocks",
     "Of single planes, bad from the factory, as the first boot has read their marks; 0 where an earlier boot has done "
     "it (precondition.fill), or without ftl.spare_blocks.",
     [](const FirmwareCounters& c) { return std::uint64_t{c.blocks.marked_blocks}; }},
    {"blocks.grown_bad", "blocks",
     "Of single planes, replaced by a spare, or to be, because a program or an erase has failed in the run; where the "
     "planes of a die must address the same block, with their neighbours in the other planes.",
     [](const FirmwareCounters& c) { return std::uint64_t{c.blocks.failed_blocks}; }},
    {"blocks.spares_used", "blocks",
     "Spare blocks of single planes that stand in for bad blocks at the end of the run.",
     [](const FirmwareCounters& c) { return std::uint64_t{c.blocks.spares_in_use}; }},
    {"blocks.retired_superblocks", "superblocks", "Given up in the run: a block of theirs was bad, and had no spare.",
     [](const FirmwareCounters& c) { return std::uint64_t{c.blocks.retired_superblocks}; }},
    {"blocks.superblock_erases", "erases",
     "Superblocks erased, all their dies; those that made the state of precondition.fill or precondition.file, too.",
     [](const FirmwareCounters& c) { return c.blocks.superblock_erases; }},
    {"blocks.erases_min", "erases", "Of the superblock erased least, retired ones left out.",
     [](const FirmwareCounters& c) { return std::uint64_t{c.blocks.erases_least}; }},
};

struct wl_boot_info boot_info(const SsdTop& ssd) {
  struct wl_boot_info boot;
  std::memcpy(&boot, ssd.tcm.data(), sizeof(boot));
  return boot;
}

std::vector<std::uint64_t> erases_by_block(const SsdTop& ssd) {
  const struct wl_boot_info boot = boot_info(ssd);
  std::vector<std::uint64_t> most(boot.blocks + boot.replacement.spares);
  for (std::uint32_t die = 0; die < boot.dies; ++die) {
    ssd.flash.die(DieId(static_cast<std::uint16_t>(die))).raise_to_erases(most);
  }
  return most;
}

}  // namespace

void register_blocks(results::Registry& registry, const SsdTop& ssd) {
  for (const Row& row : kRows) {
    registry.add(row.path, row.unit, row.text, [&ssd, value = row.value] { return value(ssd.firmware_statistics()); });
  }
  registry.add("blocks.erases_mean", "erases", "By superblock, over all.", [&ssd] {
    return static_cast<double>(ssd.firmware_statistics().blocks.superblock_erases) / boot_info(ssd).blocks;
  });
  registry.add("blocks.erases_max", "erases", "Of the superblock erased most.",
               [&ssd] { return std::uint64_t{ssd.firmware_statistics().blocks.erases_most}; });
  registry.add("blocks.erases_by_block", "erases",
               "By number of the block in its plane, spares last: erases that the flash counted, of the plane and die "
               "where it was erased most; those that made the state of precondition.fill or precondition.file, too.",
               [&ssd] { return erases_by_block(ssd); });
}

}  // namespace wordline::platform
