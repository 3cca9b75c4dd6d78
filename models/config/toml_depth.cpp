// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/toml_depth.h"

#include <algorithm>

namespace wordline::config {

std::size_t line_too_deep(std::string_view text) {
  constexpr std::ptrdiff_t kMostDots = 1000;
  for (std::size_t line = 1;; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '.') > kMostDots) return line;
    if (end == text.size()) return 0;
    text.remove_prefix(end + 1);
  }
}

}  // namespace wordline::config
