// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "models/data/held_contents.h"
#include "models/data/power_promises.h"
#include "models/precondition/flash_scan.h"
#include "models/units/quantity.h"
#include "tlm/device/drive.h"
#include "tlm/host/driver/oracle.h"
#include "tlm/platform/hold_up.h"

namespace wordline::platform {

/// What a power cut has left on flash, and how that compares with what the host was told.
struct PowerCut {
  Picoseconds at{};
  std::uint64_t interrupted = 0;  // operations of dies that stay half done
  precondition::FlashScan scan;
  // Logical pages: what the records say of them is what a read would have had to return; an older content, or one that
  // was lost, while the newer was in the buffer alone; nothing; or again what was deallocated.
  std::uint64_t kept = 0, older = 0, missing = 0, returned = 0;
  // With ftl.recovery: blocks of 512 bytes that hold no longer what was promised, by how.
  struct Broken {
    std::uint64_t lost = 0, stale = 0, corrupt = 0;
    std::string first;  // of them
    [[nodiscard]] std::uint64_t sum() const { return lost + stale + corrupt; }
  };
  std::optional<Picoseconds> mounted;  // when the host was let in; nothing: no image was mounted, or not to its end
  bool clean_mount = false;            // ... from a checkpoint
  bool shut_down = false;              // the host had shut the drive down before
  std::optional<HoldUp> held;          // how long the drive went on before; nothing: power.hold_up = 0J
  std::optional<Broken> broken;        // nothing: nobody kept account of promises
};

/// Throws what such a drive cannot do: ConfigError.
void check_can_be_cut(const config::Config& config);
/// `--cut-power`. Throws ConfigError.
[[nodiscard]] Picoseconds parse_cut(const std::string& text);
/// Power fails now, `with_state`: for save_cut_state(). Programs and erases stop in their pulses, everything but cells
/// is gone. The simulation is over.
struct Promised {
  const data::PowerPromises* promises = nullptr;  // what the drive owes; null: nobody kept account
  bool begins_with_data = false;                  // a fill or a state
  const data::HeldContents* contents = nullptr;   // of the image that the drive has mounted
  /// Whether a block may hold this beside. Where programs share word lines, a mount that is under way owes what lies
  /// on word lines that are complete, or what is newer.
  std::function<bool(std::uint64_t lba, std::uint64_t content)> or_else;
};
[[nodiscard]] PowerCut cut_power(device::Drive& drive, host::Oracle& oracle, const config::Config& config,
                                 const config::Layout& layout, const Promised& promised, bool with_state);
[[nodiscard]] std::string to_json(const PowerCut& cut);
[[nodiscard]] std::string summary(const PowerCut& cut);
/// `--image`: all that is on flash, for precondition.flash of another run. After the cut.
void save_image(const PowerCut& cut, device::Drive& drive, const config::Config& config, const config::Layout& layout,
                const std::string& origin, const std::string& path);
/// The state that a mount without time makes of it. `origin`: of what it is.
void save_cut_state(const PowerCut& cut, const std::string& origin, const std::string& path);

}  // namespace wordline::platform
