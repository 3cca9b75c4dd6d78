// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/journaled_table.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace wordline::memory {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::size_t kRingBytes = std::size_t{WL_JOURNAL_WORDS} * sizeof(wl_journal_word);

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(fmt::format("observe.trigger: {}: {}", what, std::strerror(errno)));
}

void* map(void* at, std::size_t bytes, int flags, int file) {
  void* const p = ::mmap(at, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, file, 0);
  if (p == MAP_FAILED) fail("cannot map memory that copies of the program share");
  return p;
}

}  // namespace

JournaledTable::JournaledTable() {
  journal_.self = this;
  journal_.begin = [](void* self, std::uint32_t* table, std::uint64_t words, int filled) {
    static_cast<JournaledTable*>(self)->begin(table, words, filled != 0);
  };
  auto* const memory = static_cast<std::byte*>(map(nullptr, kPage + kRingBytes, MAP_SHARED | MAP_ANONYMOUS, -1));
  journal_.position = reinterpret_cast<std::uint64_t*>(memory);
  journal_.ring = reinterpret_cast<wl_journal_word*>(memory + kPage);
}

// The table itself belongs to the memory in which it lies.
JournaledTable::~JournaledTable() {
  ::munmap(journal_.position, kPage + kRingBytes);
  if (file_ >= 0) ::close(file_);
}

// The table is changed by what is put below it. NOLINTNEXTLINE(readability-non-const-parameter)
void JournaledTable::begin(std::uint32_t* table, std::uint64_t words, bool filled) {
  if (is_own_) return;
  const auto first = reinterpret_cast<std::uintptr_t>(table), end = first + words * sizeof *table;
  const std::uintptr_t from = (first + kPage - 1) / kPage * kPage, to = end / kPage * kPage;
  if (from >= to) return;
  auto* const pages = reinterpret_cast<std::byte*>(from);
  const std::size_t bytes = to - from;
  file_ = ::memfd_create("wordline map", MFD_CLOEXEC);
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail("cannot make memory that copies share");
  if (filled) {
    void* const content = map(nullptr, bytes, MAP_SHARED, file_);
    std::memcpy(content, pages, bytes);
    ::munmap(content, bytes);
  }
  map(pages, bytes, MAP_SHARED | MAP_FIXED, file_);
  journal_.table = reinterpret_cast<std::uint32_t*>(pages);
  journal_.words = bytes / sizeof *table;
}

/// What was never written is zeros in `to` already.
void JournaledTable::copy_shared(std::byte* to) const {
  for (off_t from = 0;;) {
    from = ::lseek(file_, from, SEEK_DATA);
    if (from < 0) return;  // none is left
    const off_t end = ::lseek(file_, from, SEEK_HOLE);
    while (from < end) {
      const ssize_t got = ::pread(file_, to + from, static_cast<std::size_t>(end - from), from);
      if (got <= 0) fail("cannot read the map of the run");
      from += got;
    }
  }
}

void JournaledTable::return_to(std::uint64_t position) {
  is_own_ = true;
  const std::uint64_t words = std::exchange(journal_.words, 0);
  if (file_ < 0) return;  // the copy is from before the firmware's boot
  if (this->position() - position > WL_JOURNAL_WORDS) {
    throw std::runtime_error(
        fmt::format("observe.trigger: the map has changed {} times since the copy, and the journal "
                    "holds {}: set observe.trigger_before lower",
                    this->position() - position, WL_JOURNAL_WORDS));
  }
  const std::size_t bytes = words * sizeof(std::uint32_t);
  // In huge pages, hundreds of faults fewer; so it begins where the old one does within a huge page.
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(journal_.table) % kHugePage;
  auto* const room = static_cast<std::byte*>(map(nullptr, bytes + 2 * kHugePage, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  std::byte* own = room + (kHugePage - reinterpret_cast<std::uintptr_t>(room) % kHugePage) % kHugePage + offset;
  ::madvise(own, bytes, MADV_HUGEPAGE);  // a host without them does without
  copy_shared(own);
  auto* const table = reinterpret_cast<std::uint32_t*>(own);
  for (std::uint64_t at = this->position(); at > position; --at) {
    const wl_journal_word& word = journal_.ring[(at - 1) % WL_JOURNAL_WORDS];
    table[word.at] = word.was;
  }
  if (::mremap(own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, journal_.table) == MAP_FAILED) {
    fail("cannot give a copy of the program its map");
  }
}

void JournaledTable::forget_before(std::uint64_t position) {
  constexpr std::uint64_t kWordsPerPage = kPage / sizeof(wl_journal_word);
  const std::uint64_t to = position / kWordsPerPage * kWordsPerPage;
  while (forgotten_ < to) {
    const std::uint64_t from = forgotten_ % WL_JOURNAL_WORDS;
    const std::uint64_t words = std::min(to - forgotten_, WL_JOURNAL_WORDS - from);
    ::madvise(journal_.ring + from, words * sizeof(wl_journal_word), MADV_REMOVE);
    forgotten_ += words;
  }
}

}  // namespace wordline::memory
