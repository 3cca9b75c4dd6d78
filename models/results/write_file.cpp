// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "models/results/report.h"

namespace wordline::results {
namespace {

namespace fs = std::filesystem;

/// Empty: done; otherwise the reason why not.
std::string write_in_place(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  write(file);
  file.close();
  if (file) return {};
  return errno != 0 ? std::strerror(errno) : "unknown reason";
}

void require(const std::string& path, const std::string& reason) {
  if (!reason.empty()) throw std::runtime_error(fmt::format("{}: cannot be written: {}", path, reason));
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  write_file(path, [&](std::ostream& out) { out << content; });
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // A device or a pipe has no content that could be replaced.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    require(path, write_in_place(path, write));
    return;
  }
  // Behind a symbolic link it is its target that gets new content.
  const fs::path target = fs::exists(status) ? fs::canonical(path, error) : fs::path(path);
  const std::string partial = fmt::format("{}.{}.part", target.string(), getpid());
  std::string reason = write_in_place(partial, write);
  if (reason.empty()) {
    fs::rename(partial, target, error);
    if (error) reason = error.message();
  }
  if (!reason.empty()) fs::remove(partial, error);
  require(path, reason);
}

}  // namespace wordline::results
