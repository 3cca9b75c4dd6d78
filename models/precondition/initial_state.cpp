// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/initial_state.h"

#include "models/precondition/kept_states.h"
#include "models/precondition/make_state.h"
#include "models/precondition/state_file.h"

namespace wordline::precondition {

DriveState load_state_of(const config::Config& config, const config::Layout& layout) {
  const std::uint32_t map_page = config.ftl.map == config::MapUnit::kPage ? layout.sectors_per_page : 0;
  return load_state(config.precondition.file, geometry_of(config, layout), map_page);
}

std::unique_ptr<const DriveState> initial_state(const config::Config& config, const config::Layout& layout,
                                                const std::string& states, std::string* note) {
  if (!config.precondition.begins_with_state()) return nullptr;
  if (config.precondition.file.empty()) {
    const Recipe recipe = recipe_of(config, layout);
    return std::make_unique<const DriveState>(states.empty() ? make_state(recipe).state
                                                             : KeptStates(states).state_of(recipe, note));
  }
  return std::make_unique<const DriveState>(load_state_of(config, layout));
}

}  // namespace wordline::precondition
