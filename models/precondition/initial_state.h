// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/precondition/drive_state.h"

namespace wordline::precondition {

/// The state in precondition.file. Throws as load_state().
[[nodiscard]] DriveState load_state_of(const config::Config& config, const config::Layout& layout);

/// The state that the drive of this configuration begins with: loaded from precondition.file, or made; null: it is
/// fresh, or filled in order by rule. `states`: folder where states that are made are kept for other runs (KeptStates);
/// empty: none. Throws config::ConfigError when a file cannot be used.
[[nodiscard]] std::unique_ptr<const DriveState> initial_state(const config::Config& config,
                                                              const config::Layout& layout,
                                                              const std::string& states = "",
                                                              std::string* note = nullptr);

}  // namespace wordline::precondition
