// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/power_cut.h"

#include <fmt/core.h>

#include "models/checks/load.h"
#include "models/config/value.h"
#include "models/firmware/contract/geometry.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/parity_places.h"
#include "models/precondition/state_file.h"

namespace wordline::platform {
namespace {

using precondition::FlashScan;
using precondition::Place;

std::uint64_t interrupted(const device::Drive& drive) {
  std::uint64_t sum = 0;
  for (unsigned die = 0; die < drive.flash.dies(); ++die)
    sum += drive.flash.die(DieId(static_cast<std::uint16_t>(die))).counters().interrupted;
  return sum;
}

/// Superblocks as flash has them: without spare blocks each is made of the blocks of its number.
std::vector<precondition::Superblock> superblocks_of(const device::Drive& drive,
                                                     const precondition::Geometry& geometry) {
  std::vector<precondition::Superblock> all(geometry.blocks);
  for (std::uint32_t number = 0; number < geometry.blocks; ++number) {
    all[number].number = number;
    for (std::uint32_t die = 0; die < geometry.dies; ++die) {
      const nand::Die& of = drive.flash.die(DieId(static_cast<std::uint16_t>(die)));
      for (std::uint32_t p = 0; p < geometry.planes; ++p) {
        const PlaneId plane(static_cast<std::uint8_t>(p));
        all[number].erases = std::max(all[number].erases, of.erase_count(plane, BlockId(number)));
        all[number].bad |= of.health(plane, BlockId(number)) != nand::BlockHealth::kGood;
      }
    }
  }
  return all;
}

nand::LpageAddress address_of(const precondition::Geometry& geometry, const wl_location& at) {
  return {PlaneId(static_cast<std::uint8_t>(at.lpage / geometry.lpages_per_page)), BlockId(at.block), PageId(at.page),
          at.lpage % geometry.lpages_per_page};
}

/// Logical pages, ascending and each once. Of a drive that began empty all others are zeros for whoever looks.
class LpageList {
 public:
  void add(std::uint64_t lpn) { lpns_.push_back(static_cast<std::uint32_t>(lpn)); }
  void add(const FlashScan& scan) {
    for (const FlashScan::Newest& of : scan.newest) add(of.lpn);
  }
  void add_all(std::uint64_t lpages) {
    for (std::uint64_t lpn = 0; lpn < lpages; ++lpn) add(lpn);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& sorted() {
    std::sort(lpns_.begin(), lpns_.end());
    lpns_.erase(std::unique(lpns_.begin(), lpns_.end()), lpns_.end());
    return lpns_;
  }

 private:
  std::vector<std::uint32_t> lpns_;
};

/// Counts each logical page by what the oracle allows a read that begins now.
void compare(device::Drive& drive, host::Oracle& oracle, PowerCut& cut, std::uint64_t user_lpages,
             const std::function<nand::StoredLpage(std::uint64_t ppa)>& stored) {
  const host::Oracle::Read read = oracle.begin_read(0);
  const data::LpageStamps zeros{};
  LpageList list;
  list.add(cut.scan);
  oracle.for_each_known([&](std::uint64_t lpn) { list.add(lpn); });
  cut.kept = user_lpages - list.sorted().size();
  for (const std::uint32_t lpn : list.sorted()) {
    const std::uint64_t ppa = cut.scan.ppa_of(lpn);
    const bool nowhere = ppa == FlashScan::kNowhere;
    const data::LpageStamps found = nowhere ? zeros : drive.buffer.pool().expand(stored(ppa).token);
    if (oracle.check_lpage(read, Lpn(lpn), found.data()))
      ++cut.kept;
    else if (nowhere)
      ++cut.missing;
    else if (oracle.check_lpage(read, Lpn(lpn), zeros.data()))
      ++cut.returned;
    else
      ++cut.older;
  }
  oracle.end_read(read, false);
}

/// Each block as a mount would find it against what was promised.
PowerCut::Broken broken_promises(device::Drive& drive, const FlashScan& scan, const Promised& promised,
                                 std::uint64_t user_lpages,
                                 const std::function<nand::StoredLpage(std::uint64_t ppa)>& stored) {
  using Failure = data::PowerPromises::Failure;
  PowerCut::Broken broken;
  const LpageSize size = drive.lpage_size();
  LpageList list;
  if (promised.begins_with_data) {
    list.add_all(user_lpages);
  } else {
    list.add(scan);
    promised.promises->for_each_block([&](std::uint64_t lba) { list.add(size.lpage_of(lba)); });
    for (const auto& held : promised.contents->held()) list.add(held.lpn);
  }
  for (const std::uint32_t lpn : list.sorted()) {
    const std::uint64_t ppa = scan.ppa_of(lpn);
    const bool nowhere = ppa == FlashScan::kNowhere;
    const data::LpageStamps held = nowhere ? data::LpageStamps{} : drive.buffer.pool().expand(stored(ppa).token);
    for (unsigned i = 0; i < size.lbas(); ++i) {
      const std::uint64_t lba = size.first_lba(lpn) + i;
      const Failure failure = promised.promises->found(lba, held[i].bits());
      if (failure == Failure::kNone || (promised.or_else && promised.or_else(lba, held[i].bits()))) continue;
      if (broken.sum() == 0)
        broken.first = fmt::format("LBA {} is {}: flash has version {}", lba, name_of(failure), held[i].version());
      ++(failure == Failure::kLost ? broken.lost : failure == Failure::kStale ? broken.stale : broken.corrupt);
    }
  }
  const std::uint64_t unread = drive.flash.uncorrectable();
  if (broken.sum() != 0 && unread != 0) {
    broken.first += fmt::format(
        "; before the cut {} logical pages could not be corrected (flash.uncorrectable): GC keeps nothing of them",
        unread);
  }
  return broken;
}

}  // namespace

void check_can_be_cut(const config::Config& config) {
  const auto refuse = [](const std::string& why) { throw config::ConfigError("--cut-power: error: " + why); };
  if (config.ftl.spare_blocks != 0) refuse("the table of spare blocks is not kept on flash; set ftl.spare_blocks = 0");
  if (config.ftl.parity != config::Parity::kNone && config.ftl.recovery != config::Recovery::kScan)
    refuse(
        "only a firmware that mounts them tells parity from data; set ftl.recovery = \"scan\", or ftl.parity = "
        "\"none\"");
  if (config.ftl.map_cache.count() != 0 && config.ftl.recovery != config::Recovery::kScan)
    refuse("map pages are for a firmware that mounts them; set ftl.recovery = \"scan\", or ftl.map_cache = \"0B\"");
  if (config.ftl.has_slc_cache())
    refuse("what is kept of flash has no place for the mode of a block; set ftl.slc_cache = \"off\"");
  if (config.ftl.map == config::MapUnit::kPage && config.ftl.recovery == config::Recovery::kNone)
    refuse(
        "records of pages are for a firmware that mounts them; set ftl.recovery = \"scan\", or ftl.map = \"sector\"");
}

Picoseconds parse_cut(const std::string& text) {
  const auto at = config::parse_quantity(config::Kind::kTime, text);
  if (!at || std::get<std::int64_t>(*at) <= 0)
    throw config::ConfigError(
        fmt::format("--cut-power {}: error: expected a simulated time after which power fails: 1.5ms", text));
  return Picoseconds(std::get<std::int64_t>(*at));
}

PowerCut cut_power(device::Drive& drive, host::Oracle& oracle, const config::Config& config,
                   const config::Layout& layout, const Promised& promised, bool with_state) {
  PowerCut cut;
  cut.at = drive.now();
  cut.interrupted = -interrupted(drive);
  drive.flash.power_loss();
  cut.interrupted += interrupted(drive);
  const precondition::Geometry geometry = precondition::geometry_of(config, layout);
  const wl_geometry addresses = wl_geometry_of(geometry.dies, geometry.planes * geometry.lpages_per_page,
                                               geometry.pages_per_program, geometry.programs_per_superblock());
  const auto locate = [&](std::uint64_t ppa) { return wl_locate(&addresses, static_cast<std::uint32_t>(ppa)); };
  const auto stored = [&](std::uint64_t ppa) {
    const wl_location at = locate(ppa);
    return drive.flash.die(DieId(static_cast<std::uint16_t>(at.die))).lpage(address_of(geometry, at));
  };
  const config::BlockKinds kinds(config.nand, layout);
  const auto in_cells = [&](std::uint64_t ppa) {
    const wl_location at = locate(ppa);
    const nand::LpageAddress address = address_of(geometry, at);
    const config::BlockKind& kind = kinds.of(at.block);
    if (address.lpage >= kind.lpages_per_page || at.page >= kind.pages) return Place{};  // between small pages
    const nand::Die& die = drive.flash.die(DieId(static_cast<std::uint16_t>(at.die)));
    Place found;
    if (!die.programmed(address.plane, address.block, address.page)) return found;
    found.cells =
        die.readable(address.plane, address.block, address.page) ? Place::Cells::kWritten : Place::Cells::kTorn;
    found.stored = die.lpage(address);
    return found;
  };
  const nand::Die& last_die = drive.flash.die(DieId(static_cast<std::uint16_t>(geometry.dies - 1)));
  precondition::ParityPlaces parity(config, layout, last_die.image(PlaneId(0), BlockId(0)).dead, in_cells);
  const auto place = [&](std::uint64_t ppa) { return parity.at(ppa) ? precondition::nobodys() : in_cells(ppa); };
  const std::vector<precondition::Superblock> superblocks = superblocks_of(drive, geometry);
  const auto used = [&](std::uint32_t superblock) {
    for (std::uint32_t die = 0; die < geometry.dies; ++die)
      for (std::uint32_t plane = 0; plane < geometry.planes; ++plane) {
        const nand::BlockImage block = drive.flash.die(DieId(static_cast<std::uint16_t>(die)))
                                           .image(PlaneId(static_cast<std::uint8_t>(plane)), BlockId(superblock));
        if (block.is_used()) return true;
      }
    return false;
  };
  cut.scan = precondition::scan_flash(geometry, superblocks, {used, place},
                                      with_state ? precondition::ScanFor::kState : precondition::ScanFor::kContents);
  compare(drive, oracle, cut, layout.user_lpages, stored);
  if (promised.promises == nullptr) return cut;
  cut.broken = broken_promises(drive, cut.scan, promised, layout.user_lpages, stored);
  if (layout.page_types == layout.pages_per_program || cut.broken->sum() != 0) return cut;
  // The next mount is cut, too: what is promised is there without the word lines that it would have completed.
  const auto certain = [&](std::uint64_t ppa) {
    const wl_location at = locate(ppa);
    const nand::LpageAddress address = address_of(geometry, at);
    const std::uint32_t last = at.page - at.page % layout.page_types + layout.page_types - 1;
    const nand::Die& die = drive.flash.die(DieId(static_cast<std::uint16_t>(at.die)));
    const bool complete = die.programmed(address.plane, address.block, PageId(last));
    return complete || !die.programmed(address.plane, address.block, address.page) ? place(ppa)
                                                                                   : Place{Place::Cells::kTorn, {}};
  };
  cut.broken = broken_promises(drive, precondition::scan_flash(geometry, superblocks, {used, certain}), promised,
                               layout.user_lpages, stored);
  return cut;
}

namespace {

/// Which pages hold parity: whoever reads the image has no other way to know.
void mark_parity(precondition::FlashImage& image, const config::Config& config, const config::Layout& layout) {
  if (config.ftl.parity == config::Parity::kNone) return;
  const precondition::Geometry& g = image.geometry;
  const bool last_die_failed = image.block(g.dies - 1, 0, 0).dead;
  precondition::ParityPlaces parity(config, layout, last_die_failed, [&](std::uint64_t ppa) { return image.at(ppa); });
  const wl_geometry addresses =
      wl_geometry_of(g.dies, g.planes * g.lpages_per_page, g.pages_per_program, g.programs_per_superblock());
  std::vector<std::pair<std::size_t, std::uint32_t>> found;  // block and page
  for (std::uint64_t ppa = 0; ppa < g.ppas(); ppa += g.lpages_per_page) {
    const wl_location at = wl_locate(&addresses, static_cast<std::uint32_t>(ppa));
    const std::size_t block = (std::size_t{at.die} * g.planes + at.lpage / g.lpages_per_page) * g.blocks + at.block;
    if (at.page < image.blocks[block].pages && parity.at(ppa)) found.emplace_back(block, at.page);
  }
  for (nand::BlockImage& b : image.blocks) b.parity.assign(b.pages, false);
  for (const auto& [block, page] : found) image.blocks[block].parity[page] = true;
}

}  // namespace

void save_image(const PowerCut& cut, device::Drive& drive, const config::Config& config, const config::Layout& layout,
                const std::string& origin, const std::string& path) {
  precondition::FlashImage image;
  image.geometry = precondition::geometry_of(config, layout);
  image.map_unit = precondition::map_unit_of(config, layout);
  image.pool = drive.buffer.pool();
  image.origin = fmt::format("{}, power cut at {:.6f} ms", origin, static_cast<double>(cut.at.count()) * 1e-9);
  const precondition::Geometry& g = image.geometry;
  for (std::uint32_t die = 0; die < g.dies; ++die) {
    const nand::Die& of = drive.flash.die(DieId(static_cast<std::uint16_t>(die)));
    for (std::uint32_t plane = 0; plane < g.planes; ++plane)
      for (std::uint32_t block = 0; block < g.blocks; ++block)
        image.blocks.push_back(of.image(PlaneId(static_cast<std::uint8_t>(plane)), BlockId(block)));
  }
  mark_parity(image, config, layout);
  precondition::save_flash(path, image);
}

std::string to_json(const PowerCut& cut) {
  std::string broken;
  if (cut.mounted)
    broken = fmt::format(",\n  \"mounted_at\": {:.12f}", static_cast<double>(cut.mounted->count()) * 1e-12);
  if (cut.mounted) broken += fmt::format(",\n  \"clean_mount\": {}", cut.clean_mount);
  broken += fmt::format(",\n  \"shut_down\": {}", cut.shut_down);
  if (cut.held) broken += fmt::format(",\n  \"hold_up\": {}", to_json(*cut.held));
  if (cut.broken)
    broken += fmt::format(",\n  \"broken_promises\": {{\"lost\": {}, \"stale\": {}, \"corrupt\": {}}}",
                          cut.broken->lost, cut.broken->stale, cut.broken->corrupt);
  return fmt::format(
      "{{\n  \"at\": {:.12f},\n  \"interrupted_operations\": {},\n  \"records\": {},\n  \"torn_lpages\": {},\n"
      "  \"erased_superblocks\": {},\n  \"lpages\": {{\"kept\": {}, \"older\": {}, \"missing\": {}, \"returned\": "
      "{}}}{}\n}}\n",
      static_cast<double>(cut.at.count()) * 1e-12, cut.interrupted, cut.scan.records, cut.scan.torn, cut.scan.erased,
      cut.kept, cut.older, cut.missing, cut.returned, broken);
}

std::string summary(const PowerCut& cut) {
  return (cut.held ? summary(*cut.held) : std::string()) +
         fmt::format(
             "power {} at {:.6f} ms: {} operations of dies half done, {} logical pages torn\n"
             "  by the records on flash {} logical pages hold what the host was told, {} an older content, {} "
             "nothing;\n"
             "  {} are back that were deallocated\n",
             cut.shut_down ? "off after a shutdown" : "cut", static_cast<double>(cut.at.count()) * 1e-9,
             cut.interrupted, cut.scan.torn, cut.kept, cut.older, cut.missing, cut.returned);
}

void save_cut_state(const PowerCut& cut, const std::string& origin, const std::string& path) {
  precondition::DriveState state = cut.scan.state;
  state.origin = fmt::format("{}, power cut at {:.6f} ms", origin, static_cast<double>(cut.at.count()) * 1e-9);
  const std::string problem = state.problem();
  if (!problem.empty())
    throw std::runtime_error(fmt::format("--snapshot: what power has left is no state: it {}", problem));
  precondition::save_state(path, state);
}

}  // namespace wordline::platform
