// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "models/units/quantity.h"
#include "tlm/device/drive.h"
#include "tlm/host/driver/run_borders.h"

namespace wordline::platform {

/// What the blocks of a drive hold before the first command, by what it begins with.
class MountedContents {
 public:
  MountedContents(const config::Config& config, const config::Layout& layout, const precondition::InitialState* state,
                  const precondition::FlashImage* image);

  /// The bits of its stamp.
  [[nodiscard]] std::uint64_t at(std::uint64_t lba) const;
  /// Whether a mount that is cut may leave this content, at() beside.
  [[nodiscard]] bool may_become(std::uint64_t lba, std::uint64_t content) const;
  [[nodiscard]] bool begins_with_data() const { return filled_; }
  /// Of a drive that has mounted an image.
  [[nodiscard]] const data::HeldContents& of_image() const { return found_; }

 private:
  const LpageSize size_;
  const bool filled_;
  const precondition::InitialState* state_;
  std::unordered_map<std::uint32_t, std::vector<data::LpageStamps>> beside_;
  data::HeldContents found_;  // no logical pages: there is no image
};

/// When the host is let in: the map that the firmware has made points to the content that a scan of the same flash has
/// found, for every logical page.
class MountCheck final : public host::RunBorders::Listener {
 public:
  MountCheck(device::Drive& drive, const MountedContents& contents) : drive_(drive), contents_(contents) {}

  void reached(host::RunBorder border) override;
  /// When the host was let in, and had brought the drive up; nothing: it was not.
  [[nodiscard]] std::optional<Picoseconds> at() const { return at_; }
  /// Empty: none, so far.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  device::Drive& drive_;
  const MountedContents& contents_;
  std::optional<Picoseconds> at_;
  std::string problem_;
};

}  // namespace wordline::platform
