// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/view_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace wordline::platform {

int view_command(const std::string& folder) {
  const std::string view = folder + "/waves.gtkw";
  const std::string dump = folder + "/waves.fst";
  if (!std::filesystem::exists(dump)) {
    throw std::runtime_error(fmt::format("{} is not there: run with --set observe.waves=true --out {}", dump, folder));
  }
  execlp("gtkwave", "gtkwave", "-f", dump.c_str(), "-a", view.c_str(), static_cast<char*>(nullptr));
  throw std::runtime_error(fmt::format("cannot start gtkwave: {} (./scripts/setup installs it)", std::strerror(errno)));
}

}  // namespace wordline::platform
