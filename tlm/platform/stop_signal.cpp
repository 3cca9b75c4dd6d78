// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

volatile sig_atomic_t g_received = 0;

void take(int signal) {
  g_received = signal;
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGINT, &plain, nullptr);
  sigaction(SIGTERM, &plain, nullptr);
  sigaction(SIGHUP, &plain, nullptr);
}

}  // namespace

StopSignal::StopSignal() : before_{} {
  struct sigaction action {};
  action.sa_handler = take;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    // A signal that is ignored stays so: a shell starts background programs with SIGINT ignored, nohup with SIGHUP.
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignal::received() { return g_received; }

const char* StopSignal::name() {
  if (g_received == SIGHUP) return "SIGHUP (its terminal is gone)";
  return g_received == SIGINT ? "SIGINT (Ctrl-C)" : "SIGTERM";
}

}  // namespace wordline::platform
