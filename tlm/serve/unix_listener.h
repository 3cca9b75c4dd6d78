// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/served/descriptor.h"

namespace wordline::serve {

/// A UNIX stream socket bound at `path`, where nobody else may be listening; what a server that was killed has left
/// there is replaced. It does not block, and does not listen yet. Throws std::runtime_error, which names `option`, by
/// which the user gave the path.
[[nodiscard]] served::Descriptor bind_unix(const std::string& option, const std::string& path);

}  // namespace wordline::serve
