// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::config {

/// The table of keys as JSON Schema (draft 2020-12), for editors that complete and check TOML by one. It describes one
/// file: types, units, choices, ranges of plain numbers. Not in it: ranges of values with units, and what keys mean
/// together; `wordline check` has these.
[[nodiscard]] std::string json_schema();

}  // namespace wordline::config
