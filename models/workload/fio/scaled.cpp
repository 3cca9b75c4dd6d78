// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/scaled.h"

#include <algorithm>
#include <cmath>

namespace wordline::workload::fio {
namespace {

void divide(Picoseconds& time, double by) { time = Picoseconds(std::llround(static_cast<double>(time.count()) / by)); }

void multiply(ByOp<std::uint64_t>& rates, double by) {
  for (std::uint64_t& rate : rates) rate = static_cast<std::uint64_t>(std::llround(static_cast<double>(rate) * by));
}

}  // namespace

bool is_paced(const Job& job) {
  const auto given = [](const ByOp<std::uint64_t>& rates) {
    return std::any_of(rates.begin(), rates.end(), [](std::uint64_t rate) { return rate != 0; });
  };
  const Pacing& pacing = job.pacing;
  return pacing.thinktime > Picoseconds(0) || given(pacing.rate) || given(pacing.rate_iops);
}

void scale(File& file, std::uint32_t deeper, double faster) {
  for (Job& job : file.jobs) {
    if (deeper != 1) {
      job.iodepth = job.depth() * deeper;
      job.iodepth_low *= deeper;
      job.synchronous = false;
    }
    if (faster == 1.0) continue;
    multiply(job.pacing.rate, faster);
    multiply(job.pacing.rate_iops, faster);
    divide(job.pacing.thinktime, faster);
  }
}

}  // namespace wordline::workload::fio
