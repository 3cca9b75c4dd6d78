// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/data/stamp.h"

namespace wordline::data {

/// What a host reads of a drive, by logical page: nearly nothing of a large drive differs from zeros.
class HeldContents {
 public:
  struct Held {
    std::uint32_t lpn = 0;
    LpageStamps stamps;
  };
  HeldContents() = default;
  /// `held`: ascending.
  HeldContents(std::uint32_t lpages, std::vector<Held> held) : lpages_(lpages), held_(std::move(held)) {}

  [[nodiscard]] LpageStamps operator[](std::uint32_t lpn) const {
    const auto at = std::lower_bound(held_.begin(), held_.end(), lpn,
                                     [](const Held& held, std::uint32_t number) { return held.lpn < number; });
    return at == held_.end() || at->lpn != lpn ? LpageStamps{} : at->stamps;
  }
  [[nodiscard]] std::uint32_t lpages() const { return lpages_; }
  [[nodiscard]] const std::vector<Held>& held() const { return held_; }

 private:
  std::uint32_t lpages_ = 0;
  std::vector<Held> held_;
};

}  // namespace wordline::data
