// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/data/stamp.h"

namespace wordline::nand {

/// A logical page as the page stores it: content and the spare record that the controller wrote with it, its owner and
/// a word (contract/flash_ring.h). Blank cells are ones.
struct StoredLpage {
  data::LpageToken token;
  std::uint32_t lpn = 0xffffffff;
  std::uint32_t record = 0xffffffff;

  friend bool operator==(const StoredLpage& a, const StoredLpage& b) {
    return a.token == b.token && a.lpn == b.lpn && a.record == b.record;
  }
};

}  // namespace wordline::nand
