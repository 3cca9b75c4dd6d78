// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/config/sha256.h"
#include "models/precondition/boot_tables.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// A state laid out as the drive has it in memory, in a file that is mapped: a run pays for the pages that it touches,
/// and runs at the same time share them. An image belongs to one build of the program and one host; what a state is
/// apart from them, state_file.h has.
///
/// Opening it checks the header alone. Whoever keeps images checks all of one unless a mark says that this very file
/// has been checked (identity()).
class StateImage {
 public:
  /// The digest of all that the image depends on.
  using Key = config::Digest::Value;

  /// `map_page`: as boot_table_sizes() has it. Throws std::runtime_error naming the file and the reason.
  static void write(const std::string& path, const Key& key, const DriveState& state, std::uint32_t map_page);

  /// Throws std::runtime_error with the reason, without the path, when it is no image, of another key or version, cut
  /// short, or damaged in its header.
  StateImage(const std::string& path, const Key& key);
  ~StateImage();
  StateImage(const StateImage&) = delete;
  StateImage& operator=(const StateImage&) = delete;

  /// Reads all of it, and throws std::runtime_error with the reason when it is damaged.
  void check() const;
  /// What changes when somebody writes to the file, replaces or copies it, or when the host starts anew, so that pages
  /// which had not reached the disk are not relied on. Empty: cannot be told.
  [[nodiscard]] std::string identity() const;

  [[nodiscard]] const Geometry& geometry() const;
  [[nodiscard]] std::uint32_t map_page() const;
  [[nodiscard]] std::uint32_t waf_thousandths() const;
  [[nodiscard]] std::vector<Superblock> superblocks() const;
  [[nodiscard]] const Content* ppas() const;
  /// The tables, which are not to be written to.
  [[nodiscard]] const std::uint32_t* map() const;
  [[nodiscard]] const wl_presence* presence() const;

  /// Maps the tables over `tables`: what is written there later stays with this process. Where they do not lie at
  /// pages of the host they are copied.
  void place(const BootTables& tables) const;

 private:
  void map_whole(const Key& key);
  void map_over(void* to, std::uint64_t offset, std::uint64_t bytes) const;

  int file_ = -1;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace wordline::precondition
