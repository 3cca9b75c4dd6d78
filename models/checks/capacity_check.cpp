// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/capacity_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "models/checks/boot_info.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"
#include "models/ecc/code/codeword.h"
#include "models/ecc/retry/read_retry.h"
#include "models/firmware/contract/checkpoint.h"
#include "models/firmware/contract/closing.h"
#include "models/firmware/contract/contract.h"
#include "models/firmware/contract/map_port.h"
#include "models/firmware/firmware.h"
#include "models/nand/initial_blocks.h"

namespace wordline::config {
namespace {

// A codeword carries 2,048 data bytes, with CRC and parity in the spare area.
constexpr std::uint64_t kSpareBytesPerCodeword = ecc::kCodewordBytes - LpageSize::kCodewordUserBytes;
constexpr std::uint64_t kMaxDies = 65535;    // a die number has 16 bits in a flash job
constexpr unsigned kMaxRowBits = 32;         // four row address cycles
constexpr std::uint32_t kLeastBlocks = 8;    // least blocks of a plane, as nand.blocks_per_plane has them
constexpr std::uint32_t kFirmwareReads = 2;  // slots of the read buffer without which the firmware does not start

std::string count(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

unsigned bits_for(std::uint64_t values) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < values) ++bits;
  return bits;
}

/// Of a drive with placement handles these are the streams.
wl_declared declared_of(const Config& config) {
  wl_declared declared = wl_policy_declares(config.ftl.policy);
  const Placement& fdp = config.ftl.fdp;
  if (fdp.handles == 0 || !wl_policy_takes_handles(config.ftl.policy)) return declared;
  declared.host_streams = fdp.handles;
  if (fdp.isolation == Isolation::kPersistently) declared.move_streams = fdp.handles;
  return declared;
}

class CapacityChecker {
 public:
  CapacityChecker(const Config& config, bool alone) : c_(config), g_(config.nand.geometry), alone_(alone) {}

  std::vector<Conflict> of_geometry() {
    geometry();
    return std::move(found_);
  }
  std::vector<Conflict> of_capacity() {
    capacity();
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string_view> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void geometry() {
    const std::uint64_t spare = g_.page / Bytes(LpageSize::kCodewordUserBytes) * kSpareBytesPerCodeword;
    const std::uint32_t lpage = lpage_size_of(c_).bytes();
    if (g_.page.count() % lpage != 0 && c_.ftl.logical_page != LogicalPageSize::kAuto) {
      add({"ftl.logical_page", "nand.page"},
          fmt::format(
              "ftl.logical_page is {} bytes with nand.page of {}, expected a size that divides the page, or auto",
              lpage, g_.page.count()));
    } else if (g_.page.count() % lpage != 0) {
      add({"nand.page"}, fmt::format("nand.page is {} bytes, expected 2 KiB or a multiple of 4 KiB", g_.page.count()));
    } else if (g_.spare.count() < spare) {
      add({"nand.spare", "nand.page"},
          fmt::format("nand.spare is {} bytes, expected at least {}: {} bytes of CRC and parity per 2 KiB of nand.page",
                      g_.spare.count(), spare, kSpareBytesPerCodeword));
    }
    if (g_.blocks_per_plane < kLeastBlocks) {
      add({"nand.scale_down", "nand.blocks_per_plane"},
          fmt::format("nand.scale_down = {} leaves {} of the blocks of a plane, expected at least {}", g_.scale_down,
                      g_.blocks_per_plane, kLeastBlocks));
    }
    if (c_.ftl.spare_blocks >= g_.blocks_per_plane ||
        (c_.ftl.spare_blocks != 0 && g_.blocks_per_plane - c_.ftl.spare_blocks > WL_SPARE_BLOCKS_MAX)) {
      add({"ftl.spare_blocks", "nand.blocks_per_plane"},
          fmt::format("ftl.spare_blocks = {} leaves {} superblocks of nand.blocks_per_plane = {}, expected 1 to {}: an "
                      "entry of the table of spares names one",
                      c_.ftl.spare_blocks, std::int64_t{g_.blocks_per_plane} - c_.ftl.spare_blocks, g_.blocks_per_plane,
                      WL_SPARE_BLOCKS_MAX));
    }
    const std::uint64_t dies = std::uint64_t{c_.channels.count} * c_.channels.packages * c_.channels.dies_per_package;
    if (dies > kMaxDies) {
      add({"channels.count", "channels.packages", "channels.dies_per_package"},
          fmt::format("channels.count x channels.packages x channels.dies_per_package is {} dies, expected at most {}",
                      dies, kMaxDies));
    }
  }

  void capacity() {
    const Layout l = layout_of(c_);
    const std::uint64_t codewords =
        std::uint64_t{g_.planes} * l.lpages_per_page * ecc::retry_places(l.lpage.codewords());
    if (codewords > ecc::kRetryCodewords) {
      add({"nand.planes", "nand.page"},
          fmt::format("a page of {} has {} codewords, expected at most {}, what a read-retry controller holds: fewer "
                      "planes or a smaller page",
                      count(g_.planes, "plane"), codewords, ecc::kRetryCodewords));
    }
    const unsigned bits = bits_for(l.pages_per_block) + bits_for(g_.planes) + bits_for(c_.nand.blocks_per_plane()) +
                          bits_for(c_.channels.dies_per_package);
    if (bits > kMaxRowBits) {
      add({"nand.blocks_per_plane", "nand.region.blocks_per_plane", "nand.layers", "nand.wls_per_layer", "nand.cell",
           "nand.planes", "channels.dies_per_package"},
          fmt::format("a row address of die, block, plane and page needs {} bits, expected at most {}: fewer blocks, "
                      "pages or planes",
                      bits, kMaxRowBits));
    }
    const wl_boot_info info = boot_info_of(c_, l);
    const wl_memory memory = wl_memory_needed(&info);
    // A state comes with a table of superblocks; its four tables, and their end, are aligned.
    const std::uint64_t superblock_table =
        std::uint64_t{info.blocks} * sizeof(wl_initial_superblock) + std::uint64_t{5} * WL_INITIAL_TABLE_ALIGN;
    const std::uint64_t dram = memory.dram + (c_.precondition.begins_with_state() ? superblock_table : 0);
    if (dram > info.dram_bytes) {
      add({"nand.blocks_per_plane", "nand.region.blocks_per_plane", "nand.layers", "nand.wls_per_layer", "nand.cell",
           "nand.page", "nand.planes", "channels.count", "channels.packages", "channels.dies_per_package"},
          fmt::format(
              "the map of {} exported and {} raw logical pages needs {} bytes, expected at most the {} of DRAM that "
              "cores address (1 TiB of flash with map units of 4 KiB): larger units (ftl.logical_page, or "
              "ftl.map = page and ftl.map_unit), or ftl.map_access = port{}",
              l.user_lpages, l.raw_lpages, dram, info.dram_bytes, smaller()));
    }
    map_behind_port(info);
    if (memory.tcm > info.tcm_bytes) {
      add({"nvme.tags", "ftl.write_buffer", "ftl.read_buffer", "ftl.gc_buffer", "nand.blocks_per_plane",
           "nand.region.blocks_per_plane", "channels.count"},
          fmt::format(
              "the firmware's rings, commands, slot and superblock tables need {} bytes, expected at most the {} "
              "of tightly coupled memory: fewer tags, smaller buffers, fewer superblocks or channels",
              memory.tcm, info.tcm_bytes));
    }
    // A program unit of each stream fills while another is programmed; GC lives with those that fill. Program units of
    // small pages have slots of their own.
    const std::uint32_t small = 2 * g_.planes * l.small.lpages_per_page * l.pages_per_program;
    // With ftl.recovery a word line that takes several of them is filled while another one waits.
    const std::uint32_t shared = info.ftl.word_line_programs > 1 ? 2 * info.ftl.word_line_programs : 0;
    // What fills, or waits for others of its word line, is at most half of the buffer: the other half goes to flash.
    const bool admits = c_.ftl.pace.admission == Admission::kMeanRate;
    const std::uint32_t cached = c_.ftl.has_slc_cache() ? 1 : 0;  // a stream more
    const std::uint32_t admitted = admits ? std::max({8U, 4U * (declared_.host_streams + cached), 2 * shared}) : 0;
    const std::uint32_t host_units = std::max({declared_.host_streams + cached + 1U, shared, admitted});
    const std::uint32_t at_rest = info.ftl.upkeep.wear_gap != 0 ? 1 : 0;  // static wear levelling: a stream more
    const std::uint32_t moved_units =
        std::max<std::uint32_t>(declared_.move_streams + at_rest, shared * (1 + at_rest)) +
        (info.ftl.recovery != 0 ? 1 : 0) +  // closing records
        (info.ftl.map_frames != 0 ? 2 + (WL_MAP_LOADS + l.lpages_per_program - 1) / l.lpages_per_program : 0);
    buffer("ftl.write_buffer", c_.ftl.write_buffer, host_units * l.lpages_per_program + small,
           operations(host_units) + (small != 0 ? " and two of small pages" : "") +
               (admits ? ", as ftl.admission = mean_rate needs" : ""));
    buffer("ftl.read_buffer", c_.ftl.read_buffer, kFirmwareReads, "two reads");
    shared_read_buffer(info);
    buffer("ftl.gc_buffer", c_.ftl.gc_buffer, moved_units * l.lpages_per_program, operations(moved_units));

    const std::uint64_t superblock = std::uint64_t{l.dies} * l.programs_per_block * l.lpages_per_program;
    const std::uint32_t units = l.dies * l.programs_per_block;
    const std::uint32_t closing = wl_closing_room(&info, units, l.lpages_per_program);
    const std::uint32_t rows = units - closing;
    const std::uint32_t parity = info.ftl.parity_slots != 0 ? rows - wl_parity_data_units(rows, l.dies) : 0;
    const std::uint64_t data = superblock - std::uint64_t{closing + parity} * l.lpages_per_program;
    const std::uint64_t used = (l.user_lpages + l.map_pages + data - 1) / data;
    // Blocks of nand.region hold no data for good: GC ends with all data in the other pages.
    const bool two_sizes = c_.nand.region.blocks_per_plane != 0;
    const std::uint32_t superblocks = l.superblocks - c_.nand.region.blocks_per_plane;
    const std::uint64_t spare = superblocks - std::min<std::uint64_t>(used, superblocks);
    // GC begins with gc_start_superblocks free and some open; then some closed superblock must hold stale data.
    const std::uint32_t open = wl_open_superblocks(&info);
    const std::uint32_t kept = c_.ftl.checkpoint_after != 0 ? WL_CHECKPOINT_SUPERBLOCKS : 0;
    const std::uint32_t slc = c_.ftl.slc.cache == SlcCache::kStatic ? c_.ftl.slc.superblocks : 0;
    const std::uint64_t needed =
        c_.ftl.gc_start_superblocks + open + kept + slc + (info.ftl.map_frames != 0 ? WL_MAP_RESERVE + 1 : 0);
    if (spare < needed) {
      const bool by_key = open > declared_.host_streams + cached + declared_.move_streams + at_rest;
      const std::string beside =
          kept != 0  ? fmt::format(", or ftl.checkpoint_after = 0, which keeps {} for checkpoints", kept)
          : slc != 0 ? fmt::format(", or less than ftl.slc_superblocks = {}, which are kept free", slc)
          : info.ftl.map_frames != 0 ? fmt::format(", or ftl.map_cache = 0B, which keeps {} free", WL_MAP_RESERVE + 1)
          : at_rest != 0             ? ", or ftl.wear_levelling = dynamic, which keeps none open for data at rest"
          : by_key ? fmt::format(", or less than ftl.ppb.half_full_blocks = {}", c_.ftl.ppb.half_full_blocks)
          : c_.ftl.fdp.handles != 0 ? fmt::format(", or less than ftl.fdp.handles = {}", c_.ftl.fdp.handles)
          : two_sizes               ? " of nand.blocks_per_plane, which take all data when small pages are collected"
                                    : "";
      add({"ftl.over_provisioning", "nand.blocks_per_plane", "ftl.gc_start_superblocks", "nand.region.blocks_per_plane",
           "ftl.ppb.half_full_blocks", "ftl.fdp.handles", "ftl.fdp.isolation", "ftl.checkpoint_after",
           "ftl.wear_levelling", "ftl.slc_cache", "ftl.slc_superblocks", "ftl.map_cache"},
          fmt::format(
              "ftl.over_provisioning leaves {} of {} to spare, expected at least {}: ftl.gc_start_superblocks = {} "
              "and {} open ones; more over-provisioning or more blocks{}",
              spare, count(superblocks, "superblock"), needed, c_.ftl.gc_start_superblocks, open, beside));
    }
    bad_blocks(l, spare, needed);
  }

  /// What map entries name, and the words that the port has.
  void map_behind_port(const wl_boot_info& info) {
    const std::vector<std::string_view> size{"nand.blocks_per_plane",
                                             "nand.layers",
                                             "nand.wls_per_layer",
                                             "nand.cell",
                                             "nand.page",
                                             "nand.planes",
                                             "channels.count",
                                             "channels.packages",
                                             "channels.dies_per_package",
                                             "ftl.logical_page",
                                             "ftl.map_unit"};
    const std::uint64_t ppas = std::uint64_t{info.blocks} * info.dies * info.pages * info.planes * info.lpages_per_page;
    const bool port = wl_boot_map_port(&info) != 0;
    const std::uint32_t slots = port ? WL_MAP_BUFFER_PORT : WL_MAP_BUFFER_WINDOW;
    if (ppas + WL_MAP_PPA0 >= slots) {
      const LpageSize lpage = lpage_size_of(c_);
      const double tib = static_cast<double>(slots) * lpage.bytes() / static_cast<double>(std::uint64_t{1} << 40U);
      const char* const more = !port ? ": ftl.map_access = port, which names twice as many"
                               : lpage.lbas() < LpageSize::kMaxLbas ? ": a larger ftl.logical_page"
                                                                    : "";
      add(size, fmt::format("the superblocks have {} logical pages, expected at most {}, which an entry of the map "
                            "names{} ({:.4g} TiB of {} KiB){}{}",
                            ppas, slots - WL_MAP_PPA0 - 1, port ? " behind the port" : "", tib, lpage.bytes() / 1024,
                            more, smaller()));
    }
  }

  /// How a drive that is too large can be modelled after all; empty: by no part of its blocks.
  [[nodiscard]] std::string smaller() const {
    for (std::uint32_t factor = 2; g_.blocks_per_plane / factor >= kLeastBlocks; ++factor) {
      Config part = c_;
      part.nand.geometry.scale_down = factor;  // of what nand.scale_down has left
      scale_blocks(part);
      if (!CapacityChecker(part, false).of_capacity().empty()) continue;
      return fmt::format(
          ". nand.scale_down = {} models it by fewer blocks per die, {} of each plane: with the same dies, channels "
          "and "
          "over-provisioning the times stay",
          factor * g_.scale_down, part.nand.geometry.blocks_per_plane);
    }
    return {};
  }

  /// Which blocks are bad is drawn as the dies will draw it.
  void bad_blocks(const Layout& l, std::uint64_t spare, std::uint64_t needed) {
    if (!alone_ || !found_.empty() || c_.ftl.spare_blocks == 0 || !(c_.nand.faults.bad_blocks > 0)) return;
    const nand::InitialBlocks blocks = nand::initial_blocks(c_, l);
    const bool filled = c_.precondition.fill != PreconditionFill::kNone || !c_.precondition.file.empty();
    if (blocks.without_spare == 0 || (!filled && blocks.without_spare + needed <= spare)) return;
    add({"ftl.spare_blocks", "nand.faults.bad_blocks", "run.seed", "precondition.fill", "precondition.file"},
        fmt::format("ftl.spare_blocks = {} leaves {} with a bad block, expected at least {}: so many are bad in the {} "
                    "with the most, and {}",
                    c_.ftl.spare_blocks, count(blocks.without_spare, "superblock"), blocks.worst_plane,
                    g_.plane_blocks == PlaneBlocks::kAny ? "plane" : "die, whose planes share block numbers,",
                    filled ? "precondition.fill puts data into every superblock" : "too few superblocks are left"));
  }

  /// Engines that serve reads of flash take half of the read buffer.
  void shared_read_buffer(const wl_boot_info& info) {
    if (info.engine_slots == 0 || info.read_slots - info.engine_slots >= kFirmwareReads) return;
    add({"ftl.read_buffer", "engines.l2p", "engines.job", "engines.completion"},
        fmt::format("ftl.read_buffer holds {}, expected at least {}: engines.l2p, engines.job and engines.completion "
                    "take half of them, and the firmware needs two reads",
                    count(info.read_slots, "logical page"), 2 * kFirmwareReads - 1));
  }

  static std::string operations(std::uint32_t number) {
    static constexpr std::string_view kNumbers[] = {"no",   "one", "two",   "three", "four",
                                                    "five", "six", "seven", "eight"};
    const std::string says = number < std::size(kNumbers) ? std::string(kNumbers[number]) : std::to_string(number);
    return fmt::format("{} program operation{} of all planes", says, number == 1 ? "" : "s");
  }
  void buffer(std::string_view key, Bytes size, std::uint32_t lpages, const std::string& what) {
    const std::uint64_t slots = size / Bytes(lpage_size_of(c_).bytes());
    if (slots < lpages) {
      add({key, "nand.page", "nand.planes", "nand.program", "nand.cell", "ftl.fdp.handles"},
          fmt::format("{} holds {}, expected at least {}: {}", key, count(slots, "logical page"), lpages, what));
    }
  }

  const Config& c_;
  const NandGeometry& g_;
  const bool alone_;
  const wl_declared declared_ = declared_of(c_);
  std::vector<Conflict> found_;
};

}  // namespace

std::vector<Conflict> geometry_conflicts(const Config& config) { return CapacityChecker(config, false).of_geometry(); }

std::vector<Conflict> capacity_conflicts(const Config& config, bool alone) {
  return CapacityChecker(config, alone).of_capacity();
}

}  // namespace wordline::config
