// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "tlm/platform/serve_command.h"

namespace wordline::platform {

/// The options of `wordline serve`, beside those of the drive.
void add_serve(CLI::App& command, ServeOptions& options);

}  // namespace wordline::platform
