// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wordline::results {

/// What a drive has done since power-on, and how full it is: the counts that show whether it still fills up.
struct DriveCounts {
  std::uint64_t written = 0;      // logical pages that the host has written
  std::uint64_t programmed = 0;   // logical pages
  std::uint64_t copied = 0;       // logical pages that GC programmed
  std::uint64_t collected = 0;    // superblocks emptied and erased
  std::uint64_t buffered = 0;     // logical pages in the write buffer
  std::uint32_t superblocks = 0;  // free
  std::uint64_t learned = 0;      // references that reads found, where nothing was known
};

}  // namespace wordline::results
