// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"
#include "tlm/protocol/host_operation.h"

/// The host's end of a host interface, between the driver, which is the same for all of them, and the way of a command
/// into the drive.
namespace wordline::host {

/// Queue by which the stage clock names the commands of the driver's first queue pair; the others follow.
inline constexpr std::uint16_t kDriverQueue = 1;

struct PathCommand {
  std::uint32_t pair = 0;  // queue pair
  std::uint16_t id = 0;    // in it
  Operation op = Operation::kFlush;
  bool fua = false;
  std::int16_t placement = -1;  // placement identifier of a write; -1: none
  std::uint64_t slba = 0;       // 512-byte LBA; of a deallocation, which has ranges: where the first may begin
  std::uint32_t nlb = 0;        // LBAs; of a deallocation: its ranges
  /// Pages of host memory, in order, valid until the command completes: the data; for a deallocation the list of
  /// ranges, 16 bytes each (wl_dsm_range).
  const std::uint64_t* pages = nullptr;
  std::uint32_t page_count = 0;
  std::uint64_t metadata = 0;  // of the blocks, in a buffer of their own; 0: there is none
};

/// The driver, as the path calls it.
class HostPathClientIf {
 public:
  /// The drive takes commands of at most `max_nlb` LBAs. Called again when a drive that refused a command may take
  /// it now.
  virtual void ready(std::uint32_t max_nlb) = 0;
  /// The host has the completion of command `id` of queue pair `pair` at `at`, the present. May call submit().
  virtual void completed(std::uint32_t pair, std::uint16_t id, CommandStatus status, Picoseconds at) = 0;
  /// The drive is shut down: power may go.
  virtual void shut_down() {}

 protected:
  ~HostPathClientIf() = default;
};

class HostPathIf : virtual public sc_core::sc_interface {
 public:
  /// Called once, before the simulation starts; the path brings the drive up by itself and then calls ready().
  virtual void connect(HostPathClientIf& client) = 0;
  /// Commands of a queue pair that can be in flight at most; their ids are below.
  [[nodiscard]] virtual std::uint32_t depth() const = 0;
  [[nodiscard]] virtual std::uint32_t pairs() const { return 1; }
  /// Shuts the drive down; no command is in flight. The client hears of its end. False: the host interface knows no
  /// shutdown.
  virtual bool shut_down() { return false; }
  /// A command from `lba` on has so many LBAs at most: namespaces end there.
  [[nodiscard]] virtual std::uint64_t room_from(std::uint64_t /*lba*/) const { return UINT64_MAX; }
  /// A command begins and ends at multiples of so many LBAs, a power of two.
  [[nodiscard]] virtual std::uint32_t grain() const { return 1; }
  /// What a path with several pairs counts for one of them.
  struct PairCounts {
    std::uint64_t fetched = 0;           // commands that the drive has taken out of the submission queue
    std::uint64_t interrupts = 0;        // of the completion queue
    std::uint32_t completion_queue = 0;  // its identifier, from 1 on
  };
  [[nodiscard]] virtual PairCounts counts(std::uint32_t /*pair*/) const { return {}; }
  /// False: the drive takes none at present; submit the command again after the next completed() or ready(). The stage
  /// clock has the command's submitted().
  virtual bool submit(const PathCommand& command) = 0;
  /// All commands of this instant have been submitted: one doorbell for them, where there is one.
  virtual void ring() = 0;
};

}  // namespace wordline::host
