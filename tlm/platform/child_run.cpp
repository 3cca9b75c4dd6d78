// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/child_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace wordline::platform {
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  return text.str();
}

RunFolder::RunFolder(const std::string& keep) : keep_(!keep.empty()) {
  if (keep_) {
    path_ = keep;
    fs::create_directories(path_);
    return;
  }
  std::string name = (fs::temp_directory_path() / "wordline-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(fmt::format("{}: cannot make a folder for the runs: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!keep_) fs::remove_all(path_, ignored);
}

std::vector<std::string> run_arguments(const std::string& config, const std::string& workload,
                                       const std::vector<std::string>& sets, const fs::path& out) {
  std::vector<std::string> arguments{"wordline", "run",     config,  "--workload",
                                     workload,   "--quiet", "--out", out.string()};
  for (const std::string& set : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  return arguments;
}

pid_t start(const std::vector<std::string>& arguments, const fs::path& log) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", log.string(), std::strerror(errno)));
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(file);
  if (child < 0) throw std::runtime_error(fmt::format("cannot start a run: {}", std::strerror(errno)));
  return child;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace wordline::platform
