// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::config {

/// Policies and engines with what each needs of a drive, and keys that need a value of another one, as JSON: for
/// scripts that go through all of them.
[[nodiscard]] std::string tables_json();

}  // namespace wordline::config
