// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/child_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tlm/platform/stop_signal.h"

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

void ChildRuns::start(std::size_t number, const std::vector<std::string>& arguments, const fs::path& log) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", log.string(), std::strerror(errno)));
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // A group of its own: Ctrl-C reaches the parent alone, which passes it on once.
    setpgid(0, 0);
    // The parent may have ended before this took effect.
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) _exit(127);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(file);
  if (child < 0) throw std::runtime_error(fmt::format("cannot start a run: {}", std::strerror(errno)));
  running_.emplace(child, number);
}

ChildRuns::Ended ChildRuns::next() {
  while (true) {
    if (StopSignal::received() != 0 && !stopped_) {
      stopped_ = true;
      for (const auto& [child, number] : running_) kill(child, SIGTERM);
    }
    int status = 0;
    // Not a wait that blocks: a signal that comes just before it would be seen only after it.
    const pid_t child = waitpid(-1, &status, WNOHANG);
    if (child < 0 && errno != EINTR) {
      throw std::runtime_error(fmt::format("cannot wait for a run: {}", std::strerror(errno)));
    }
    const auto found = running_.find(child);
    if (found != running_.end()) {
      const Ended ended{found->second, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
      running_.erase(found);
      return ended;
    }
    if (child <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int ChildRuns::run(const std::vector<std::string>& arguments, const fs::path& log) {
  ChildRuns runs;
  runs.start(0, arguments, log);
  return runs.next().exit_code;
}

}  // namespace wordline::platform
