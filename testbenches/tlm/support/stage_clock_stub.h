// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/protocol/interfaces.h"

namespace wordline::testing {

/// A stage clock that does nothing: a test overrides what it looks at.
struct StageClockStub : tlm_if::StageClockIf {
  void submitted(std::uint16_t, std::uint16_t, Picoseconds) override {}
  void begin(std::uint16_t, std::uint16_t, std::uint16_t, Picoseconds) override {}
  void mark(std::uint16_t, tlm_if::Stage, Picoseconds) override {}
  void flash_read(std::uint16_t, std::uint16_t, const tlm_if::ReadMarks&, bool) override {}
  void work(std::uint16_t, Picoseconds, Picoseconds) override {}
  void held(std::uint16_t, tlm_if::Stage, Picoseconds) override {}
  void programs(std::uint16_t, Picoseconds) override {}
  void pool(unsigned, unsigned, Picoseconds) override {}
  void release(std::uint16_t, Picoseconds) override {}
  tlm_if::Finished finish(std::uint16_t, std::uint16_t, Picoseconds, unsigned) override { return {}; }
};

}  // namespace wordline::testing
