// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/protocol/interfaces.h"

namespace wordline::observe {

/// A stage of a command, as long as it lasted. Time with the firmware is one stretch, not yet divided into work and
/// waiting.
struct StageSpan {
  tlm_if::Stage stage;
  Picoseconds from, to;
};
/// A core worked for the command.
struct CoreWork {
  Picoseconds from, to;
  unsigned core;
};
/// A flash job of the command that read; `ended`: when it reported.
struct FlashRead {
  std::uint16_t die;
  bool attempt;  // part of a read retry that firmware controls
  tlm_if::ReadMarks marks;
  Picoseconds ended;
};

/// What is known of a command when the host has it back.
struct CommandStory {
  std::uint16_t queue, id;
  bool reads;
  Picoseconds submitted, finished;
  const std::vector<StageSpan>& stages;  // stages in order, without gaps
  const std::vector<CoreWork>& work;     // work by begin; those of different cores may overlap
  const std::vector<FlashRead>& flash;   // flash in the order in which they ended
  const tlm_if::Finished& times;
};

/// Gets every command from the stage clock.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  /// The command still has its tag, for the last time. `came`: it was submitted, or came to the drive where that is not
  /// known; `left`: its completion entry is on its way.
  virtual void released(std::uint16_t queue, std::uint16_t id, std::uint16_t tag, Picoseconds came,
                        Picoseconds left) = 0;
  virtual void finished(const CommandStory& story) = 0;

  /// False: it wants no more of them. Not virtual: asked with every command of a drive.
  [[nodiscard]] bool listening() const { return listening_; }

 protected:
  bool listening_ = true;
};

}  // namespace wordline::observe
