// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/optimal_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace wordline::ecc {

OptimalReferences::OptimalReferences(unsigned groups, unsigned layers)
    : groups_(groups), layers_(layers), entries_(std::size_t{groups} * layers) {
  if (entries_.empty()) throw std::invalid_argument("table of optimal references: needs a group and a layer");
}

std::size_t OptimalReferences::index(unsigned group, unsigned layer) const {
  if (group >= groups_ || layer >= layers_) {
    throw std::out_of_range(fmt::format("table of optimal references: no entry for group {}, layer {}", group, layer));
  }
  return std::size_t{group} * layers_ + layer;
}

void OptimalReferences::clear(unsigned group) {
  std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(index(group, 0)), layers_, Entry{});
}

}  // namespace wordline::ecc
