// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace wordline::memory {

/// Zero-filled host memory that costs nothing until it is touched: anonymous pages, not reserved. So a 2 GiB window or
/// a sparse map takes only what the run uses.
class HostMemory {
 public:
  /// Throws std::runtime_error naming `what` when the host has no address space for it.
  HostMemory(std::size_t bytes, const std::string& what);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_;
  std::size_t size_;
};

}  // namespace wordline::memory
