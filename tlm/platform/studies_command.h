// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::platform {

/// `wordline explore` of an installed program: Python (scripts/studies) with these arguments in place of this process.
/// Python is python3, or what WORDLINE_PYTHON names. Returns only by an exception, when it cannot be started.
[[noreturn]] void explore_command(const std::vector<std::string>& arguments);

}  // namespace wordline::platform
