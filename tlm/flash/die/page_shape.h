// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "models/ecc/code/codeword.h"

namespace wordline::flash {

/// The page of one plane as the bus sees it: sectors one after the other, each with its parity.
struct PageShape {
  std::uint32_t sectors;
  std::uint32_t codewords_per_sector;
  std::uint32_t sector_bytes;

  explicit PageShape(const config::Layout& layout)
      : sectors(layout.sectors_per_page),
        codewords_per_sector(layout.sector.codewords()),
        sector_bytes(ecc::sector_bytes_on_bus(layout.sector)) {}
  [[nodiscard]] std::uint32_t codewords() const { return sectors * codewords_per_sector; }
};

}  // namespace wordline::flash
