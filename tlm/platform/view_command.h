// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::platform {

/// `wordline view`: replaces this process by GTKWave with the view that the run left. Throws std::runtime_error when
/// the folder has no waveform or GTKWave cannot be started.
int view_command(const std::string& folder);

}  // namespace wordline::platform
