// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_logs.h"

#include "tlm/platform/run_report.h"

namespace wordline::platform {

RunLogs::RunLogs(const RunOptions& options, const workload::Source& source) {
  if (!options.record.empty()) return;  // the same run again, for its waves
  if (!options.requests_in.log.empty()) {
    requests_ = std::make_unique<results::RequestsLog>(options.requests_in.log, stage_names());
  }
  if (!results::FioLogs::wanted(source)) return;
  if (options.out.empty()) {
    notice_ =
        "the job file asks for fio's logs (write_lat_log and the like): they go to the folder of "
        "--out, and there is none";
  } else {
    fio_ = std::make_unique<results::FioLogs>(source, options.out);
  }
}

void RunLogs::observe(results::RequestStatistics& statistics) {
  if (requests_ != nullptr) statistics.observe(*requests_);
  if (fio_ != nullptr) statistics.observe(*fio_);
}

void RunLogs::close() {
  if (requests_ != nullptr) requests_->close();
  if (fio_ != nullptr) fio_->close();
}

}  // namespace wordline::platform
