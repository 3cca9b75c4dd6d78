// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/checks/load.h"

/// What the program's configuration commands print. All throw ConfigError.
namespace wordline::config {

/// Validates, and says in a few lines what drive this is.
[[nodiscard]] std::string check(const std::string& path, const std::vector<std::string>& sets);
/// Every key with its effective value and, as a comment, its origin. Itself a configuration.
[[nodiscard]] std::string print_config(const std::string& path, const std::vector<std::string>& sets);
/// The configuration of each of many drives, which differ by what is set: a line of JSON each, {"config": {...}} or,
/// where the drive is refused, {"error": "..."}. `points`: of each drive, what is set.
[[nodiscard]] std::string print_configs(const std::string& path, const std::vector<std::vector<std::string>>& points);
/// Meaning, unit, default, range, source of a key, of all keys of a table, or (empty) of all keys.
[[nodiscard]] std::string explain(const std::string& key_or_table);

/// Every key with its effective value, without origins: the same for the same values, wherever they come from.
[[nodiscard]] std::string effective_toml(const Loaded& loaded);
/// SHA-256 of effective_toml() without the table [observe] and cpu.translate, which change nothing that the drive does;
/// 64 hexadecimal digits.
[[nodiscard]] std::string config_sha256(const Loaded& loaded);

}  // namespace wordline::config
