// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/config/config.h"

namespace wordline::engines {

/// What is hardware, and on how many cores the rest runs.
struct Placement {
  std::string name;
  std::uint32_t cores = 1;
  std::vector<std::uint32_t> task_core;  // cores of the host, ftl and flash task
  std::vector<std::string> engines;      // names in the table of engines, in its order
  std::vector<std::string> sets;         // further key=value
  bool drives_engines = false;           // the drive's, since the placement names none

  /// key=value for a run, all engines included.
  [[nodiscard]] std::vector<std::string> settings() const;
  /// Whether `name` is the one that says cores and engines.
  [[nodiscard]] bool has_plain_name() const;
  /// "parse+job", "all but gc", "none".
  [[nodiscard]] std::string engine_text() const;
};

/// Tasks on cores: one core has all, two keep the ftl task apart, three have one each; a fourth finds nothing to run.
[[nodiscard]] std::vector<std::uint32_t> default_task_core(std::uint32_t cores);

/// 1 to 4 cores, with no engine, with each of those that work alone, with the chains of reads, and with all.
[[nodiscard]] std::vector<Placement> default_placements();
/// 1 to 4 cores with every set of engines that works.
[[nodiscard]] std::vector<Placement> all_placements();
/// What the drive itself has.
[[nodiscard]] Placement placement_of(const config::Config& drive);
/// From a TOML file with a [[placement]] table each: cores, engines, name, task_core, set. Cores with their tasks, and
/// engines, that a table does not name are those of `drive`. A placement that comes again is left out. Throws
/// config::ConfigError with the place of what is wrong.
[[nodiscard]] std::vector<Placement> read_placements(const std::string& path, const Placement& drive);

}  // namespace wordline::engines
