// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tlm/platform/crash_test_command.h"

namespace wordline::platform {

/// The line that repeats one drive's cuts, as a user types it.
[[nodiscard]] std::string line_of_cuts(const CrashTestOptions& options, std::uint64_t seed,
                                       const std::vector<std::uint64_t>& instants);

/// Leaves out one cut after the other, as long as a promise is broken all the same (another one, perhaps: a drive that
/// was cut less often has other data). Empty: these cuts do not break one by their instants alone. `folder`: for logs.
[[nodiscard]] std::vector<std::uint64_t> fewest_cuts(const CrashTestOptions& options, std::uint64_t seed,
                                                     std::vector<std::uint64_t> instants,
                                                     const std::filesystem::path& folder);

/// These cuts once more; all that they leave stays in `out`. Returns the line that says how to see what failed.
[[nodiscard]] std::string repeat_cuts(const CrashTestOptions& options, std::uint64_t seed,
                                      const std::vector<std::uint64_t>& instants, const std::filesystem::path& out);

}  // namespace wordline::platform
