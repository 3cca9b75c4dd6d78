// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/snapshot_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "models/checks/boot_info.h"
#include "models/checks/load.h"
#include "models/precondition/firmware_state.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "models/precondition/make_state.h"
#include "models/precondition/state_file.h"

namespace wordline::platform {
namespace {

using precondition::DriveState;
using precondition::Superblock;
using precondition::SuperblockState;

/// How many superblocks are free, and how full the others are.
std::string describe(const DriveState& state) {
  std::uint64_t closed = 0, valid = 0;
  std::uint32_t least = UINT32_MAX, most = 0, free = 0;
  for (const Superblock& s : state.superblocks) {
    if (s.state == SuperblockState::kFree) ++free;
    if (s.state != SuperblockState::kClosed) continue;
    ++closed;
    valid += s.valid;
    least = std::min(least, s.valid);
    most = std::max(most, s.valid);
  }
  std::string text = fmt::format("{} superblocks free", free);
  if (closed == 0) return text + ", none in use";
  const auto share = [&](double lpages) { return 100 * lpages / state.geometry.superblock_lpages(); };
  return text + fmt::format(", {} in use: {:.1f} % of their logical pages valid ({:.1f} to {:.1f})", closed,
                            share(static_cast<double>(valid) / static_cast<double>(closed)), share(least), share(most));
}

/// Nothing is under way any more: GC, too, has come to its end.
void come_to_rest() {
  constexpr Picoseconds kSlice(10'000'000'000), kMost(100'000'000'000'000);
  for (Picoseconds waited{}; sc_core::sc_pending_activity(); waited = waited + kSlice) {
    if (waited >= kMost) {
      throw std::runtime_error(
          "--snapshot: the drive does not come to rest: it has gone on for 100 s without the host");
    }
    sc_core::sc_start(tlm_if::to_sc_time(kSlice), sc_core::SC_RUN_TO_TIME);
  }
}

}  // namespace

void check_can_be_kept(const config::Config& config) {
  if (config.ftl.parity != config::Parity::kNone) {
    throw config::ConfigError(
        "error: the state of a drive with ftl.parity = dies cannot be kept, expected ftl.parity = none: states have no "
        "parity");
  }
  if (config.ftl.has_slc_cache()) {
    throw config::ConfigError(
        "error: the state of a drive with an SLC cache cannot be kept, expected ftl.slc_cache = off: states do not "
        "say in which mode a block was programmed");
  }
  if (config.ftl.map_access == config::MapAccess::kPort) {
    throw config::ConfigError(
        "error: the state of a drive with ftl.map_access = port cannot be kept, expected ftl.map_access = flat: the "
        "tables of a state lie in the DRAM that cores address");
  }
  if (config.nand.region.blocks_per_plane == 0) return;
  throw config::ConfigError(fmt::format(
      "error: the state of a drive with nand.region.blocks_per_plane = {} cannot be kept, expected 0: states have one "
      "page size",
      config.nand.region.blocks_per_plane));
}

int snapshot_command(const SnapshotOptions& options) {
  const config::Loaded loaded = config::load(options.config, options.sets);
  check_can_be_kept(loaded.config);
  const config::Layout layout = config::layout_of(loaded.config);
  std::string how;
  DriveState state;
  if (loaded.config.precondition.file.empty()) {
    precondition::Made made = precondition::make_state(precondition::recipe_of(loaded.config, layout));
    if (made.overwrites > 0) how = fmt::format(", write amplification {:.3f} at the end", made.waf);
    state = std::move(made.state);
  } else {
    state = precondition::load_state_of(loaded.config, layout);
  }
  precondition::save_state(options.out, state);
  if (options.quiet) return 0;
  std::cout << fmt::format("{}: {}{}\n  {}\n", options.out, state.origin, how, describe(state));
  if (!loaded.config.precondition.ages.empty()) {
    std::cout << "  precondition.ages is not part of the file: a run that begins with it says how old its data are\n";
  }
  return 0;
}

std::string check_snapshot(const std::string& config, const std::vector<std::string>& sets) {
  const config::Loaded loaded = config::load(config, sets);
  if (const auto image = precondition::flash_image_of(loaded.config, config::layout_of(loaded.config)))
    return fmt::format("  flash     {}; the firmware mounts it\n", image->origin);
  if (loaded.config.precondition.file.empty()) return {};
  const DriveState state = precondition::load_state_of(loaded.config, config::layout_of(loaded.config));
  return fmt::format("  state     {}; {}\n", state.origin, describe(state));
}

void save_snapshot(device::Drive& drive, const config::Config& config, const config::Layout& layout,
                   const std::string& origin, const std::string& path) {
  come_to_rest();
  save_snapshot_at_rest(drive, config, layout, origin, path);
}

void save_snapshot_at_rest(device::Drive& drive, const config::Config& config, const config::Layout& layout,
                           const std::string& origin, const std::string& path) {
  const wl_boot_info info = config::boot_info_of(config, layout);
  DriveState state = precondition::state_of_firmware(info, drive.tcm.data(), drive.dram.data());
  state.origin = origin;
  const std::string problem = state.problem();
  if (!problem.empty())
    throw std::runtime_error(fmt::format("--snapshot: the drive has come to no state: it {}", problem));
  precondition::save_state(path, state);
}

}  // namespace wordline::platform
