// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::platform {

/// A folder of results that belongs to one run while this object lives: of two runs at once, the results of one would
/// lie beside the waves of the other. Throws ConfigError where another run has it. Leaves no file.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace wordline::platform
