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

struct Row {
  const char* path;
  const char* unit;
  const char* text;
  std::uint64_t (*value)(const Counters&);
};

constexpr Row kRows[] = {
    {"pages.host_programs", "pages", "Programmed with data of the host.",
     [](const Counters& c) { return c.host_pages; }},
    {"pages.moved_programs", "pages", "Programmed with copies of GC.", [](const Counters& c) { return c.moved_pages; }},
    {"pages.modify_reads", "operations",
     "Read and modify: writes of a part of a page (`ftl.map` = page) or of a logical page that first read the rest "
     "from flash.",
     [](const Counters& c) { return c.modify.reads; }},
    {"pages.modify_sectors", "logical pages", "What these reads brought.",
     [](const Counters& c) { return c.modify.sectors; }},
    {"pages.modify_copies", "operations", "The same where the rest was in the write buffer, on its way to flash.",
     [](const Counters& c) { return c.modify.copies; }},
    {"pages.modify_in_die", "operations",
     "The same where the rest stayed in the die (`ftl.read_modify` = die): no transfer, and no decoder.",
     [](const Counters& c) { return c.modify.in_die; }},
    {"pages.false_sectors", "logical pages",
     "False capacity that writes made: room in `pages.host_programs` that held nothing when it was programmed.",
     [](const Counters& c) { return c.false_sectors; }},
    {"pages.erased_sectors", "logical pages", "Room in the programs of superblocks that were erased since.",
     [](const Counters& c) { return c.erased_sectors; }},
    {"programs.host_leaders", "operations",
     "Programs of the host's data on the first word line of an h-layer; counted where the policy chooses word lines, "
     "else 0.",
     [](const Counters& c) { return c.programs.host_leaders; }},
    {"programs.host_followers", "operations", "The same on the other word lines.",
     [](const Counters& c) { return c.programs.host_followers; }},
    {"programs.moved_leaders", "operations", "Programs of data that GC moves on the first word line of an h-layer.",
     [](const Counters& c) { return c.programs.moved_leaders; }},
    {"programs.moved_followers", "operations", "The same on the other word lines.",
     [](const Counters& c) { return c.programs.moved_followers; }},
    {"programs.with_parameters", "operations", "Programs with parameters that the policy chose, not the device's own.",
     [](const Counters& c) { return c.programs.with_parameters; }},
    {"programs.repeated_sectors", "logical pages",
     "Room in programs that succeeded and that the policy did not accept: their data were programmed again.",
     [](const Counters& c) { return c.programs.repeated_sectors; }},
};

/// Where there are two page sizes, of the smaller one.
constexpr Row kSmallRows[] = {
    {"small_pages.host_programs", "pages", "Programmed with data of the host, part of `pages.host_programs`.",
     [](const Counters& c) { return c.small.host_pages; }},
    {"small_pages.valid_sectors", "logical pages", "Valid data in small pages at the end.",
     [](const Counters& c) { return c.small.mapped_sectors; }},
    {"small_pages.superblock_erases", "operations", "Superblocks of small pages erased, in all their dies.",
     [](const Counters& c) { return c.small.superblock_erases; }},
    {"small_pages.erased_sectors", "logical pages", "Room in the programs of these, part of `pages.erased_sectors`.",
     [](const Counters& c) { return c.small.erased_sectors; }},
    {"small_pages.victims", "superblocks", "Taken up by GC, whose data go to large pages.",
     [](const Counters& c) { return c.small.victims; }},
    {"small_pages.returned", "superblocks",
     "Left by GC with data that the host was writing, or whose large page was in the write buffer.",
     [](const Counters& c) { return c.small.returned; }},
    {"small_pages.merged_programs", "pages", "Large pages that GC made of small ones.",
     [](const Counters& c) { return c.small.merged_pages; }},
    {"small_pages.merged_sectors", "logical pages", "Copies in these of what lay in small pages.",
     [](const Counters& c) { return c.small.merged_sectors; }},
    {"small_pages.joined_sectors", "logical pages", "Copies in these of what lay in the large pages before.",
     [](const Counters& c) { return c.small.joined_sectors; }},
};

wl_boot_info boot_info(const SsdTop& ssd) {
  wl_boot_info boot;
  std::memcpy(&boot, ssd.tcm.data(), sizeof(boot));
  return boot;
}

/// Superblocks that hold the fill, the last one up to its end.
std::uint64_t filled_sectors(const wl_boot_info& boot) {
  const std::uint64_t superblock = std::uint64_t{boot.dies} * boot.pages * boot.planes * boot.sectors_per_page;
  return boot.preconditioned == 0 ? 0 : (boot.user_sectors + superblock - 1) / superblock * superblock;
}

}  // namespace

void register_pages(results::Registry& registry, const SsdTop& ssd) {
  for (const Row& row : kRows) {
    registry.add(row.path, row.unit, row.text, [&ssd, value = row.value] { return value(ssd.firmware_statistics()); });
  }
  for (const Row& row : kSmallRows) {
    registry.add(row.path, row.unit, row.text, [&ssd, value = row.value] { return value(ssd.firmware_statistics()); })
        .only_if_nonzero();
  }
  registry
      .add("pages.modify_ratio", "share",
           "Read-and-modify ratio: page writes of the host that read the rest first, over all of them "
           "(R_RnM = P_RnM / P_w).",
           [&ssd]() -> results::Value {
             const Counters c = ssd.firmware_statistics();
             if (c.page_writes == 0) return {};
             return static_cast<double>(c.modify.reads + c.modify.in_die) / static_cast<double>(c.page_writes);
           })
      .null_when("no page was written, or `ftl.map` = sector");
  registry
      .add("pages.unusable_sectors", "logical pages",
           "False capacity at the end (FC = S_uns): room in programs of this run that are not erased, and in the "
           "fill, that holds no valid data: never written, deallocated or stale.",
           [&ssd]() -> results::Value {
             const wl_boot_info boot = boot_info(ssd);
             if (boot.ftl.map_page == 0) return {};
             const Counters c = ssd.firmware_statistics();
             const std::uint64_t ended = c.sectors_programmed + c.failed_sectors + c.programs.repeated_sectors;
             const std::uint64_t written = filled_sectors(boot) + ended;
             return written - c.erased_sectors - c.mapped_sectors;
           })
      .null_when("`ftl.map` = sector");
}

}  // namespace wordline::platform
