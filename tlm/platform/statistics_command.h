// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wordline::platform {

/// `wordline statistics`: explains a key or a section of result.json, or all of them; `markdown`: all, as
/// the page of statistics. Returns the exit code: 2 when nothing is called `key`.
int statistics_command(const std::string& key, bool markdown);

}  // namespace wordline::platform
