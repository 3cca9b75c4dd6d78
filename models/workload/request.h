// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/units/index.h"
#include "models/units/quantity.h"

namespace wordline::workload {

/// What the host asks of the drive. The order is the order of every table by operation.
enum class Op : std::uint8_t { kRead, kWrite, kTrim, kFlush };
inline constexpr std::size_t kOpCount = 4;

[[nodiscard]] constexpr const char* op_name(Op op) {
  constexpr const char* kNames[kOpCount] = {"read", "write", "trim", "flush"};
  return kNames[static_cast<std::size_t>(op)];
}

/// One request as the application issues it. It may be longer than the drive's maximum transfer (MDTS): the host driver
/// splits it.
struct Request {
  Op op = Op::kRead;
  Lba lba;
  std::uint32_t nlb = 0;      // logical blocks of 512 bytes
  Picoseconds measured_from;  // completed before this, from the start of the run: not measured (a job's ramp time)
  Picoseconds arrival;        // open loop: when it is to be submitted, from the start of the run; closed loop: `now`
  std::uint16_t job = 0;
  bool fua = false;             // read from or written to the medium before it completes
  std::uint32_t depth = 1;      // queue depth of the job when it was submitted, with this one: the driver counts
  std::int16_t placement = -1;  // placement identifier of a write; -1: it names none
  std::uint16_t device =
      0;  // device of a trace of several, by first appearance; a drive has one namespace for all of them
  std::uint64_t tag = 0;  // the source's name for it
};

}  // namespace wordline::workload
