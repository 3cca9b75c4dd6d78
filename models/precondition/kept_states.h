// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/precondition/drive_state.h"
#include "models/precondition/make_state.h"

namespace wordline::precondition {

/// A folder of states that were made, so that the runs of a sweep make each state once. A run begins with the same
/// state, whether it was made or taken from there. Processes may share the folder: one makes a state, the others wait
/// for it.
class KeptStates {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;

  /// `folder` is made when it is not there. `most_bytes`: beyond it the states that were not used for longest go.
  explicit KeptStates(std::string folder, std::uint64_t most_bytes = kMostBytes);

  /// As make_state() makes it. A file that is damaged is made again, and `note` says so. Throws config::ConfigError
  /// when the folder cannot be used.
  [[nodiscard]] DriveState state_of(const Recipe& recipe, std::string* note = nullptr) const;

 private:
  void make_room(const std::string& except) const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace wordline::precondition
