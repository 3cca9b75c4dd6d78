// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/law.h"

#include <fmt/format.h>

namespace wordline::results {

std::string violation_of(const Law& law) {
  if (law.counted >= law.least && law.counted <= law.most) return {};
  const std::string expected =
      law.least == law.most ? fmt::format("{}", law.least) : fmt::format("{} to {}", law.least, law.most);
  return fmt::format("the model contradicts itself: {} is {} {}, expected {}: {}", law.what, law.counted, law.unit,
                     expected, law.from);
}

}  // namespace wordline::results
