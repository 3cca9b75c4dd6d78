// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// What a study asks of the program, which runs it many times.
namespace wordline::platform {

/// A line of JSON for each line of `file`, as config::print_configs() writes it. `sets` hold for all of them. Throws
/// config::ConfigError that names the line when one is no JSON list of texts.
[[nodiscard]] std::string print_points(const std::string& config, const std::vector<std::string>& sets,
                                       const std::string& file);

/// With the environment variable WORDLINE_STUDY, the number of the process that studies: ends with it. A study that is
/// killed takes its runs along; asking for that here, in place of between fork and exec, lets it start them by vfork.
void die_with_study();

}  // namespace wordline::platform
