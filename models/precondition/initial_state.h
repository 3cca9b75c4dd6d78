// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/precondition/boot_tables.h"
#include "models/precondition/drive_state.h"
#include "models/precondition/state_image.h"

namespace wordline::precondition {

/// What a drive begins with. Two ways to the same: a state in memory, or an image of it that is mapped, of which only
/// what a run touches is read.
class InitialState {
 public:
  /// `map_page`: as boot_table_sizes() has it.
  InitialState(DriveState state, std::uint32_t map_page);
  explicit InitialState(std::unique_ptr<const StateImage> image);

  [[nodiscard]] const std::vector<Superblock>& superblocks() const { return state_.superblocks; }
  [[nodiscard]] std::uint32_t waf_thousandths() const { return state_.waf_thousandths; }
  /// Whether a superblock is open, as on a drive at work.
  [[nodiscard]] bool at_work() const;
  [[nodiscard]] std::uint32_t filled_units(std::uint32_t superblock) const;

  [[nodiscard]] std::uint64_t ppas() const { return state_.geometry.ppas(); }
  [[nodiscard]] Content at(std::uint64_t ppa) const { return ppas_[ppa]; }
  /// Whether a read of the logical page finds data.
  [[nodiscard]] bool is_mapped(std::uint32_t lpn) const;
  /// All of them.
  [[nodiscard]] bool is_full() const { return is_full_; }

  /// As precondition::write_boot_tables(). `info` is of the drive that the state is of.
  [[nodiscard]] wl_initial_state write_boot_tables(std::byte* dram, wl_boot_info& info) const;

 private:
  DriveState state_;  // state of an image: without PPAs
  std::uint32_t map_page_;
  std::unique_ptr<const StateImage> image_;
  const Content* ppas_;
  bool is_full_;
  std::vector<bool> mapped_;  // mapped by logical page; empty: the drive is full, or the image says it
};

/// The state in precondition.file. Throws as load_state().
[[nodiscard]] DriveState load_state_of(const config::Config& config, const config::Layout& layout);

/// The state that the drive of this configuration begins with: loaded from precondition.file, or made; null: it is
/// fresh, or filled in order by rule. `states`: folder where images of states are kept for other runs (KeptStates);
/// empty: none. Throws config::ConfigError when a file cannot be used.
[[nodiscard]] std::unique_ptr<const InitialState> initial_state(const config::Config& config,
                                                                const config::Layout& layout,
                                                                const std::string& states = "",
                                                                std::string* note = nullptr);

}  // namespace wordline::precondition
