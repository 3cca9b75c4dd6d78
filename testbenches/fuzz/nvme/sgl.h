// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/fuzz/draws.h"
#include "testbenches/fuzz/nvme/hostile_host.h"

namespace wordline::fuzz {

/// Consecutive bytes of a command's data in host memory.
struct Stretch {
  std::uint64_t address;
  std::uint64_t bytes;
};

/// Makes the entry's data pointer an SGL over `stretches`, cut into data blocks of multiples of `unit`, in the entry or
/// in segments of the page `list`, with empty descriptors among them. `to_host`: bit buckets of other lengths than 0
/// would take data.
void set_sgl(host::nvme::SubmissionEntry& entry, const std::vector<Stretch>& stretches, std::uint32_t unit,
             bool to_host, std::uint64_t list, HostileHost& host, Draws& draws);

/// Descriptors of any kind, of which some name a segment in the page `list` again.
void set_hostile_sgl(host::nvme::SubmissionEntry& entry, std::uint64_t data, std::uint64_t list, HostileHost& host,
                     Draws& draws);

}  // namespace wordline::fuzz
