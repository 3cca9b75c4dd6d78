// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/stop_signal.h"

#include <sys/time.h>
#include <unistd.h>

#include <cstring>

namespace wordline::platform {
namespace {

volatile sig_atomic_t g_received = 0;

/// Of CPU time, 0: none.
void set_timer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void give_up(int) {
  const char* const text = "wordline: ended at once, without results: it did not come to an end in order\n";
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  (void)written;  // there is nobody else to tell
  _exit(128 + g_received);
}

void take(int signal) {
  g_received = signal;
  struct sigaction late {};
  late.sa_handler = give_up;
  sigaction(SIGPROF, &late, nullptr);
  set_timer(StopSignal::kPatience);
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

int StopSignal::received() {
  if (g_received != 0) set_timer(0);
  return g_received;
}

const char* StopSignal::name() {
  if (g_received == SIGHUP) return "SIGHUP (its terminal is gone)";
  return g_received == SIGINT ? "SIGINT (Ctrl-C)" : "SIGTERM";
}

}  // namespace wordline::platform
