// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of a die, as its channel controller carries out a job. What each step asks of the bus and does with it is
// one row of the table in die_sequencer.cpp; nothing else distinguishes all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/units/quantity.h"

namespace wordline::flash {

/// What a die needs next.
enum class Step : std::uint8_t {
  kIdle,          // a job
  kReadCommand,   // bus: next plane's read command
  kCacheCommand,  // bus: next plane's READ CACHE, or its end
  kArray,         // R/B_n to rise
  kDataOut,       // bus: select the column, or the data
  kStreaming,     // its data are on the bus
  kReferences,    // bus: SET FEATURES, references of the retry command
  kCopyRead,      // R/B_n to rise: the page that a program begins as is in the register
  kDataIn,        // bus: next page of a program, or COPYBACK READ before it
  kParameters,    // bus: SET FEATURES, parameters of the program that follows
  kReport,        // bus: GET FEATURES, or its bytes: what the program has measured
  kBlockCommand,  // bus: next plane's command of an erase, or of a read of marks
  kStatus,        // bus: status read
  kCacheStatus,   // bus: status read of the unit before, within CACHE PROGRAM
  kStopping,      // R/B_n to rise: suspend has been sent
};
inline constexpr std::size_t kSteps = 15;

/// Where a sequence leaves its die: the step that follows, which may use the bus from `from` on. 0: at once.
struct Next {
  Step step;
  Picoseconds from{};
};

}  // namespace wordline::flash
