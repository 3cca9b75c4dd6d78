// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/config/value.h"

namespace wordline::config {

/// All problems of a configuration. what() has one line per problem, each starting with its place:
/// "drive.toml:3:1: error: ..." or "--set dram.latency=60MHz: error: ...".
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A key's effective value and where it comes from.
struct Setting {
  Value value;
  std::string origin;  // "default", "drive.toml:12", "--set" or "channels.mode = sdr-5"
};

/// A validated configuration.
struct Loaded {
  Config config;
  std::vector<Setting> settings;  // one per key, in the order of schema()
};

/// Reads `path` (empty: no file, every key has its default) and the files it extends, then applies `sets` ("key=value",
/// TOML values or bare words such as 45us), then checks every value and all values together. `extends = "file"` (or a
/// list of files, later ones win) is relative to the file that says it. Throws ConfigError with every problem found.
[[nodiscard]] Loaded load(const std::string& path, const std::vector<std::string>& sets);

}  // namespace wordline::config
