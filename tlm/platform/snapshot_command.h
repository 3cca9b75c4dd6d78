// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tlm/device/drive.h"

namespace wordline::platform {

struct SnapshotOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string out;
  bool quiet = false;
};

/// Throws config::ConfigError where `config` is of a drive whose state cannot be written to a file.
void check_can_be_kept(const config::Config& config);

/// `wordline snapshot`: makes the state that the configuration asks for and writes it to a file for precondition.file.
int snapshot_command(const SnapshotOptions& options);

/// For `wordline check`: the file that the configuration names fits, and what it is; empty: it names none.
[[nodiscard]] std::string check_snapshot(const std::string& config, const std::vector<std::string>& sets);

/// `wordline run --snapshot`: lets the drive come to rest, shuts it down without time, and writes its state. `origin`:
/// what has been run, for people.
void save_snapshot(device::Drive& drive, const config::Config& config, const config::Layout& layout,
                   const std::string& origin, const std::string& path);

/// ... of a drive in which nothing is under way.
void save_snapshot_at_rest(device::Drive& drive, const config::Config& config, const config::Layout& layout,
                           const std::string& origin, const std::string& path);

}  // namespace wordline::platform
