// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/device/mover/host_command.h"

namespace wordline::host {

/// A status as the host reports it: "status type 2 code 81h (unrecovered read error)".
[[nodiscard]] std::string text_of(CommandStatus status);

}  // namespace wordline::host
