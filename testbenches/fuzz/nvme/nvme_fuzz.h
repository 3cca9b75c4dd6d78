// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/fuzz/tally.h"

namespace wordline::fuzz {

/// Boots the drive of `config` with the settings `sets` and gives it hostile commands, and what else a host can do to a
/// controller (doorbells, queues deleted under load, resets, shutdowns, queues where there is no memory), between
/// well-formed commands whose data are checked. Ends after `commands` commands or at the first thing that never
/// ends. Same seed, same commands. Once per process.
[[nodiscard]] Tally fuzz_nvme(const std::string& config, const std::vector<std::string>& sets, std::uint64_t commands,
                              std::uint64_t seed);

}  // namespace wordline::fuzz
