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
}

}  // namespace

StopSignal::StopSignal() : interrupt_before_{}, terminate_before_{} {
  struct sigaction action {};
  action.sa_handler = take;
  sigemptyset(&action.sa_mask);
  // A signal that is ignored stays so: a shell starts background programs with SIGINT ignored.
  sigaction(SIGINT, nullptr, &interrupt_before_);
  if (interrupt_before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, nullptr, &terminate_before_);
  if (terminate_before_.sa_handler != SIG_IGN) sigaction(SIGTERM, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

int StopSignal::received() { return g_received; }

}  // namespace wordline::platform
