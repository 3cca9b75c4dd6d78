// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace wordline::platform {

/// While this object lives, exit() is no way to end the program: a block or a firmware of the user's that calls it
/// would end a run as if all had gone well. The program then says so and ends with 1. Of several objects the youngest
/// acts.
class ExitGuard {
 public:
  /// `leave`: what a run leaves of itself, before the program ends.
  explicit ExitGuard(std::function<void()> leave = {});
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  static constexpr const char* kReason =
      "exit() was called within the program, by a block or a firmware of your own: the end of a run is the program's; "
      "let the function return, with an error where it can";

 private:
  static void act();

  std::function<void()> leave_;
  ExitGuard* const before_;
};

}  // namespace wordline::platform
