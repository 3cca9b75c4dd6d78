// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace wordline::platform {

struct ViewOptions {
  std::string folder;          // folder of a run
  std::string what = "waves";  // waves, timeline or report
  std::size_t slowest = 0;     // slowest from 1: the view of this one of the slowest requests; 0: the run's view
  std::string op;              // with slowest: of this operation; empty: of all
  std::string within;          // with slowest: FROM..TO: of those submitted in this time; empty: of all
  bool print_only = false;     // write the view and say what it shows, open nothing
};

/// `wordline view`: replaces this process by GTKWave with the view that the run left, or with one of a slow request:
/// its time from marker A to marker B, and its channel and die open. Throws std::runtime_error when the folder has no
/// waveform, when the request lies outside of it (with the keys that record it), or when GTKWave cannot be started.
/// A timeline is for a page that the user opens: says which. A report is opened in the browser.
int view_command(const ViewOptions& options);

}  // namespace wordline::platform
