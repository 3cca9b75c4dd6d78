// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/copy_sequence.h"

namespace wordline::host {

class HostDataMover;

/// Copies of the host, one at a time: gives the firmware each read and each write of one when the half before it has
/// ended, all under its tag. Their data are InnerData's.
class Copies final : private Agenda::Client {
 public:
  Copies(HostDataMover& mover, Agenda& agenda, std::uint32_t most) : mover_(mover), agenda_(agenda), sequence_(most) {}

  /// The Copy whose turn it is (HostFrontEndIf::bring_ranges).
  void begin(std::uint32_t tag, std::vector<CopySequence::Source> sources, std::uint64_t destination,
             const CommandMetadata& metadata);
  /// A half has ended with `status`, its data have passed by `ready`. True: it is not the last. `quiet`: as
  /// HostFrontEndIf::completed().
  bool goes_on(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet);

 private:
  enum class Kind : std::uint32_t { kNext };  // index: tag
  void act(const Agenda::Action& action) override { next(action.index); }
  void next(std::uint32_t tag);

  HostDataMover& mover_;
  Agenda& agenda_;
  CopySequence sequence_;
};

}  // namespace wordline::host
