// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the start of a program. A run of a moment spends a good part of it on page faults and on giving back,
// one by one, what the end of the process gives back at once. So the first allocations, until kArena is used up, are
// cut from one piece in large pages, where the host has them, and are not used again when they are deleted. What comes
// later, or is large, is malloc's.
//
// libsystemc sets 3 MiB to zero while it is loaded, as room for numbers of types that a drive does not use. Arrays of
// this size get large pages, too.
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;
constexpr std::size_t kArena = 3 * kLargePage;
/// Of a run of a moment all but the large tables. A vector that grows leaves its old places behind.
constexpr std::size_t kMostOfArena = std::size_t{64} << 10U;
constexpr std::size_t kAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Constant-initialised: shared libraries allocate before anything of the program is constructed.
struct Arena {
  std::atomic<std::uintptr_t> begin{0}, next{0};

  void* take(std::size_t bytes) {
    const std::uintptr_t first = begin.load(std::memory_order_acquire);
    if (first == 0) return make() ? take(bytes) : nullptr;
    if (next.load(std::memory_order_relaxed) + bytes > first + kArena) return nullptr;
    const std::uintptr_t at = next.fetch_add(bytes, std::memory_order_relaxed);
    // Another thread may have taken the rest; then some of it is nobody's.
    return at + bytes <= first + kArena ? reinterpret_cast<void*>(at) : nullptr;
  }
  [[nodiscard]] bool holds(const void* memory) const {
    return reinterpret_cast<std::uintptr_t>(memory) - begin.load(std::memory_order_relaxed) < kArena;
  }

 private:
  /// The first allocation, when there is one thread.
  bool make() {
    void* const memory = std::aligned_alloc(kLargePage, kArena);
    if (memory == nullptr) return false;
    ::madvise(memory, kArena, MADV_HUGEPAGE);  // where it fails, pages are small
    next.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_relaxed);
    begin.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_release);
    return true;
  }
};
Arena arena;

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes <= kMostOfArena) {
    void* const memory = arena.take((bytes + (bytes == 0 ? 1 : 0) + kAlignment - 1) / kAlignment * kAlignment);
    if (memory != nullptr) return memory;
  }
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* operator new[](std::size_t bytes) {
  if (bytes < kLargePage || bytes > SIZE_MAX - kLargePage) return ::operator new(bytes);
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = std::aligned_alloc(kLargePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  ::madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

void operator delete(void* memory) noexcept {
  if (!arena.holds(memory)) std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }
void operator delete[](void* memory) noexcept { ::operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { ::operator delete(memory); }
