// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/finished_request.h"

namespace wordline::results {

/// Is told of every request of the measurement, beside the Collector's own statistics.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void finished(const FinishedRequest& request) = 0;
};

}  // namespace wordline::results
