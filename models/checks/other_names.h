// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::config {

/// What people search for by a word that no key has, though the drive or the workload has the thing.
struct OtherName {
  std::vector<const char*> searched;  // in lower case
  const char* here;                   // a sentence: what it is called here
};

[[nodiscard]] const std::vector<OtherName>& other_names();

/// The sentence for these words, in any case; empty: none.
[[nodiscard]] std::string called_here(const std::string& words);

}  // namespace wordline::config
