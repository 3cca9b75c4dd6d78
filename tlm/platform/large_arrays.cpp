// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// libsystemc sets 3 MiB to zero while it is loaded, as room for numbers of types that a drive does not use: 770 page
// faults, a tenth of the start of a run. Arrays of this size get large pages where the host has them. The default
// operator delete[] frees them.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;

}  // namespace

void* operator new[](std::size_t bytes) {
  if (bytes < kLargePage || bytes > SIZE_MAX - kLargePage) return ::operator new(bytes);
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = std::aligned_alloc(kLargePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  ::madvise(memory, whole, MADV_HUGEPAGE);  // where it fails, pages are small
  return memory;
}
