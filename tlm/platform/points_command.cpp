// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/points_command.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/checks/commands.h"
#include "models/checks/load.h"

namespace wordline::platform {

std::string print_points(const std::string& config, const std::vector<std::string>& sets, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw config::ConfigError(fmt::format("{}: error: cannot be read", file));
  std::vector<std::vector<std::string>> points;
  std::string line;
  while (std::getline(in, line)) {
    points.push_back(sets);
    try {
      for (const auto& set : nlohmann::json::parse(line).get<std::vector<std::string>>()) points.back().push_back(set);
    } catch (const nlohmann::json::exception&) {
      throw config::ConfigError(
          fmt::format("{}:{}: error: expected a JSON list of texts, as [\"channels.count=4\"]", file, points.size()));
    }
  }
  return config::print_configs(config, points);
}

void die_with_study() {
  const char* const study = std::getenv("WORDLINE_STUDY");
  if (study == nullptr) return;
  const long parent = std::strtol(study, nullptr, 10);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before this took effect.
  if (parent > 0 && ::getppid() != parent) std::_Exit(128 + SIGKILL);
  ::unsetenv("WORDLINE_STUDY");  // only in the environment of this process, not of what it starts
}

}  // namespace wordline::platform
