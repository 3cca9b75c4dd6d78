// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tlm/platform/crash_test_command.h"

namespace wordline::platform {

/// `wordline crash-test --every` and `--at`: one drive, cut at chosen instants. Runs repeat exactly, so the instants at
/// which its programs and erases begin and end are those of a run before. What flash holds changes in no other: the
/// drive is cut at each begin (nothing of it is there yet), a picosecond before each end (it is torn), and at each end.
/// What each cut leaves is mounted and written on, by a process that checks all of it, and whose mount is cut in the
/// same way as deep as asked for. Depth first, so that few images are kept at a time.
class CrashCuts {
 public:
  /// `folder`: for images, results and logs.
  CrashCuts(const CrashTestOptions& options, std::filesystem::path folder);
  ~CrashCuts();
  /// Returns the exit code, as crash_test_command().
  [[nodiscard]] int run();

 private:
  struct Image;
  struct Task;

  [[nodiscard]] std::vector<std::string> arguments_of(const Task& task, const std::filesystem::path& out,
                                                      const std::vector<std::string>& more) const;
  [[nodiscard]] std::filesystem::path files_of(const Task& task) const;
  void push_cuts(const Task& recorded, std::uint64_t until_ps);
  /// What follows a run that did what it should.
  void follow(const Task& task);
  void fails(const Task& task, int exit_code) const;
  void leave_waves(const Task& task) const;

  const CrashTestOptions& options_;
  const std::filesystem::path folder_;
  std::vector<std::shared_ptr<Task>> tasks_;  // those to come, the next one last
  std::uint64_t numbers_ = 0;
  std::vector<std::uint64_t> cuts_;  // by depth
  double slowest_ = 0;               // mount, s
};

}  // namespace wordline::platform
