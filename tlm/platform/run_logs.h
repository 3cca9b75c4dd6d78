// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/results/fio_logs.h"
#include "models/results/request_statistics.h"
#include "models/results/requests_log.h"
#include "models/workload/source.h"
#include "tlm/platform/run_command.h"

namespace wordline::platform {

/// The logs of a run: of each request, and those that fio's job file asks for. Without any it costs nothing.
class RunLogs {
 public:
  /// Throws std::runtime_error when a file cannot be written.
  RunLogs(const RunOptions& options, const workload::Source& source);

  void observe(results::RequestStatistics& statistics);
  /// The files are complete. Throws std::runtime_error when a write has failed.
  void close();
  /// What a job file asked for in vain; empty: nothing.
  [[nodiscard]] const std::string& notice() const { return notice_; }

 private:
  std::unique_ptr<results::RequestsLog> requests_;  // null: none
  std::unique_ptr<results::FioLogs> fio_;           // null: none
  std::string notice_;
};

}  // namespace wordline::platform
