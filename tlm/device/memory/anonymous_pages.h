// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace wordline::memory {

/// Zero-filled host memory that costs nothing until it is touched: anonymous pages, not reserved. So a 2 GiB window or
/// a sparse map takes only what the run uses.
class AnonymousPages {
 public:
  /// Throws std::runtime_error naming `what` when the host has no address space for it.
  AnonymousPages(std::size_t bytes, const std::string& what);
  ~AnonymousPages();
  AnonymousPages(const AnonymousPages&) = delete;
  AnonymousPages& operator=(const AnonymousPages&) = delete;

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_;
  std::size_t size_;
};

}  // namespace wordline::memory
