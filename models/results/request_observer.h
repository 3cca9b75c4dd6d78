// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/results/finished_request.h"

namespace wordline::results {

/// Gets every request of the measurement, as RequestStatistics does.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void finished(const FinishedRequest& request) = 0;
  /// What was reported so far was the warm-up.
  virtual void begin_anew() {}
};

}  // namespace wordline::results
