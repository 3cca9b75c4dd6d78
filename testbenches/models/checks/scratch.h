// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::testing {

/// Makes a folder of this test the working directory, so that messages name files without a path.
void enter_scratch();
void write_file(const std::string& name, const std::string& text);

/// What load() complains about; empty: nothing.
[[nodiscard]] std::string problems(const std::string& path, const std::vector<std::string>& sets = {});

}  // namespace wordline::testing
