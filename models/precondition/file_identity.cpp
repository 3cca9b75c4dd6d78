// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/file_identity.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace wordline::precondition {
namespace {

/// The time of its last change is the kernel's: it cannot be set as that of the last write can.
std::string text_of(const struct stat& s) {
  return fmt::format("device {} file {} bytes {} written {}.{:09} changed {}.{:09}", s.st_dev, s.st_ino, s.st_size,
                     s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}

}  // namespace

std::string file_identity(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? text_of(status) : std::string();
}

std::string file_identity(int open_file) {
  struct stat status {};
  return ::fstat(open_file, &status) == 0 ? text_of(status) : std::string();
}

}  // namespace wordline::precondition
