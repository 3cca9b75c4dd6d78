// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::precondition {

/// Changes when somebody writes to a file, or puts another one or a copy in its place. Empty: there is no such file.
[[nodiscard]] std::string file_identity(const std::string& path);
[[nodiscard]] std::string file_identity(int open_file);

}  // namespace wordline::precondition
