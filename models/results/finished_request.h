// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/results/wait_causes.h"
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
  // Time behind each WaitCause, kWaitCauses of them; null: nobody has asked. As the stages of its last command.
  const Picoseconds* waits = nullptr;
  std::uint32_t retries = 0;  // steps of read retry that its flash reads took, of all its commands
  const std::vector<std::uint16_t>* dies = nullptr;  // of its flash reads, in the order of their ends; null: none

  [[nodiscard]] Picoseconds latency() const { return completed - submitted; }
};

}  // namespace wordline::results
