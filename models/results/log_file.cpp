// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/log_file.h"

#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace wordline::results {
namespace {

namespace fs = std::filesystem;

std::string error_text() { return errno != 0 ? std::strerror(errno) : "unknown reason"; }

}  // namespace

LogFile::LogFile(std::string path, Handle handle) : path_(std::move(path)), partial_(path_), handle_(handle) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    // Behind a symbolic link it is its target that gets new content.
    if (fs::exists(status)) path_ = fs::canonical(path_, error).string();
    partial_ = fmt::format("{}.{}.part", path_, getpid());
  }
  open();
}

LogFile::~LogFile() {
  if (closed_) return;
  release();
  std::error_code error;
  if (partial_ != path_) fs::remove(partial_, error);
}

void LogFile::open() {
  errno = 0;
  if (packed(path_)) {
    packed_ = gzopen(partial_.c_str(), "wb6");
    if (packed_ != nullptr) return;
  } else {
    file_ = std::fopen(partial_.c_str(), "wb");
    if (file_ != nullptr) {
      if (handle_ == Handle::kReopen) release();
      return;
    }
  }
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, error_text()));
}

void LogFile::flush() {
  if (problem_.empty() && !buffer_.empty()) {
    errno = 0;
    bool good = true;
    if (packed_ != nullptr) {
      good =
          gzwrite(packed_, buffer_.data(), static_cast<unsigned>(buffer_.size())) == static_cast<int>(buffer_.size());
    } else {
      if (file_ == nullptr) file_ = std::fopen(partial_.c_str(), "ab");
      good = file_ != nullptr && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    }
    if (!good) problem_ = error_text();
    if (handle_ == Handle::kReopen && !release() && problem_.empty()) problem_ = error_text();
  }
  buffer_.clear();
}

/// False: what was written has not arrived.
bool LogFile::release() {
  errno = 0;
  bool good = true;
  if (packed_ != nullptr) good = gzclose(std::exchange(packed_, nullptr)) == Z_OK;
  if (file_ != nullptr) good = std::fclose(std::exchange(file_, nullptr)) == 0 && good;
  return good;
}

bool LogFile::restart() {
  if (partial_ == path_) return false;
  release();
  buffer_.clear();
  problem_.clear();
  open();
  return true;
}

void LogFile::close() {
  flush();
  if (!release() && problem_.empty()) problem_ = error_text();
  if (problem_.empty() && partial_ != path_) {
    std::error_code error;
    fs::rename(partial_, path_, error);
    if (error) problem_ = error.message();
  }
  if (!problem_.empty()) throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, problem_));
  closed_ = true;
}

}  // namespace wordline::results
