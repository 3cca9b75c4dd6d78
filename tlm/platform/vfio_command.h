// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/checks/load.h"
#include "tlm/platform/serve_command.h"
#include "tlm/platform/served_image.h"

namespace wordline::platform {

/// Throws config::ConfigError for a configuration that may be served, but not so.
void check_vfio(const ServeOptions& options, const config::Config& config);

/// `wordline serve --vfio-user`: the drive's NVMe controller as a PCI function of another program. Returns the exit
/// code. `image`: in order; null: none. It has been checked.
int serve_vfio(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout,
               ServedImage* image);

}  // namespace wordline::platform
