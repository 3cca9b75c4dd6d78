// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/units/quantity.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::host {

/// Commands in flight inside the drive, by tag: takes and frees tags, and holds which commands a reset of the host
/// interface has cut off. It does not act on a command.
///
/// Accuracy: a tag is free from the instant that was given to free() on; no time passes for the search.
class CommandTable {
 public:
  /// `tags` commands of up to `pages` host pages. A null recorder: no waves.
  CommandTable(std::uint32_t tags, std::uint32_t pages, LpageSize size, tlm_if::RecorderIf* recorder);

  /// kNone: no tag is free. The command is empty but for what its last user left in `op` to `ranges`.
  std::uint32_t take(Picoseconds now);
  /// The tag can be taken again from `at` on.
  void free(std::uint32_t tag, Picoseconds at);

  /// The tag is not taken again before let_go(), though its command may end: one tag at a time.
  void keep(std::uint32_t tag) { kept_ = tag; }
  void let_go();

  [[nodiscard]] HostCommand& operator[](std::uint32_t tag) { return commands_[tag]; }
  [[nodiscard]] const HostCommand& operator[](std::uint32_t tag) const { return commands_[tag]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(commands_.size()); }
  [[nodiscard]] std::uint32_t in_use(Picoseconds now) const;
  /// A tag becomes free at next_free(). Without one all tags are free, or held by commands that have not ended.
  [[nodiscard]] bool some_end() const { return !freed_.empty(); }
  [[nodiscard]] Picoseconds next_free() const { return freed_.front().at; }

  /// Reset of the host interface: the host has forgotten all commands that hold a tag. The firmware still completes
  /// them, and writes still take their data, but nothing is written to host memory any more.
  void lose_all() { ++epoch_; }
  [[nodiscard]] bool lost(const HostCommand& command) const { return command.epoch != epoch_; }
  /// Number of resets so far.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }

 private:
  struct Freed {
    Picoseconds at;
    std::uint32_t tag;
    static bool later(const Freed& a, const Freed& b) { return a.at > b.at; }  // the heap's first is the earliest
  };

  std::vector<HostCommand> commands_;
  std::vector<std::uint32_t> free_;
  std::vector<Freed> freed_;  // tags that become free later, heap by time
  std::uint32_t epoch_ = 0;
  std::uint32_t kept_ = kNone;
  std::optional<Picoseconds> kept_end_;  // it has been freed, from then on
  tlm_if::RecorderIf* recorder_;
  tlm_if::RecorderIf::Signal wave_tags_{};
};

}  // namespace wordline::host
