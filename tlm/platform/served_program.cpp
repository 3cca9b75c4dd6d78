// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/served_program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace wordline::platform {

ServedProgram::ServedProgram(const std::string& command, const std::string& uri, std::function<void()> ended) {
  std::string shell = "sh", option = "-c", text = command, setting = "uri=" + uri;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "uri=", 4) != 0) environment.push_back(*variable);
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  const int error = posix_spawn(&process_, "/bin/sh", nullptr, nullptr, words, environment.data());
  if (error != 0)
    throw std::runtime_error(
        fmt::format("--run: error: /bin/sh: {}", std::error_code(error, std::generic_category()).message()));
  // Signals are the simulation's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  waits_ = std::thread([this, tell = std::move(ended)] {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ended_ = true;
    tell();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ServedProgram::~ServedProgram() {
  if (!ended_) kill(process_, SIGTERM);
  waits_.join();
}

}  // namespace wordline::platform
