// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "tlm/platform/terminal.h"

namespace wordline::platform {

Progress::Progress(bool quiet, std::uint64_t total) : enabled_(!quiet && isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done, Picoseconds simulated) {
  if (!enabled_) return;
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  if (elapsed < 1.0 || now - last_ < std::chrono::milliseconds(500)) return;
  last_ = now;
  shown_ = true;
  const double rate = static_cast<double>(done) / elapsed;
  std::string line = fmt::format("{} requests", done);
  if (total_ != 0) {
    line = fmt::format("{} of {} requests ({:.0f} %)", done, total_,
                       100.0 * static_cast<double>(done) / static_cast<double>(total_));
  }
  if (total_ > done && rate > 0) line += fmt::format(", {:.0f} s left", static_cast<double>(total_ - done) / rate);
  // A line as long as the terminal is wide would scroll: what there is no room for is left out, not cut.
  const std::size_t width = terminal_width(STDERR_FILENO);
  for (const std::string& part : {fmt::format(", simulated {:.3f} s", static_cast<double>(simulated.count()) * 1e-12),
                                  fmt::format(", {:.0f} requests/s", rate)}) {
    if (width == 0 || line.size() + part.size() < width) line += part;
  }
  if (width != 0 && line.size() >= width) line.resize(width - 1);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

}  // namespace wordline::platform
