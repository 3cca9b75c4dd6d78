// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/units/quantity.h"
#include "models/workload/request.h"

namespace wordline::results {

using workload::kOpCount;
using workload::Op;

/// A request of the workload that the host has got back.
struct FinishedRequest {
  static constexpr std::uint16_t kNoDie = 0xffff;

  Op op = Op::kRead;
  std::uint16_t job = 0;
  std::uint64_t bytes = 0;
  Picoseconds submitted{}, completed{};
  const Picoseconds* stages = nullptr;  // time in each stage; as many as the RequestStatistics was made for
  std::uint64_t lba = 0;
  std::uint16_t die = kNoDie;  // die that a read of flash was answered by last
  std::uint32_t depth = 1;     // queue depth of the job when the request was submitted, with this one
  bool warm_up = false;        // warm up in a job's own ramp time: not measured

  [[nodiscard]] Picoseconds latency() const { return completed - submitted; }
};

}  // namespace wordline::results
