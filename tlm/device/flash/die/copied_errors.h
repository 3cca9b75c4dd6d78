// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/units/index.h"

namespace wordline::flash {

/// Raw bit errors that copyback programmed into a page: the die copies what it sensed, errors and all, without
/// correction. Data are kept as tokens, so their number is kept beside them and added to the errors that the cells of
/// the copy make themselves. A logical page that the controller replaces on the way brings none.
///
/// Accuracy: errors of the source at the references with which it was sensed; an error of the copy's own that falls on
/// a wrong bit and rights it is neglected. Memory: two bytes per codeword of a block that holds a copy.
class CopiedErrors {
 public:
  explicit CopiedErrors(std::uint32_t codewords_per_block) : codewords_(codewords_per_block) {}

  /// No page of the die holds any.
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  /// `codeword` counts through the pages of the block.
  [[nodiscard]] unsigned at(PlaneId plane, BlockId block, std::uint32_t codeword) const {
    if (blocks_.empty()) return 0;
    const auto found = blocks_.find(key(plane, block));
    return found == blocks_.end() ? 0U : found->second[codeword];
  }
  void put(PlaneId plane, BlockId block, std::uint32_t codeword, std::uint16_t errors) {
    std::vector<std::uint16_t>& of = blocks_[key(plane, block)];
    if (of.empty()) of.resize(codewords_);
    of[codeword] = errors;
  }
  /// The block has been erased.
  void forget(PlaneId plane, BlockId block) {
    if (!blocks_.empty()) blocks_.erase(key(plane, block));
  }

 private:
  static std::uint64_t key(PlaneId plane, BlockId block) {
    return static_cast<std::uint64_t>(plane.value()) << 32 | block.value();
  }
  std::uint32_t codewords_;
  std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> blocks_;  // looked up only, never iterated
};

}  // namespace wordline::flash
