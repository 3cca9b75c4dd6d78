// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/fio/job.h"

namespace wordline::workload::fio {

/// Whether a job has rates or think times, which a faster host would not have.
[[nodiscard]] bool is_paced(const Job& job);

/// Each job with `deeper` times the requests in flight, `faster` times the rates and a share of the think times. A job
/// of an engine that keeps one request in flight becomes one that keeps several: the question is about the drive.
void scale(File& file, std::uint32_t deeper, double faster);

}  // namespace wordline::workload::fio
