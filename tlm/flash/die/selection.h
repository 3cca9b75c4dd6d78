// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/onfi/address.h"
#include "models/onfi/sequence_table.h"
#include "models/units/index.h"

namespace wordline::flash {

using onfi::Operation;

/// The cells of one operation: one block and page, in several planes at once. What the array does with them, and when,
/// is Work's.
struct Selection {
  Operation operation = Operation::kNone;  // kNone: nothing is selected
  std::uint32_t planes = 0;                // as bits
  BlockId block{};
  PageId page{};

  [[nodiscard]] bool empty() const { return operation == Operation::kNone; }
  void drop() { operation = Operation::kNone; }
  /// Adds the plane of `at`. Returns what is wrong, "" if nothing; after an error nothing is selected.
  [[nodiscard]] std::string join(Operation wanted, const onfi::Address& at) {
    if (empty()) {
      *this = {wanted, 0, at.block, at.page};
    } else if (operation != wanted) {
      drop();
      return "another operation inside a multi-plane sequence";
    }
    if (block != at.block || (wanted == Operation::kRead && page != at.page)) {
      drop();
      return "planes of one operation address different blocks or pages";
    }
    planes |= 1U << at.plane.value();
    return {};
  }
};

}  // namespace wordline::flash
