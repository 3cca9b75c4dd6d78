// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace wordline::config {

/// The first line of a TOML text, counted from 1, that makes tables in tables by so many dots (a.b.c...) that the
/// parser, which calls itself for each, would run out of stack; 0: there is none. Brackets it limits itself.
[[nodiscard]] std::size_t line_too_deep(std::string_view text);
/// What to say of that line.
inline constexpr const char* kTooDeep = "more than 1000 dots; keys have four parts at most";

}  // namespace wordline::config
