// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbenches/fuzz/draws.h"

namespace wordline::fuzz {

/// Damages good input, a few places each: bytes, pieces moved, doubled and cut, numbers at the ends of what fits.
/// `others`: further good inputs, of which pieces are taken.
[[nodiscard]] std::string damaged_text(std::string text, const std::vector<std::string>& others, Draws& draws);
/// The same for binary input, whose length mostly stays.
[[nodiscard]] std::string damaged_bytes(std::string bytes, Draws& draws);

}  // namespace wordline::fuzz
