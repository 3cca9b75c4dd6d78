// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::precondition {

/// Differs between builds of the program that differ: what the linker noted of its content, else the hash of the file.
[[nodiscard]] const std::string& program_identity();

}  // namespace wordline::precondition
