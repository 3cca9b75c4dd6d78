// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/results/finished_request.h"
#include "models/results/request_statistics.h"
#include "models/served/capture.h"
#include "tlm/device/mover/command_table.h"
#include "tlm/observe/command_observer.h"
#include "tlm/serve/client_memory.h"

namespace wordline::serve {

/// What the drive itself knows of the commands of a foreign host's I/O queues: when each came, by its doorbell, and
/// when its completion entry left; as a capture, whose clients are the queues.
///
/// A deallocation is kept as a request for each of its ranges. Accuracy: what Compare and Verify read counts as reads.
class CommandRecord final : public observe::CommandObserver {
 public:
  /// `next` is another observer, to which all calls go on, or null. With `keeps` all commands are kept, for write();
  /// without, their statistics alone.
  CommandRecord(observe::CommandObserver* next, bool keeps)
      : next_(next), keeps_(keeps), statistics_(static_cast<std::size_t>(tlm_if::Stage::kCount)) {}
  /// Before the first command.
  void look_at(const host::CommandTable& commands, ClientMemory& memory) {
    commands_ = &commands;
    memory_ = &memory;
  }

  void released(std::uint16_t queue, std::uint16_t id, std::uint16_t tag, Picoseconds came, Picoseconds left) override;
  void finished(const observe::CommandStory& story) override;

  /// Of those that have ended without an error, between the two instants: reads and writes of data, flushes and
  /// deallocations.
  [[nodiscard]] const results::RequestStatistics& statistics() const { return statistics_; }
  /// A line for each kind of command that there was.
  [[nodiscard]] std::string text() const;
  /// All commands in the order in which they came. Throws std::runtime_error when the file cannot be written.
  void write(const std::string& path, const served::CapturedDrive& drive, Picoseconds end) const;

 private:
  struct Command {
    Picoseconds came, left;
    std::uint64_t offset;
    std::uint32_t bytes;
    std::uint16_t queue, status;
    served::ClientOp op;
    bool fua;
  };

  observe::CommandObserver* const next_;
  const bool keeps_;
  const host::CommandTable* commands_ = nullptr;
  ClientMemory* memory_ = nullptr;
  std::vector<Command> kept_;
  results::RequestStatistics statistics_;
  std::optional<results::FinishedRequest> released_;  // whose story comes next, where it counts
};

}  // namespace wordline::serve
