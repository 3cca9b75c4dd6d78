// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "models/workload/text.h"

namespace wordline::workload::fio {

/// A line of a job file that says something: comments and blanks are gone, environment variables and keywords replaced.
struct Line {
  std::size_t number = 0;
  std::string text;
};

/// Gives every line of the job file at `path` to `take`, with those of included files where they are included. Lines of
/// an included file count as the line that includes it. What is wrong goes to `errors`.
///
/// `include FILE` is looked for beside the file that includes it, else where the program runs. `${NAME}` is an
/// environment variable, `$pagesize` the page of the host model.
void for_each_line(const std::string& path, std::string_view content, text::Errors& errors,
                   const std::function<void(const Line&)>& take);

}  // namespace wordline::workload::fio
