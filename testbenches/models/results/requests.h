// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/finished_request.h"

namespace wordline::results {

/// A request with what all tests name; the rest is as FinishedRequest has it.
inline FinishedRequest request(Op op, std::uint64_t bytes, Picoseconds submitted, Picoseconds completed,
                               const Picoseconds* stages) {
  FinishedRequest request;
  request.op = op;
  request.bytes = bytes;
  request.submitted = submitted;
  request.completed = completed;
  request.stages = stages;
  return request;
}

}  // namespace wordline::results
