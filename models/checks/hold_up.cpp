// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/hold_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/checks/boot_info.h"
#include "models/config/schema.h"
#include "models/firmware/firmware.h"
#include "models/nand/timing.h"

namespace wordline::config {
namespace {

constexpr std::uint64_t kWordLinesPerDie = 2;  // that GC programs at once, at most (models/firmware/buffer/units.c)

/// The program that takes longest, of the page types and layers.
nand::Plan slowest_program(const Config& config, const Layout& layout) {
  const nand::ArrayPlans plans(config.nand, layout);
  nand::Plan slowest = plans.program(0);
  const bool one_shot = layout.page_types == layout.pages_per_program;
  for (unsigned layer = 0; layer < std::max(1U, config.nand.geometry.layers); ++layer)
    for (unsigned type = 0; type < (one_shot ? 1 : layout.page_types); ++type)
      if (plans.program(type, layer).total() > slowest.total()) slowest = plans.program(type, layer);
  return slowest;
}

std::uint64_t divided_up(std::uint64_t n, std::uint64_t d) { return (n + d - 1) / d; }

/// Programs of a full write buffer. With two page sizes a quarter of its units are for small pages
/// (models/firmware/buffer/units.c), as many as fit; a program of them counts as one of the others.
std::uint64_t programs_of_buffer(const Config& config, const Layout& layout, std::uint64_t unit_bytes) {
  const std::uint64_t bytes = config.ftl.write_buffer.count();
  if (config.nand.region.blocks_per_plane == 0) return divided_up(bytes, unit_bytes);
  const std::uint64_t units = bytes / unit_bytes, large = units - units / 4;
  const std::uint64_t small = std::uint64_t{config.nand.geometry.planes} * layout.small.lpages_per_page *
                              layout.pages_per_program * layout.lpage.bytes();
  return large + divided_up(bytes - large * unit_bytes, small);
}

}  // namespace

HoldUpNeed hold_up_need(const Config& config, const Layout& layout) {
  const NandEnergy& nand = config.nand.energy;
  const nand::Plan program = slowest_program(config, layout);
  const nand::Plan erase = nand::ArrayPlans(config.nand, layout).erase();
  const double planes = 1 + nand.further_planes * (config.nand.geometry.planes - 1);
  const std::uint64_t unit_bytes = std::uint64_t{layout.lpages_per_program} * layout.lpage.bytes();
  const std::uint64_t padding = layout.page_types / layout.pages_per_program;  // of the word line that is begun
  const std::uint64_t per_die = kWordLinesPerDie * (config.ftl.recovery == Recovery::kNone ? 1 : padding);
  const std::uint64_t copies = std::min(divided_up(config.ftl.gc_buffer.count(), unit_bytes), per_die * layout.dies);
  // With parity, what fills the last row of each superblock that is open, and its parity.
  const wl_boot_info info = boot_info_of(config, layout);
  const std::uint64_t rows =
      config.ftl.parity == Parity::kNone ? 0 : std::uint64_t{wl_open_superblocks(&info)} * layout.dies;
  const std::uint64_t programs = programs_of_buffer(config, layout, unit_bytes) + copies + padding + rows;

  const std::uint64_t rounds = divided_up(programs, layout.dies);
  const bool strobed = config.channels.mode.interface != BusInterface::kSdr;
  const double byte_seconds = strobed ? 1 / static_cast<double>(config.channels.rate.count())
                                      : static_cast<double>(config.channels.t_wc.count()) * 1e-12;
  const double unit_transfer = static_cast<double>(unit_bytes) * byte_seconds;
  const double transfers = static_cast<double>(programs) * unit_transfer;  // of all channels together
  const double pulses = static_cast<double>(program.total().count()) * 1e-12;
  // A die waits for its own data and pulses, or all of them for the buses.
  const double seconds =
      static_cast<double>(erase.total().count()) * 1e-12 + pulses + unit_transfer +
      std::max(static_cast<double>(rounds) * (pulses + unit_transfer), transfers / config.channels.count);
  HoldUpNeed need{};
  need.programs = programs;
  need.time = Picoseconds(static_cast<std::int64_t>(seconds * 1e12));
  need.flash = 1e-12 * (static_cast<double>(programs) * program.energy().count() * planes +
                        layout.dies * erase.energy().count() * planes +
                        nand.bus * 8 * static_cast<double>(programs * unit_bytes)) +
               nand.vcc * (nand.icc_standby * seconds * layout.dies + nand.icc_burst * transfers);
  need.controller = config.power.controller * seconds;
  return need;
}

double capacitor_for(const Power& power, double joules) {
  return 2 * joules /
         (power.capacitor_charged * power.capacitor_charged - power.capacitor_empty * power.capacitor_empty);
}

std::vector<Conflict> power_conflicts(const Config& config) {
  std::vector<Conflict> found;
  const Power& power = config.power;
  if (power.capacitor_empty >= power.capacitor_charged) {
    found.push_back({{"power.capacitor_empty", "power.capacitor_charged"},
                     fmt::format("power.capacitor_empty = {}V with power.capacitor_charged = {}V, expected less: a "
                                 "capacitor gives energy between the two",
                                 power.capacitor_empty, power.capacitor_charged)});
  }
  if (power.hold_up > 0 && config.host.model != HostModel::kNvme) {
    found.push_back(
        {{"power.hold_up", "host.model"},
         "power.hold_up above 0J needs host.model = nvme, expected 0J: the other interfaces do not tell the "
         "firmware that power fails"});
  }
  if (power.hold_up > 0) return found;
  for (const char* key : {"power.controller", "power.capacitor_charged", "power.capacitor_empty"}) {
    if (!is_default(key, config))
      found.push_back({{key, "power.hold_up"},
                       fmt::format("{} has no effect with power.hold_up = 0J, expected "
                                   "power.hold_up above 0J",
                                   key)});
  }
  return found;
}

}  // namespace wordline::config
