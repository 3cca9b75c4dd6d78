// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
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
                                                     const std::vector<std::string>& sets, const std::filesystem::path& out);

/// Starts this program again, in a process of its own, because SystemC elaborates once in a process; what it says goes to `log`.
/// Returns its process id.
[[nodiscard]] pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& log);

/// Exit code of a process as waitpid() gave it; above 128: killed by a signal.
[[nodiscard]] int exit_code(int status);

}  // namespace wordline::platform
