// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/oracle_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace wordline::host {

OracleMemory::OracleMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
  data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
  ::madvise(data_, bytes_, MADV_DONTFORK);
}

OracleMemory::~OracleMemory() { ::munmap(data_, bytes_); }

}  // namespace wordline::host
