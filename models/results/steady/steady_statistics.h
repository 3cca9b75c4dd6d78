// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/results/registry.h"
#include "models/results/steady/steady_answer.h"

namespace wordline::results {

/// Registers steady.* and ios.OP.interval.*.
void register_steady(Registry& registry, const std::shared_ptr<const SteadyAnswer>& answer);

/// One sentence for the summary: whether the run is steady, since when, and how sure the rate is.
[[nodiscard]] std::string steady_sentence(const SteadyAnswer& answer);

}  // namespace wordline::results
