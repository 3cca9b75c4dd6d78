// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/studies_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "tlm/platform/installed_files.h"

namespace wordline::platform {

void python_command(const std::vector<std::string>& arguments) {
  const char* const named = std::getenv("WORDLINE_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  std::vector<std::string> words{python, "-m", "wordline"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("WORDLINE_PROGRAM", std::filesystem::read_symlink("/proc/self/exe").c_str(), 1);
  if (std::filesystem::is_directory(share_folder() / "python")) {  // a wheel has it elsewhere
    setenv("PYTHONPATH", (share_folder() / "python").c_str(), 1);
  }
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  execvp(argv[0], argv.data());
  throw std::runtime_error(fmt::format("cannot start {}: {}; WORDLINE_PYTHON names the Python with the packages of {}",
                                       python, std::strerror(errno),
                                       (share_folder() / "scripts/requirements.txt").string()));
}

}  // namespace wordline::platform
