// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::platform {

/// A command of an installed program that is Python (python/wordline) with these arguments, in place of this process.
/// Python is python3, or what WORDLINE_PYTHON names. Returns only by an exception, when it cannot be started.
[[noreturn]] void python_command(const std::vector<std::string>& arguments);

}  // namespace wordline::platform
