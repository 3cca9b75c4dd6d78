// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wordline::platform {

/// Columns of the terminal behind a file descriptor; 0: it is no terminal, or does not say.
[[nodiscard]] std::size_t terminal_width(int descriptor);

/// A line, without its end, in lines of at most `width` columns, broken at blanks. What is continued begins below the
/// text of the line's last column, where there are columns (two blanks or more between them) and room for it.
[[nodiscard]] std::string folded(std::string_view line, std::size_t width);

/// Messages call the program `wordline`. A user of a clone has called something else, which the variable
/// WORDLINE_CALLED says (scripts/wordline sets it): the commands that a message names are written so that they can be
/// copied.
[[nodiscard]] std::string as_called(const std::string& message);

}  // namespace wordline::platform
