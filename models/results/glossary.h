// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/results/registry.h"

namespace wordline::results {

/// The page of statistics: every key of result.json with unit and meaning, statistics that are alike in one row.
[[nodiscard]] std::string glossary_markdown(const Registry& registry);

/// The explanations for a terminal: of the key, the section or, when `key` is empty, everything. `key` may be a pattern
/// ("ios.OP.count"). Empty: nothing is called so.
[[nodiscard]] std::string glossary_text(const Registry& registry, const std::string& key);

/// The statistics whose name or sentence has all of these words, each with its first sentence; empty: none.
[[nodiscard]] std::string statistics_about(const Registry& registry, const std::string& words);
/// The name that is nearest to one that there is not; empty: none is near.
[[nodiscard]] std::string nearest_statistic(const Registry& registry, const std::string& key);

}  // namespace wordline::results
