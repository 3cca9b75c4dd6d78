// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/precondition/drive_state.h"
#include "models/precondition/initial_state.h"
#include "models/precondition/make_state.h"

namespace wordline::precondition {

/// A folder of images of states, so that the runs of a sweep make or load each state once. A run begins with the same
/// state, whether it was made or taken from there. Processes may share the folder: one makes an image, the others wait
/// for it, and map it together.
///
/// All of an image is checked when no mark beside it (`.checked`) says that it has been, since it was written last and
/// since the host was started: what is damaged then, of another build or of another drive is made again.
class KeptStates {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;

  /// `folder` is made when it is not there. `most_bytes`: beyond it the images that were not used for longest go.
  explicit KeptStates(std::string folder, std::uint64_t most_bytes = kMostBytes);

  /// As make_state() makes it. `map_page`: as InitialState has it. `note` says when and why an image was made again.
  /// Throws config::ConfigError when the folder cannot be used.
  [[nodiscard]] std::unique_ptr<const InitialState> state_of(const Recipe& recipe, std::uint32_t map_page,
                                                             std::string* note = nullptr) const;
  /// The one in precondition.file, which is read and checked when the file is another one than before.
  [[nodiscard]] std::unique_ptr<const InitialState> of_file(const config::Config& config, const config::Layout& layout,
                                                            std::string* note = nullptr) const;

 private:
  using Make = std::function<DriveState()>;
  [[nodiscard]] std::unique_ptr<const InitialState> image_of(const std::string& what, std::uint32_t map_page,
                                                             const Make& make, std::string* note) const;
  void make_room(const std::string& except) const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace wordline::precondition
