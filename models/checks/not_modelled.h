// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::config {

/// What people look for in an SSD and this drive does not have, so that the search ends with an answer and with what
/// comes nearest. README.md has the same as a table, which a test compares.
struct NotModelled {
  const char* feature;                // "Zoned namespaces (ZNS)"
  const char* instead;                // sentences: what the drive does, and what comes nearest
  std::vector<const char*> searched;  // what it is searched by, in lower case
};

[[nodiscard]] const std::vector<NotModelled>& not_modelled();

/// The answer to a search for it; empty: it is none of these. "not modelled" asks for all.
[[nodiscard]] std::string why_not_there(const std::string& words);

}  // namespace wordline::config
