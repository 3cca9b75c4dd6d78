// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace wordline::platform {

/// A command of the shell that uses a served drive: its environment has `uri`, where the drive is.
class ServedProgram {
 public:
  /// Starts it. `ended` is called on another thread when it has ended. Throws std::runtime_error.
  ServedProgram(const std::string& command, const std::string& uri, std::function<void()> ended);
  /// Ends it, if it has not ended, and waits for it.
  ~ServedProgram();
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;

  [[nodiscard]] bool has_ended() const { return ended_; }
  /// As a shell has it, 128 + N where signal N has ended it; has_ended().
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  pid_t process_ = -1;
  std::atomic<bool> ended_{false};
  std::atomic<int> exit_code_{0};
  std::thread waits_;
};

}  // namespace wordline::platform
