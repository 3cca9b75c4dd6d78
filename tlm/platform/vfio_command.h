// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/checks/load.h"
#include "tlm/platform/serve_command.h"

namespace wordline::platform {

/// `wordline serve --vfio-user`: the drive's NVMe controller as a PCI function of another program. Returns the exit
/// code. The configuration is one that may be served. Throws config::ConfigError.
int serve_vfio(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout);

}  // namespace wordline::platform
