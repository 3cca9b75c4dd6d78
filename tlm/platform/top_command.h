// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::platform {

struct TopOptions {
  std::string socket;  // of a drive served with --live
  bool json = false;   // a line of JSON for each frame
  bool once = false;   // one frame
};

/// `wordline top`: shows what a served drive does, until it ends or a signal comes. Returns the exit code.
int top_command(const TopOptions& options);

}  // namespace wordline::platform
