// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/firmware/core/journal.h"

namespace wordline::memory {

/// The map of native firmware, for a run that leaves copies of its process behind (fork; observe.trigger).
///
/// Random writes touch a page of the map each. If the map were memory of the process, the kernel would copy that page,
/// 4 KiB, for each of them after each copy of the process. So it is memory that all of them share, and the firmware
/// keeps what a word held before it changes. A copy that goes on makes itself a map of its own and returns it to what
/// it held when the copy was made.
///
/// Known gaps: with cpu.model = iss the firmware's stores are not seen, so its map stays memory of the process; the
/// same holds where the map unit is the page.
class JournaledTable {
 public:
  JournaledTable();
  ~JournaledTable();
  JournaledTable(const JournaledTable&) = delete;
  JournaledTable& operator=(const JournaledTable&) = delete;

  [[nodiscard]] wl_journal* journal() { return &journal_; }
  /// Words kept so far.
  [[nodiscard]] std::uint64_t position() const { return *journal_.position; }
  /// In a copy, while the run stands still: the table is this process's own from here on, as it was at `position`.
  /// Throws std::runtime_error when there is no memory for it.
  void return_to(std::uint64_t position);
  /// Nobody will return to a position before this one.
  void forget_before(std::uint64_t position);

 private:
  void begin(std::uint32_t* table, std::uint64_t words, bool filled);
  void copy_shared(std::byte* to) const;

  wl_journal journal_{};
  int file_ = -1;  // the shared table, in memory; -1: it has not begun, or this is a copy
  bool is_own_ = false;
  std::uint64_t forgotten_ = 0;  // position
};

}  // namespace wordline::memory
