// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <iterator>

namespace wordline::platform {

/// While this object lives, the first SIGINT, SIGTERM or SIGHUP asks for an end in order (results, folders), and the
/// second one ends the program at once; so does the program itself when it has worked for kPatience without asking
/// for the signal, as in an endless loop of somebody's block. System calls that wait return with EINTR.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static constexpr int kPatience = 10;  // seconds of CPU time

  /// The signal that came, 0: none. Asking shows that the program is on its way to an end.
  [[nodiscard]] static int received();
  /// Its name, for a person.
  [[nodiscard]] static const char* name();
  /// What a shell reports of a program that this signal has ended.
  [[nodiscard]] static int exit_code() { return 128 + received(); }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace wordline::platform
