// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/exit_guard.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace wordline::platform {
namespace {

ExitGuard* g_youngest = nullptr;

}  // namespace

ExitGuard::ExitGuard(std::function<void()> leave) : leave_(std::move(leave)), before_(g_youngest) {
  static const int kRegistered = std::atexit(act);
  (void)kRegistered;
  g_youngest = this;
}

ExitGuard::~ExitGuard() { g_youngest = before_; }

/// exit() leaves the stack as it is, so all that the run has made is still there.
void ExitGuard::act() {
  if (g_youngest == nullptr) return;
  const std::function<void()> leave = std::move(g_youngest->leave_);
  if (leave) leave();
  std::cout.flush();
  std::cerr << "wordline: " << kReason << '\n';
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace wordline::platform
