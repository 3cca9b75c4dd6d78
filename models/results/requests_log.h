// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/results/log_file.h"
#include "models/results/request_observer.h"
#include "models/results/request_statistics.h"

namespace wordline::results {

/// Every request of the measurement as a row of a CSV file, in the order of completion: when it was submitted, what it
/// was, its latency, dies and retries, the stage in which it waited the longest and behind what, and its time in each
/// stage. Times are whole picoseconds, which sum exactly. docs/reports.md has the columns.
///
/// Accuracy: as FinishedRequest. A request that ended with an error is not in it (the `errors` of result.json).
class RequestsLog final : public RequestObserver {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  RequestsLog(const std::string& path, std::vector<StageName> stages);

  void finished(const FinishedRequest& request) override;
  void begin_anew() override;
  /// The file is complete. Throws std::runtime_error when a write has failed.
  void close() { file_.close(); }

  /// What is wrong with the name of a log: empty, or a sentence with what to do.
  [[nodiscard]] static std::string name_problem(const std::string& path);

 private:
  void write_header();

  LogFile file_;
  std::vector<StageName> stages_;
  std::string row_;
};

}  // namespace wordline::results
