// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/anonymous_pages.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace wordline::memory {

AnonymousPages::AnonymousPages(std::size_t bytes, const std::string& what) : data_(nullptr), size_(bytes) {
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("{}: cannot map {} bytes of host memory: {} (is there an address-space limit, "
                    "see ulimit -v?)",
                    what, bytes, std::strerror(errno)));
  }
  data_ = static_cast<std::byte*>(p);
}

AnonymousPages::~AnonymousPages() { ::munmap(data_, size_); }

}  // namespace wordline::memory
