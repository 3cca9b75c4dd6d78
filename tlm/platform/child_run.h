// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace wordline::platform {

/// Whole file; throws std::runtime_error when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// A folder for the runs' results: `keep`, which stays, or when that is empty one that is removed at the end.
class RunFolder {
 public:
  explicit RunFolder(const std::string& keep);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  bool keep_;
  std::filesystem::path path_;
};

/// Arguments of `wordline run --quiet` with its results in `out`.
[[nodiscard]] std::vector<std::string> run_arguments(const std::string& config, const std::string& workload,
                                                     const std::vector<std::string>& sets,
                                                     const std::filesystem::path& out);

/// Runs of this program in processes of their own, because SystemC elaborates once in a process. They end with this
/// process, whatever ends it: a StopSignal is passed on to them, and what they have begun they end in order.
class ChildRuns {
 public:
  /// What the run says goes to `log`. `number` is its own, for next().
  void start(std::size_t number, const std::vector<std::string>& arguments, const std::filesystem::path& log);
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  struct Ended {
    std::size_t number;
    int exit_code;  // above 128: killed by a signal
  };
  /// Waits for the next run to end. There must be one.
  [[nodiscard]] Ended next();

  /// One run from start to end; returns its exit code.
  [[nodiscard]] static int run(const std::vector<std::string>& arguments, const std::filesystem::path& log);

 private:
  std::map<pid_t, std::size_t> running_;
  bool stopped_ = false;
};

}  // namespace wordline::platform
