// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/nand/die.h"
#include "models/onfi/address.h"
#include "models/onfi/sequence_table.h"
#include "models/units/index.h"

namespace wordline::flash {

using onfi::Operation;

/// Programs and erases take one time in all planes.
inline constexpr const char* kTwoPageSizes = "planes of one operation address blocks of two page sizes";

/// The cells of one operation: one page number in several planes at once, of one block number, or of any
/// (nand.plane_blocks). What the array does with them, and when, is Work's.
struct Selection {
  Operation operation = Operation::kNone;  // kNone: nothing is selected
  std::uint32_t planes = 0;                // planes as bits
  BlockId block{};                         // block of the plane that came first
  PageId page{};
  nand::BlockByPlane blocks{};  // blocks of the planes
  bool slc_mode = false;        // the blocks are in SLC mode

  [[nodiscard]] bool empty() const { return operation == Operation::kNone; }
  void drop() { operation = Operation::kNone; }
  /// Adds the plane of `at`. `any_block`: the planes need not address the same block. Returns what is wrong,
  /// "" if nothing; after an error nothing is selected.
  [[nodiscard]] std::string join(Operation wanted, const onfi::Address& at, bool any_block) {
    if (empty()) {
      *this = {wanted, 0, at.block, at.page, {}, at.slc_mode};
    } else if (operation != wanted) {
      drop();
      return "another operation inside a multi-plane sequence";
    }
    if ((!any_block && block != at.block) || (wanted == Operation::kRead && page != at.page)) {
      drop();
      return "planes of one operation address different blocks or pages";
    }
    if (slc_mode != at.slc_mode) {
      drop();
      return "A2h before some planes of one operation and not before others";
    }
    const std::uint32_t plane = at.plane.value();
    if ((planes >> plane & 1U) != 0 && blocks[plane] != at.block) {
      drop();
      return "one plane in two blocks";
    }
    planes |= 1U << plane;
    blocks[plane] = at.block;
    return {};
  }
};

}  // namespace wordline::flash
