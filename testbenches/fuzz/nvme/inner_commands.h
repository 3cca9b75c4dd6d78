// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/hostile_host.h"

namespace wordline::fuzz {

/// Verify, Compare, Write Uncorrectable and Copy, in part with hostile fields. Those that change blocks keep away from
/// the guarded ones at the begin of the drive (CheckedCommands), which therefore are never found marked.
class InnerCommands {
 public:
  InnerCommands(HostileHost& host, Draws& draws);

  [[nodiscard]] HostileCommand any();

 private:
  HostileCommand verify();
  HostileCommand compare();
  HostileCommand mark();
  HostileCommand copy();
  HostileCommand hostile_copy();
  /// A list of `ranges` ranges; the Copy of them to blocks that are not guarded. Returns how many blocks they are.
  std::uint32_t put_ranges(HostileCommand& command, std::uint32_t ranges, std::uint32_t most);

  HostileHost& host_;
  Draws& draws_;
  std::uint64_t pages_, lists_;
};

}  // namespace wordline::fuzz
