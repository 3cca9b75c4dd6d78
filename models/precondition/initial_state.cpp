// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/initial_state.h"

#include <algorithm>
#include <utility>

#include "models/precondition/kept_states.h"
#include "models/precondition/make_state.h"
#include "models/precondition/state_file.h"

namespace wordline::precondition {
namespace {

DriveState without_ppas(const StateImage& image) {
  DriveState state;
  state.geometry = image.geometry();
  state.superblocks = image.superblocks();
  state.waf_thousandths = image.waf_thousandths();
  return state;
}

}  // namespace

InitialState::InitialState(DriveState state, std::uint32_t map_page)
    : state_(std::move(state)),
      map_page_(map_page),
      ppas_(state_.ppas.data()),
      is_full_(precondition::is_full(state_)) {
  if (!is_full_) mapped_ = mapped_lpages(state_);
}

InitialState::InitialState(std::unique_ptr<const StateImage> image)
    : state_(without_ppas(*image)),
      map_page_(image->map_page()),
      image_(std::move(image)),
      ppas_(image_->ppas()),
      is_full_(precondition::is_full(state_)) {}

bool InitialState::at_work() const {
  return std::any_of(state_.superblocks.begin(), state_.superblocks.end(),
                     [](const Superblock& s) { return is_open(s.state); });
}

std::uint32_t InitialState::filled_units(std::uint32_t superblock) const {
  return precondition::filled_units(state_.geometry, ppas_, superblock);
}

bool InitialState::is_mapped(std::uint32_t lpn) const {
  if (is_full_) return true;
  if (image_ == nullptr) return mapped_[lpn];
  if (map_page_ == 0) return image_->map()[lpn] >= WL_MAP_PPA0;
  return (image_->presence()[lpn / map_page_].present >> lpn % map_page_ & 1) != 0;
}

wl_initial_state InitialState::write_boot_tables(std::byte* dram, wl_boot_info& info) const {
  if (image_ == nullptr) return precondition::write_boot_tables(state_, dram, info);
  PlacedTables placed = place_boot_tables(dram, info);
  image_->place(placed.tables);
  placed.initial.mapped_lpages = mapped_count(state_.superblocks);
  return placed.initial;
}

DriveState load_state_of(const config::Config& config, const config::Layout& layout) {
  return load_state(config.precondition.file, geometry_of(config, layout), layout.map_page);
}

std::unique_ptr<const InitialState> initial_state(const config::Config& config, const config::Layout& layout,
                                                  const std::string& states, std::string* note) {
  if (!config.precondition.begins_with_state()) return nullptr;
  const std::uint32_t map_page = layout.map_page;
  if (!config.precondition.file.empty()) {
    if (!states.empty()) return KeptStates(states).of_file(config, layout, note);
    return std::make_unique<const InitialState>(load_state_of(config, layout), map_page);
  }
  const Recipe recipe = recipe_of(config, layout);
  if (!states.empty()) return KeptStates(states).state_of(recipe, map_page, note);
  return std::make_unique<const InitialState>(make_state(recipe).state, map_page);
}

}  // namespace wordline::precondition
